// The arguments of `isolens explore`: the client program, the levels and the driver.
import { findLevel } from "../isolation/levels";
import { unknownLevelText, unknownText } from "../workspace/configuration";
import { parseDuration } from "../workspace/duration";
import { refuse, type ArgumentsResult } from "./commonArguments";

export interface ExploreArguments {
  readonly command: "explore";
  /** The client program. */
  readonly path: string;
  /** Full names, or "any"; empty for the client's own level, else the workspace's. */
  readonly levels: readonly string[];
  readonly driver:
    | { readonly kind: "exhaustive" }
    | { readonly kind: "random"; readonly runs: number; readonly seed: number };
  /** Milliseconds per level. */
  readonly budget: number;
  /** Number of threads; by default as many as there are spare cores. */
  readonly threads?: number;
  /** The file for the rest of an exploration that runs out of budget; one level only. */
  readonly work?: string;
  readonly format: "text" | "json";
  readonly timings: boolean;
  /** True if the client's code may do what the user may. */
  readonly allow: boolean;
}

/** The raw options of the command line. */
export interface ExploreValues {
  readonly level?: readonly string[];
  readonly driver?: string;
  readonly runs?: string;
  readonly seed?: string;
  readonly budget?: string;
  readonly threads?: string;
  readonly work?: string;
  readonly format?: string;
  readonly timings?: boolean;
  readonly allow?: boolean;
}

const DRIVERS = ["exhaustive", "random"] as const;
const RUNS = 1000;
const BUDGET = 60_000;

/** Reads what stands after `isolens explore`. */
export function interpretExplore(
  paths: readonly string[],
  values: ExploreValues,
): ArgumentsResult<ExploreArguments> {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0)
    return refuse('"explore" needs one client program, a .json, .js, .mjs, .cjs or .ts file');
  const levels: string[] = [];
  for (const name of (values.level ?? []).flatMap((each) => each.split(","))) {
    const level = name.trim().toLowerCase() === "any" ? "any" : findLevel(name)?.name;
    if (level === undefined) return refuse(unknownLevelText(name));
    if (!levels.includes(level)) levels.push(level);
  }
  const driver = DRIVERS.find((each) => each === (values.driver ?? "exhaustive"));
  if (driver === undefined) return refuse(unknownText("driver", values.driver ?? "", DRIVERS));
  if (driver === "exhaustive" && (values.runs !== undefined || values.seed !== undefined))
    return refuse("--runs and --seed are for --driver random");
  const { runs, seed } = values;
  if (runs !== undefined && !/^[1-9]\d{0,8}$/u.test(runs))
    return refuse(`--runs must be a whole number from 1 on, and is "${runs}"`);
  if (seed !== undefined && !/^\d{1,9}$/u.test(seed))
    return refuse(`--seed must be a whole number from 0 on, and is "${seed}"`);
  const budget = values.budget === undefined ? BUDGET : parseDuration(values.budget);
  if (budget === undefined)
    return refuse(
      `--budget must be a duration, as 10s, 500ms or 2m, and is "${values.budget ?? ""}"`,
    );
  const { threads, work } = values;
  if (threads !== undefined && !/^(?:[1-9]|[1-5]\d|6[0-4])$/u.test(threads))
    return refuse(`--threads must be a whole number from 1 to 64, and is "${threads}"`);
  if (driver === "random" && (threads !== undefined || work !== undefined))
    return refuse("--threads and --work are for --driver exhaustive");
  if (work !== undefined && levels.length > 1)
    return refuse("--work keeps what is left of one level: name one level");
  const format = values.format ?? "text";
  if (format !== "text" && format !== "json")
    return refuse(`--format must be text or json, and is "${format}"`);
  return {
    ok: true,
    arguments: {
      command: "explore",
      path,
      levels,
      driver:
        driver === "exhaustive"
          ? { kind: driver }
          : { kind: driver, runs: Number(runs ?? RUNS), seed: Number(seed ?? 1) },
      budget,
      ...(threads !== undefined && { threads: Number(threads) }),
      ...(work !== undefined && { work }),
      format,
      timings: values.timings ?? false,
      allow: values.allow ?? false,
    },
  };
}
