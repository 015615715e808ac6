// Checks of the search at the papers' levels: from SQL to sets of transactions and tables.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import type { FlatProgram } from "../../../server/src/analysis/operations/operation";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { planPapers, solvePapers } from "../../../server/src/analysis/search/literature/backend";
import type { Finding, SearchLimits, Unit } from "../../../server/src/analysis/search/unit";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { PAPER_LEVELS } from "../../../server/src/isolation/levels";
import type { PaperLevel, PaperLevelName } from "../../../server/src/isolation/levels";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import type { SolverFactory } from "../../../server/src/solver/solver";

export interface Subject {
  readonly program: Program;
  readonly flat: FlatProgram;
}

export interface Found {
  readonly unit: Unit;
  /** Sorted names of the transactions. */
  readonly names: string;
  readonly finding: Finding;
}

export const LIMITS: SearchLimits = {
  resourceLimit: 20_000_000,
  maxFindings: 20,
  stopped: () => false,
};

/** A program of psql scripts. */
export function fromSql(text: string): Subject {
  const program = readProgram([{ file: "test.sql" as FileId, text }], {});
  assert.deepEqual(
    program.notes.filter((note) => note.severity === "error"),
    [],
  );
  return { program, flat: flattenProgram(program, { unroll: 1 }) };
}

/** One of the example programs. */
export function fromApp(name: string): Subject {
  const folder = path.join(import.meta.dirname, "../../apps", name);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      file: file as FileId,
      text: readFileSync(path.join(folder, file), "utf8"),
    }));
  const program = readProgram(files, {});
  return { program, flat: flattenProgram(program, { unroll: 1 }) };
}

export function levelOf(name: PaperLevelName): PaperLevel {
  const level = PAPER_LEVELS.find((each) => each.name === name);
  assert.ok(level);
  return level;
}

/** All findings for tuples of that size; every one must be confirmed by the store and nothing undecided. */
export function search(
  solvers: SolverFactory,
  { program, flat }: Subject,
  level: PaperLevelName,
  size: number,
): readonly Found[] {
  const base = levelOf(level);
  return planPapers(flat, base, size).flatMap((unit) => {
    const result = solvePapers(solvers, program, flat, base, unit, LIMITS);
    assert.deepEqual(result.undecided, []);
    const names = unit.transactions
      .map((index) => flat.transactions[index]?.id ?? "?")
      .sort()
      .join(" ");
    return result.findings.map((finding) => {
      const { status, reason } = finding.confirmation;
      assert.equal(status, "confirmed", `${names} at ${level}: ${String(reason)}`);
      assert.ok(finding.allowedAt.includes(level), `${names}: ${finding.allowedAt.join(" ")}`);
      return { unit, names, finding };
    });
  });
}

/** Sets of transactions with an anomaly that someone can notice, without those that contain a smaller one. */
export function minimalSets(found: readonly Found[], smaller: readonly Found[] = []): string[] {
  const noticed = found.filter(({ finding }) => finding.confirmation.severity !== "unused");
  const contains = (large: Unit, small: Unit): boolean => {
    const left = [...large.transactions];
    return small.transactions.every((index) => {
      const at = left.indexOf(index);
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  };
  const minimal = noticed.filter(
    ({ unit }) => !smaller.some((other) => contains(unit, other.unit)),
  );
  return [...new Set(minimal.map(({ names }) => names))].sort();
}
