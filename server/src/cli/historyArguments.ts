// The arguments of `isolens history`: the recorded runs, the levels and the format.
import { HISTORY_LEVELS, type HistoryLevel } from "../history/check";
import { findLevel } from "../isolation/levels";
import { unknownText } from "../workspace/configuration";
import { parseDuration } from "../workspace/duration";
import { refuse, type ArgumentsResult } from "./commonArguments";

export interface HistoryCheckArguments {
  readonly command: "history";
  readonly action: "check";
  readonly paths: readonly string[];
  /** From weak to strong. */
  readonly levels: readonly HistoryLevel[];
  readonly strict: boolean;
  /** Milliseconds for each history. */
  readonly budget?: number;
  readonly format: "text" | "json" | "dot" | "svg";
  readonly timings: boolean;
}

export interface HistoryConvertArguments {
  readonly command: "history";
  readonly action: "convert";
  readonly path: string;
  readonly to: "text" | "json";
  /** Standard output if absent. */
  readonly output?: string;
}

export type HistoryArguments = HistoryCheckArguments | HistoryConvertArguments;

/** The raw options of the command line. */
export interface HistoryValues {
  readonly level?: readonly string[];
  readonly budget?: string;
  readonly format?: string;
  readonly strict?: boolean;
  readonly timings?: boolean;
  readonly to?: string;
  readonly output?: string;
}

const FORMATS = ["text", "json", "dot", "svg"] as const;
const TARGETS = ["text", "json"] as const;

/** Interprets the arguments after `isolens history`. */
export function interpretHistory(
  positionals: readonly string[],
  values: HistoryValues,
): ArgumentsResult<HistoryArguments> {
  const [first, ...rest] = positionals;
  if (first === "convert") return interpretConvert(rest, values);
  const paths = first === "check" ? rest : positionals;
  if (paths.length === 0) return refuse('"history" needs a file or a folder');
  if (values.to !== undefined || values.output !== undefined)
    return refuse('--to and --output are for "history convert"');
  const levels = levelsOf(values.level ?? []);
  if (typeof levels === "string") return refuse(levels);
  const budget = values.budget === undefined ? undefined : parseDuration(values.budget);
  if (values.budget !== undefined && budget === undefined)
    return refuse(`--budget must be a duration, as 10s, 500ms or 2m, and is "${values.budget}"`);
  const format = FORMATS.find((each) => each === (values.format ?? "text"));
  if (format === undefined)
    return refuse(`--format must be text, json, dot or svg, and is "${values.format ?? ""}"`);
  return {
    ok: true,
    arguments: {
      command: "history",
      action: "check",
      paths,
      levels,
      strict: values.strict ?? false,
      ...(budget !== undefined && { budget }),
      format,
      timings: values.timings ?? false,
    },
  };
}

function interpretConvert(
  paths: readonly string[],
  values: HistoryValues,
): ArgumentsResult<HistoryArguments> {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0) return refuse('"history convert" needs one file');
  const foreign = (["level", "budget", "format", "strict", "timings"] as const).find(
    (each) => values[each] !== undefined,
  );
  if (foreign !== undefined) return refuse(`"history convert" takes no option --${foreign}`);
  const to = TARGETS.find((each) => each === values.to);
  if (to === undefined) {
    const given = values.to === undefined ? "is missing" : `is "${values.to}"`;
    return refuse(`--to must be text or json, and ${given}`);
  }
  const { output } = values;
  return {
    ok: true,
    arguments: {
      command: "history",
      action: "convert",
      path,
      to,
      ...(output !== undefined && { output }),
    },
  };
}

/** The requested levels, without duplicates, weak to strong; all six by default. A sentence for an unknown one. */
function levelsOf(given: readonly string[]): readonly HistoryLevel[] | string {
  const asked = given.flatMap((each) => each.split(","));
  if (asked.length === 0 || asked.includes("all")) return HISTORY_LEVELS;
  const found: HistoryLevel[] = [];
  for (const name of asked) {
    const level = HISTORY_LEVELS.find((each) => each === findLevel(name)?.name);
    if (level === undefined)
      return `${unknownText("level", name, [...HISTORY_LEVELS, "all"])}; histories are judged at ${HISTORY_LEVELS.join(", ")}`;
    found.push(level);
  }
  return HISTORY_LEVELS.filter((level) => found.includes(level));
}
