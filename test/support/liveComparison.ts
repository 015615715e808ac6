// Outcomes of litmus programs on real servers beside those that the store allows.
import type { ProductLevel } from "../../server/src/isolation/levels";
import { enumerateProduct } from "../../server/src/store/enumerate";
import { litmusProgram, runText, type Litmus, type LitmusStatement } from "../unit/store/litmus";
import type { RandomStatement, RandomTransactions } from "../unit/analysis/randomTransactions";
import type { LiveOutcomes } from "./liveLitmus";

export interface LiveComparison {
  readonly allowed: number;
  /** Observed and not allowed: the store is wrong. */
  readonly missing: readonly string[];
  /** Allowed and not observed. */
  readonly extra: readonly string[];
}

/** More runs than any program has. */
const LIMIT = 200_000;

/** Compares outcomes with those of the store. Throws when the front end does not read the program exactly. */
export function compareLive(
  litmus: Litmus,
  levels: readonly ProductLevel[],
  { outcomes }: LiveOutcomes,
): LiveComparison {
  const read = litmusProgram(litmus);
  if (read === undefined) throw new Error(`${litmus.id} is not read exactly`);
  const levelAt = (instance: string): ProductLevel => {
    const level = levels[(Number(instance.slice(1)) - 1) % levels.length];
    if (level === undefined) throw new Error(`no level for ${instance}`);
    return level;
  };
  const { runs } = enumerateProduct(read.program, read.setup, levelAt, LIMIT);
  const allowed = new Set(runs.map((run) => runText(litmus, run)));
  return {
    allowed: allowed.size,
    missing: [...outcomes].filter((each) => !allowed.has(each)),
    extra: [...allowed].filter((each) => !outcomes.has(each)),
  };
}

/** Random transactions as a litmus program. */
export function litmusOf(
  id: string,
  transactions: RandomTransactions,
  initial: Readonly<Record<string, number>>,
): Litmus {
  return {
    id,
    name: transactions.map((each) => each.map(({ sql }) => sql).join("; ")).join(" | "),
    initial,
    transactions: transactions.map(litmusStatements),
    observed: {},
  };
}

/** Registers that are read in every run; what a server counts for an upsert is its own matter. */
function litmusStatements(statements: readonly RandomStatement[]): readonly LitmusStatement[] {
  const known = new Set<string>();
  return statements.flatMap(({ sql, into, as, when }): readonly LitmusStatement[] => {
    const text = sql.replace(/:(\w+)/g, (all, name: string) => (known.has(name) ? all : "1"));
    const guard = when && known.has(when.register) ? when : undefined;
    if (sql === "ROLLBACK" && guard === undefined) return [];
    const counts = into !== undefined && as !== undefined && when === undefined;
    if (!counts || sql.includes("DO UPDATE"))
      return [{ sql: text, ...(guard && { when: `(:${guard.register} < ${guard.below})` }) }];
    known.add(into);
    return [{ sql: text, into, as }];
  });
}
