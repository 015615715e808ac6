// Three engines on one program at one level: the analysis finds an anomaly if and only if exhaustive exploration shows an
// outcome that no serial order gives, from some starts of few rows or from those of the analysis' own witnesses; and the
// history checker judges every explored history in the same way.
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import type { PaperLevel } from "../../../server/src/isolation/levels";
import type { AxiomaticLevel } from "../../../server/src/exploration/exploration";
import type { Program } from "../../../server/src/program/program";
import type { Setup } from "../../../server/src/store/execution";
import { searched, type Worst } from "../analysis/agreement";
import { exploreStart, openStart, type Difference, type ExploredStart } from "./exploredOutcomes";

/** The levels that all three engines know, save that the checker has no prefix consistency. */
export const ENGINE_LEVELS = [
  "read-committed",
  "read-atomic",
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
] as const satisfies readonly AxiomaticLevel[];

export type EngineLevel = (typeof ENGINE_LEVELS)[number];

export interface EngineAgreement {
  readonly level: EngineLevel;
  /** By exploration. */
  readonly shown: Difference;
  /** By the analysis, confirmed; `unused` is a difference in what was read and that nobody was given. */
  readonly claimed: Worst;
  /**
   * The same; an anomaly that the analysis does not have, or has only as one in what nobody uses; one that exploration
   * does not show; engines that contradict each other on one history. What the analysis could not decide or confirm it
   * has not called safe: `open`.
   */
  readonly kind: "same" | "missed" | "unused" | "false" | "contradiction" | "open";
  readonly outcomes: number;
  readonly anomalous: number;
  readonly benign: number;
  readonly merged: number;
  /** Why it is open, what contradicts, or an example of what was shown. */
  readonly reasons: readonly string[];
}

/** Rows 1, 2, ... of the table t with these values. */
const STARTS = [[1, 2], [5, 5], [6, 0], [3], [7, 1, 3]];

/** A program whose starts are explored once for all levels. */
export function openComparison(
  program: Program,
  transactions: readonly number[],
): (level: PaperLevel & { readonly name: EngineLevel }) => Promise<EngineAgreement> {
  const flat = flattenProgram(program, { unroll: 1 });
  const opened = new Map<string, Promise<ExploredStart>>();
  const open = (setup: Setup): Promise<ExploredStart> => {
    const text = JSON.stringify([setup.instances, setup.initial]);
    const known = opened.get(text) ?? openStart(program, setup);
    opened.set(text, known);
    return known;
  };
  const instances = transactions.flatMap((each, at) => {
    const id = program.transactions[each]?.id;
    const instance = `T${String(at + 1)}`;
    return id === undefined ? [] : [{ instance, transaction: id, arguments: {} }];
  });
  const small = STARTS.map((start): Setup => ({
    instances,
    initial: { t: start.map((v, at) => ({ id: at + 1, v })) },
  }));

  return async (level) => {
    const search = await searched(program, flat, level, transactions);
    const sums = { outcomes: 0, anomalous: 0, benign: 0, merged: 0 };
    const contradictions: string[] = [];
    const reasons = [...search.reasons];
    let shown: Difference = "none";
    const explore = async (setup: Setup): Promise<Difference> => {
      const explored = await exploreStart(await open(setup), level.name);
      for (const name of ["outcomes", "anomalous", "benign", "merged"] as const)
        sums[name] += explored[name];
      contradictions.push(...explored.contradictions);
      if (!explored.exhausted) reasons.push("exploration was cut short");
      const { worst, worstUnmerged, example = "" } = explored;
      if (shown === "none" && worstUnmerged !== "none")
        reasons.push(`from ${JSON.stringify(setup.initial)}: ${example}`);
      if (shown !== "state" && worstUnmerged !== "none") shown = worstUnmerged;
      return worst;
    };
    for (const setup of small) await explore(setup);
    const unshown: string[] = [];
    for (const { setup, severity } of search.witnesses) {
      if (severity !== "state" && severity !== "value") continue;
      if ((await explore(setup)) === "none")
        unshown.push(`not shown from ${JSON.stringify(setup.initial)}`);
    }
    const { claimed } = search;
    const kind = ((): EngineAgreement["kind"] => {
      if (contradictions.length > 0) return "contradiction";
      if (unshown.length > 0) return "false";
      if (shown === "none" || claimed === "state" || claimed === "value")
        return search.undecided || search.unconfirmed ? "open" : "same";
      if (claimed === "unused") return "unused";
      return search.undecided || search.unconfirmed ? "open" : "missed";
    })();
    return {
      level: level.name,
      shown,
      claimed,
      kind,
      ...sums,
      reasons: [...contradictions, ...unshown, ...reasons],
    };
  };
}
