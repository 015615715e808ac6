// The levels that a program needs: for each part that shares no table with the rest, the levels at which it is proved safe. Every level is
// tried, since a stronger level of a product may allow what a weaker one does not. Transactions with a declared level keep it; a part of
// such transactions only has no level to choose.
import type { FlatProgram } from "../../analysis/operations/operation";
import { columnName, writtenColumns } from "../../analysis/encoding/relational/meeting";
import { comparableLevels } from "../../isolation/levels";
import type { Level } from "../../isolation/levels";
import { keyOfLevels } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Program, Transaction } from "../../program/program";
import type { LevelTrial, SufficientLevel } from "../../protocol/proof";
import type { Anomaly, Unknown } from "../../protocol/report";
import { proveProgram } from "../proof";
import type { ProofInput } from "../proof";

export interface SufficientInput extends Omit<ProofInput, "levels" | "gaps"> {
  /** The program's flat form, in the same order of transactions. */
  readonly flat: FlatProgram;
  /** The checked level; all levels of its kind are tried. */
  readonly level: Level;
  readonly anomalies: readonly Anomaly[];
  /** The levels of these transactions if those without a declared level run at this one. */
  levelsAt(level: Level, transactions: readonly Transaction[]): Levels;
  /** Gaps of understanding if those transactions run at this level. */
  gapsAt(level: Level): readonly Unknown[];
}

/** The levels that each part needs, weakest first; a level that was not decided in time is `open`. */
export async function sufficientLevels(
  input: SufficientInput,
  signal: AbortSignal,
): Promise<readonly SufficientLevel[]> {
  const found: SufficientLevel[] = [];
  for (const part of separateParts(input.flat)) {
    const transactions = part.flatMap((at) => input.program.transactions[at] ?? []);
    const levels = comparableLevels(input.level);
    const different = new Set(
      levels.map((each) => keyOfLevels(input.levelsAt(each, transactions))),
    );
    if (levels.length > 1 && different.size < 2) continue;
    const names = transactions.map(({ name }) => name);
    const program: Program = { ...input.program, transactions };
    const anomalies = input.anomalies.filter(
      (each) =>
        each.status === "confirmed" && each.transactions.some((name) => names.includes(name)),
    );
    const trials = new Map<string, LevelTrial>();
    for (const level of likelyFirst(levels, input.level))
      trials.set(level.name, await trialOf({ ...input, program, anomalies }, level, signal));
    const tried = levels.flatMap(({ name }) => trials.get(name) ?? []);
    const weakest = tried.find(({ status }) => status === "proved")?.level;
    found.push({ transactions: names, ...(weakest !== undefined && { level: weakest }), tried });
  }
  return found;
}

/** The checked level first, since its proof may be known; then the stronger ones, which are proved most often. */
function likelyFirst(levels: readonly Level[], checked: Level): readonly Level[] {
  const others = levels.filter(({ name }) => name !== checked.name).reverse();
  return [...levels.filter(({ name }) => name === checked.name), ...others];
}

async function trialOf(
  input: SufficientInput,
  level: Level,
  signal: AbortSignal,
): Promise<LevelTrial> {
  const { name } = level;
  const { transactions } = input.program;
  const levels = input.levelsAt(level, transactions);
  // `allowedAt` answers the question where all of the anomaly's transactions run at one level.
  const happens = input.anomalies.some(({ allowedAt, transactions: names }) => {
    const among = transactions.filter((each) => names.includes(each.name));
    return (
      allowedAt.includes(name) && keyOfLevels(input.levelsAt(level, among)) === keyOfLevels(level)
    );
  });
  if (happens) return { level: name, status: "anomaly" };
  const gaps = input.gapsAt(level);
  // The checked level's whole proof is known already.
  const brief = name !== input.level.name;
  const { report } = await proveProgram({ ...input, levels, gaps, brief }, signal);
  return report.status === "proved"
    ? { level: name, status: "proved", ...(report.scheme && { scheme: report.scheme }) }
    : { level: name, status: "open", ...(report.status === "unknown" && { undecided: true }) };
}

/** Transactions by index, in parts that share no written column. */
function separateParts(flat: FlatProgram): readonly (readonly number[])[] {
  const all = flat.transactions.map((_, at) => at);
  const written = writtenColumns(flat, all);
  const shared = flat.transactions.map(
    ({ operations }) =>
      new Set(
        operations
          .map(({ table }) => table)
          .filter((table) =>
            [...written].some((column) => column.startsWith(columnName(table, ""))),
          ),
      ),
  );
  const parts: { members: number[]; tables: Set<string> }[] = [];
  for (const at of all) {
    const tables = new Set(shared[at]);
    const members = [at];
    for (const part of [...parts]) {
      if (![...part.tables].some((table) => tables.has(table))) continue;
      for (const table of part.tables) tables.add(table);
      members.push(...part.members);
      parts.splice(parts.indexOf(part), 1);
    }
    parts.push({ members: members.sort((a, b) => a - b), tables });
  }
  return parts.map(({ members }) => members).sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}
