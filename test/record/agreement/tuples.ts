// The verdicts of two readings of the same transactions, pair by pair: from what was learnt, and from the sources.
import { spawn } from "node:child_process";
import path from "node:path";

/** A pair is told by what two transactions do. */
const PAIRS = ["--max-transactions", "2", "--budget", "60s"];

export const CLI = path.resolve(__dirname, "../../../dist/cli.js");

/** The part of a JSON report that is compared. */
export interface Report {
  readonly transactions: readonly {
    readonly name: string;
    readonly file: string;
    readonly precision: string;
    /** Absent where nothing is read or written. */
    readonly tables?: readonly {
      readonly name: string;
      readonly reads: boolean;
      readonly writes: boolean;
    }[];
  }[];
  readonly anomalies: readonly {
    readonly status: string;
    readonly severity: string;
    readonly transactions: readonly string[];
  }[];
  readonly unknown: readonly {
    readonly reason: string;
    readonly transactions: readonly string[];
  }[];
}

/** Folders of the same transactions: the sources, and what was learnt. */
export interface Compared {
  readonly sources: string;
  readonly learnt: string;
  /** The recording's remarks. */
  readonly said: string;
}

export interface Comparison {
  readonly tuples: number;
  readonly alike: number;
  readonly differences: readonly {
    readonly pair: readonly [string, string];
    readonly found: "learnt" | "static";
    readonly reasons: readonly string[];
  }[];
}

/** `of`: the transaction of the sources that a learnt one is; none for what is not among them. */
export function comparison(
  sources: Report,
  learnt: Report,
  of: (learnt: string) => string | undefined,
): Comparison {
  const names = [...new Set(learnt.transactions.flatMap(({ name }) => of(name) ?? []))].sort();
  const own = racing(sources, (name) => name);
  const other = racing(learnt, of);
  const pairs = names.flatMap((left, at) =>
    names.slice(at).map((right): readonly [string, string] => [left, right]),
  );
  const differences = pairs.flatMap((pair) => {
    const key = pair.join("\n");
    if (own.has(key) === other.has(key)) return [];
    const found = own.has(key) ? "static" : "learnt";
    // The reading that is silent says why it may be.
    const silent = found === "static" ? learnt : sources;
    const translate = found === "static" ? of : (name: string): string => name;
    const reasons = silent.unknown
      .filter(({ transactions }) =>
        transactions.some((name) => pair.some((each) => each === translate(name))),
      )
      .map(({ reason }) => reason);
    return [{ pair, found, reasons: [...new Set(reasons)] } as const];
  });
  return { tuples: pairs.length, alike: pairs.length - differences.length, differences };
}

/** Pairs with an anomaly that was executed, by their names in order; refusals of the server harm no data. */
function racing(
  { anomalies }: Report,
  of: (name: string) => string | undefined,
): ReadonlySet<string> {
  const told = anomalies.filter(
    ({ status, severity }) => status === "confirmed" && severity !== "refused",
  );
  return new Set(
    told.flatMap(({ transactions }) => {
      const names = transactions.flatMap((each) => of(each) ?? []);
      if (names.length < transactions.length) return [];
      return names.flatMap((left, at) =>
        names
          .slice(at + (names.length > 1 ? 1 : 0))
          .map((right) => [left, right].sort().join("\n")),
      );
    }),
  );
}

/** The report of `isolens check` on a folder; what it said where it made none. */
export async function checked(folder: string): Promise<Report | string> {
  const { out, error } = await cli(["check", folder, "--format", "json", ...PAIRS], {
    cwd: path.dirname(folder),
    env: process.env,
  });
  if (!out.startsWith("[")) return error.trim();
  // The product's own report.
  const [report] = JSON.parse(out) as readonly Report[];
  return report ?? "no report";
}

/** Runs the command line from `dist`. */
export function cli(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly out: string; readonly error: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd,
      env: { ...env, ISOLENS_CACHE: "off" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, error] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()));
    child.on("close", () => {
      resolve({ out, error });
    });
  });
}
