// The arguments of `isolens record`: where the server is, what to run, where the results go.
import { refuse, type ArgumentsResult } from "./commonArguments";

export interface RecordArguments {
  readonly command: "record";
  /** The application's test command; empty to listen until stopped. */
  readonly run: readonly string[];
  /** The server's URL; from the environment if absent. */
  readonly server?: string;
  /** 0 for a free port. */
  readonly port: number;
  /** Further environment variables that name the server. */
  readonly env: readonly string[];
  /** The output folder. */
  readonly out: string;
  readonly keep: boolean;
  readonly values: boolean;
  /** True to add to earlier recordings. */
  readonly merge: boolean;
  /** The database whose answers may be changed in further runs. */
  readonly perturb?: string;
  /** A saved recording to learn from, without running anything. */
  readonly from?: string;
  /** A server log to learn from, without running anything. */
  readonly log?: string;
}

/** The raw options of the command line. */
export interface RecordValues {
  readonly server?: string;
  readonly port?: string;
  readonly env?: readonly string[];
  readonly out?: string;
  readonly keep?: boolean;
  readonly values?: boolean;
  readonly merge?: boolean;
  readonly perturb?: string;
  readonly from?: string;
  readonly log?: string;
}

const MOST_PORTS = 65_535;
/** Options of a run. */
const FOR_RUNS = ["keep", "merge", "port", "env", "perturb"] as const;
/** Options that name earlier recordings. */
const FILES = ["from", "log"] as const;
const FOLDER = "isolens/recorded";

/** Interprets the arguments after `isolens record`; `run` are the words after `--`. */
export function interpretRecord(
  paths: readonly string[],
  values: RecordValues,
  run: readonly string[],
): ArgumentsResult<RecordArguments> {
  const [stray] = paths;
  if (stray !== undefined)
    return refuse(
      `the command to record stands behind --, as isolens record -- ${paths.join(" ")}`,
    );
  const port = values.port ?? "0";
  if (!/^\d{1,5}$/u.test(port) || Number(port) > MOST_PORTS)
    return refuse(`--port must be a whole number up to ${String(MOST_PORTS)}, and is "${port}"`);
  const file = FILES.find((name) => values[name] !== undefined);
  if (file !== undefined && run.length > 0)
    return refuse(`"record" takes a command behind -- or --${file}, not both`);
  if (values.from !== undefined && values.log !== undefined)
    return refuse("--from and --log are two things to learn from: give one");
  const idle = FOR_RUNS.find((name) => file !== undefined && values[name] !== undefined);
  if (file !== undefined && idle !== undefined)
    return refuse(`--${file} runs nothing, so that --${idle} has no meaning`);
  if (values.perturb !== undefined && run.length === 0)
    return refuse("--perturb runs your tests again: they stand behind --");
  return {
    ok: true,
    arguments: {
      command: "record",
      run,
      port: Number(port),
      env: values.env ?? [],
      out: values.out ?? FOLDER,
      keep: values.keep === true || values.merge === true,
      values: values.values === true,
      merge: values.merge === true,
      ...(values.server !== undefined && { server: values.server }),
      ...(values.perturb !== undefined && { perturb: values.perturb }),
      ...(values.from !== undefined && { from: values.from }),
      ...(values.log !== undefined && { log: values.log }),
    },
  };
}
