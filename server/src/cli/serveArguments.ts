// The arguments of `isolens serve`: the protocol, the level and the schema.
import type { Protocol } from "../mock/listen";
import { mockLevel, type MockLevel } from "../mock/level";
import { strongUntilOf, weakForOf, type StrongUntil, type WeakFor } from "../mock/strength";
import type { Strategy } from "../mock/store/policy";
import { unknownLevelText, unknownText } from "../workspace/configuration";
import { refuse, type ArgumentsResult } from "./commonArguments";

export interface ServeArguments {
  readonly command: "serve";
  /** MariaDB speaks MySQL's. */
  readonly protocol: Protocol;
  readonly level: MockLevel;
  readonly levelName: string;
  /** 0 for a free port. */
  readonly port: number;
  readonly seed: number;
  readonly strategy: Strategy;
  /** True to delay answers by varying times. */
  readonly delay: boolean;
  /** Lock timeout in seconds, unless the session sets its own. */
  readonly lockTimeout?: number;
  /** Keys that are created side by side are overwritten instead of refused. */
  readonly overwriteKeys: boolean;
  /** Reads are strong until then. */
  readonly strongUntil?: StrongUntil;
  /** The connections with weak reads; all if empty. */
  readonly weakFor: readonly WeakFor[];
  /** A file with tables and initial rows. */
  readonly schema?: string;
  /** The file for the recorded history. */
  readonly history?: string;
}

/** The raw options of the command line. */
export interface ServeValues {
  readonly protocol?: string;
  readonly level?: readonly string[];
  readonly port?: string;
  readonly seed?: string;
  readonly strategy?: string;
  readonly delay?: boolean;
  readonly "lock-timeout"?: string;
  readonly "overwrite-keys"?: boolean;
  readonly "strong-until"?: string;
  readonly "weak-for"?: readonly string[];
  readonly schema?: string;
  readonly history?: string;
}

const PROTOCOLS = ["mysql", "mariadb", "postgres"] as const;
const STRATEGIES = ["uniform", "latest", "stale"] as const;
/** MySQL's own limit, in seconds. */
const LONGEST_WAIT = 1_073_741_824;
const MOST_PORTS = 65_535;

/** Reads what stands after `isolens serve`. */
export function interpretServe(
  paths: readonly string[],
  values: ServeValues,
): ArgumentsResult<ServeArguments> {
  if (paths.length > 0) return refuse('"serve" takes no paths; name the tables\' file by --schema');
  const protocol = PROTOCOLS.find((each) => each === values.protocol);
  if (!protocol) {
    return values.protocol === undefined
      ? refuse('"serve" needs --protocol mysql or --protocol postgres')
      : refuse(unknownText("protocol", values.protocol, PROTOCOLS));
  }
  const [name, ...more] = values.level ?? [];
  if (name === undefined) return refuse('"serve" needs --level, as read-committed or causal');
  if (more.length > 0) return refuse('"serve" takes one --level');
  const level = mockLevel(name);
  if (!level.known) return refuse(unknownLevelText(name));
  if (level.level === undefined) return refuse(level.reason);
  const strategy = STRATEGIES.find((each) => each === (values.strategy ?? "uniform"));
  if (!strategy) return refuse(unknownText("strategy", values.strategy ?? "", STRATEGIES));
  const port = values.port ?? "0";
  if (!/^\d{1,5}$/u.test(port) || Number(port) > MOST_PORTS)
    return refuse(`--port must be a whole number up to ${String(MOST_PORTS)}, and is "${port}"`);
  const seed = values.seed ?? "1";
  if (!/^\d{1,9}$/u.test(seed))
    return refuse(`--seed must be a whole number from 0 on, and is "${seed}"`);
  const wait = values["lock-timeout"];
  const seconds = Number(wait);
  if (wait !== undefined && !(/^\d+$/u.test(wait) && seconds >= 1 && seconds <= LONGEST_WAIT))
    return refuse(`--lock-timeout must be a whole number of seconds from 1 on, and is "${wait}"`);
  const weakFor: WeakFor[] = [];
  for (const text of values["weak-for"] ?? []) {
    const each = weakForOf(text);
    if (each === undefined)
      return refuse(
        `--weak-for must be application_name=NAME, user=NAME or comment=TEXT, and is "${text}"`,
      );
    weakFor.push(each);
  }
  const until = values["strong-until"];
  return {
    ok: true,
    arguments: {
      command: "serve",
      protocol,
      level: level.level,
      levelName: level.name,
      port: Number(port),
      seed: Number(seed),
      strategy,
      delay: values.delay ?? false,
      ...(wait !== undefined && { lockTimeout: seconds }),
      overwriteKeys: values["overwrite-keys"] ?? false,
      ...(until !== undefined && { strongUntil: strongUntilOf(until) }),
      weakFor,
      ...(values.schema !== undefined && { schema: values.schema }),
      ...(values.history !== undefined && { history: values.history }),
    },
  };
}
