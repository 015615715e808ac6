// The options of `check` for reporting: which findings are shown, where, and which of them fail the run.
import { SUPPRESSIBLE } from "../service/findings/suppressions";
import { unknownText } from "../workspace/configuration";

/** Findings that set a failing exit code. */
export interface FailOn {
  /** Kinds of anomalies; `all` for every kind, unless its severity is information or hint. */
  readonly anomalies: "all" | readonly string[];
  readonly unknown: boolean;
}

export interface FindingArguments {
  /** True to include findings that are off, and every one of a group. */
  readonly all: boolean;
  readonly showSuppressed: boolean;
  /** Replaces the configurations' baselines. */
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly failOn: FailOn;
  /** The file for the report, instead of standard output. */
  readonly output?: string;
  /** The file for an additional SARIF report. */
  readonly sarif?: string;
  readonly coverage: boolean;
}

interface Values {
  readonly all?: boolean | undefined;
  readonly "show-suppressed"?: boolean | undefined;
  readonly baseline?: string | undefined;
  readonly "write-baseline"?: string | undefined;
  readonly "fail-on"?: readonly string[] | undefined;
  readonly output?: string | undefined;
  readonly sarif?: string | undefined;
  readonly coverage?: boolean | undefined;
}

/** The options, or one sentence on the error in them. */
export function readFindingArguments(values: Values): FindingArguments | string {
  for (const name of ["baseline", "write-baseline", "output", "sarif"] as const) {
    if (values[name] === "") return `--${name} needs the name of a file`;
  }
  const { baseline, output, sarif } = values;
  const writeBaseline = values["write-baseline"];
  if (baseline !== undefined && writeBaseline !== undefined) {
    return "--baseline leaves findings out and --write-baseline writes them all: give one of the two";
  }
  const failOn = readFailOn(values["fail-on"] ?? []);
  if (typeof failOn === "string") return failOn;
  return {
    all: values.all ?? false,
    showSuppressed: values["show-suppressed"] ?? false,
    failOn,
    coverage: values.coverage ?? false,
    ...(baseline !== undefined && { baseline }),
    ...(writeBaseline !== undefined && { writeBaseline }),
    ...(output !== undefined && { output }),
    ...(sarif !== undefined && { sarif }),
  };
}

/** `unknown` makes undecided questions count; named kinds exclude the others. */
function readFailOn(given: readonly string[]): FailOn | string {
  const names = given.flatMap((each) => each.split(",")).map((each) => each.trim().toLowerCase());
  if (names.length === 0) return { anomalies: "all", unknown: true };
  const words = ["anomaly", "unknown", "never"];
  const wrong = names.find((name) => !words.includes(name) && !SUPPRESSIBLE.includes(name));
  if (wrong !== undefined) {
    return `--fail-on: ${unknownText("kind of finding", wrong, [...words, ...SUPPRESSIBLE])}`;
  }
  if (names.includes("never")) {
    return names.length > 1 ? "--fail-on never stands alone" : { anomalies: [], unknown: false };
  }
  const kinds = names.filter((name) => !words.includes(name));
  const isEvery = kinds.length === 0 || names.includes("anomaly");
  return { anomalies: isEvery ? "all" : kinds, unknown: names.includes("unknown") };
}
