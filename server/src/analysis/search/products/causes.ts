// Further causes in the same pair: the anomalies that remain if the reads found so far miss nothing.
import type { StatementId } from "../../../program/statement";
import { askForCycle, type CycleShape } from "../../encoding/product/encoding";
import { missingAccesses, someMiss } from "../../encoding/product/edges";
import { imp, not } from "../../encoding/smt";
import type { Finding } from "../unit";
import { findWorst, rank, type Search } from "./witness";

/**
 * Anomalies of a pair in which the stale reads of the finding, and of each other, miss nothing; each was executed. The solver is only asked
 * if the text has other reads that may miss something.
 */
export function furtherCauses(
  search: Search,
  shapes: readonly CycleShape[],
  found: readonly Finding[],
  most: number,
): readonly Finding[] {
  const { encoding } = search;
  const { tuple, script, run, snapshots } = encoding;
  const told = found.filter(isTold);
  if (tuple.units.length !== 2 || told.length === 0) return [];
  const missing = missingAccesses(tuple);
  const past = new Set(told.flatMap(staleReads));
  const further: Finding[] = [];
  while (told.length + further.length < most) {
    const isPast = ({ operation }: (typeof missing)[number]): boolean =>
      past.has(operation.statement);
    // A write without a stale read has no further cause.
    if (missing.every((each) => isPast(each) || each.operation.kind !== "read")) break;
    const literal = `FURTHER${String(further.length)}`;
    askForCycle(encoding, literal, shapes);
    script.assert(imp(literal, not(someMiss(tuple, run, snapshots, missing.filter(isPast)))));
    const next = findWorst({ ...search, past: [...past] }, literal, shapes)?.finding;
    const reads = next && isTold(next) ? staleReads(next) : [];
    if (!next || reads.length === 0 || reads.some((each) => past.has(each))) break;
    further.push(next);
    for (const each of reads) past.add(each);
  }
  return further;
}

function isTold({ confirmation }: Finding): boolean {
  return confirmation.status === "confirmed" && rank(confirmation.severity) >= rank("value");
}

/** The statements with the cycle's stale reads. */
export function staleReads({
  confirmation: { cycle, execution },
}: Finding): readonly StatementId[] {
  return cycle.flatMap((index) => {
    const edge = execution?.dependencies[index];
    const source = edge?.dependency === "rw" ? execution?.steps[edge.from]?.source : undefined;
    return source?.id ?? [];
  });
}
