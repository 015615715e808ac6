// From SQL to the answer of a proof, with the counters that the text suggests as invariants.
import { counterCandidates } from "../../../../server/src/analysis/assumptions/counters";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import type { ProofAnswer } from "../../../../server/src/analysis/proof/answer";
import { prove } from "../../../../server/src/analysis/proof/prove";
import type { SearchLimits } from "../../../../server/src/analysis/search/unit";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { openZ3 } from "../../../../server/src/engine/z3";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { SourceFile } from "../../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Program } from "../../../../server/src/program/program";
import { sql } from "../../truth/analyse";

const parsers = loadPgParser().then((pg) => ({ pg }));
const solvers = openZ3();

export const LIMITS: SearchLimits = {
  resourceLimit: 2_000_000,
  maxFindings: 1,
  stopped: () => false,
};

const NOTHING: ReadonlySet<string> = new Set();

export interface Proving {
  readonly answer: ProofAnswer;
  /** Chains in the way, as "A -> B -> C". */
  readonly chains: readonly string[];
  /** The sets of a proof by induction, as "A B". */
  readonly sets: readonly string[];
}

interface ProvingOptions {
  /** True if counters are assumed as the text suggests them. */
  readonly counters?: boolean;
  readonly limits?: SearchLimits;
  /** Names of lemmas and assumptions that it must do without. */
  readonly without?: ReadonlySet<string>;
  /** Only whether there is a proof. */
  readonly brief?: boolean;
}

/** Proves the files' program at a level. */
export async function proveSql(
  files: readonly SourceFile[] | string,
  level: string,
  options: ProvingOptions = {},
): Promise<Proving> {
  return proveRead(await readSql(files), level, options);
}

/** The program of these files, or of one text. */
export async function readSql(files: readonly SourceFile[] | string): Promise<Program> {
  return readProgram(typeof files === "string" ? [sql(files)] : files, await parsers);
}

/** Proves a program at a level. */
export async function proveRead(
  read: Program,
  levelName: string,
  { counters = true, limits = LIMITS, without = NOTHING, brief = false }: ProvingOptions = {},
): Promise<Proving> {
  const level = findLevel(levelName);
  if (!level) throw new Error(`no level ${levelName}`);
  const candidates = counterCandidates(flattenProgram(read, { unroll: 1 }));
  const invariants = [
    ...(read.invariants ?? []),
    ...(counters ? candidates.flatMap((each) => each.slice(0, 1)) : []),
  ];
  const flat = flattenProgram({ ...read, invariants }, { unroll: 1, anyRounds: true });
  const answer = prove(await solvers, flat, level, limits, { without, brief });
  const name = (at: number): string => flat.transactions[at]?.id ?? "?";
  const chains =
    answer.kind === "blocked"
      ? answer.obstacles.map(({ members, closed }) =>
          [...members, ...(closed ? members.slice(0, 1) : [])].map(name).join(" -> "),
        )
      : [];
  const sets =
    answer.kind === "proved"
      ? (answer.induction?.ordered ?? []).map(({ members }) => members.map(name).join(" "))
      : [];
  return { answer, chains, sets };
}
