// Compares the store with the servers, cell by cell: which outcomes are missing, which are extra.
import type { ProductLevel } from "../../../server/src/isolation/levels";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { enumeratePrefix, enumerateProduct } from "../../../server/src/store/enumerate";
import { levelOf, productOf } from "./programs";
import {
  litmusProgram,
  measuredText,
  readLitmus,
  runText,
  type Litmus,
  type LitmusCell,
} from "./litmus";

export interface Comparison {
  readonly litmus: Litmus;
  readonly level: string;
  readonly coverage: "all" | "sample";
  readonly measured: number;
  readonly modelled: number;
  readonly missing: readonly string[];
  readonly extra: readonly string[];
}

/** More interleavings than any litmus program has. */
const LIMIT = 200_000;

/** Every litmus at every level, and mixture of levels, at which it was measured. */
export function productComparisons(all = readLitmus()): readonly Comparison[] {
  return all.flatMap((litmus) =>
    Object.entries({ ...litmus.observed, ...litmus.observedMixed }).flatMap(([levels, cell]) =>
      compareProduct(litmus, levels, cell),
    ),
  );
}

/** Programs without inserts, locks and rollbacks: SI against repeatable read, SER against serializable. */
export function paperComparisons(all = readLitmus()): readonly Comparison[] {
  const pairs: readonly (readonly [string, string])[] = [
    ["snapshot-isolation", "postgres:repeatable-read"],
    ["serializable", "postgres:serializable"],
  ];
  return all
    .filter(
      (litmus) =>
        litmus.key === undefined &&
        !/INSERT|FOR (UPDATE|SHARE)|ROLLBACK/.test(JSON.stringify(litmus.transactions)),
    )
    .flatMap((litmus) =>
      pairs.flatMap(([paper, product]) =>
        comparePaper(litmus, paper, ownEntry(litmus.observed, product)),
      ),
    );
}

/** Programs whose statements the front end does not read exactly. */
export function unreadLitmus(all = readLitmus()): readonly string[] {
  return all.filter((litmus) => litmusProgram(litmus) === undefined).map((litmus) => litmus.id);
}

function compareProduct(
  litmus: Litmus,
  levels: string,
  cell: LitmusCell | undefined,
): readonly Comparison[] {
  const read = litmusProgram(litmus);
  // That all of them never commit together is what keys are for.
  const isEmpty = cell?.anyCommitted === false && litmus.key === undefined;
  if (read === undefined || cell === undefined || isEmpty) return [];
  const each = levels.split(" + ").map(productOf);
  const levelAt = (instance: string): ProductLevel => {
    const level = each[(Number(instance.slice(1)) - 1) % each.length];
    if (level === undefined) throw new Error(`no level for ${instance}`);
    return level;
  };
  const { runs } = enumerateProduct(read.program, read.setup, levelAt, LIMIT);
  return [compared(litmus, levels, cell, new Set(runs.map((run) => runText(litmus, run))))];
}

function comparePaper(
  litmus: Litmus,
  paper: string,
  cell: LitmusCell | undefined,
): readonly Comparison[] {
  const read = litmusProgram(litmus);
  const level = levelOf(paper);
  if (read === undefined || cell === undefined || !cell.anyCommitted) return [];
  if (level.family !== "paper") return [];
  const { runs } = enumeratePrefix(read.program, read.setup, level);
  return [compared(litmus, paper, cell, new Set(runs.map((run) => runText(litmus, run))))];
}

function compared(
  litmus: Litmus,
  level: string,
  cell: LitmusCell,
  modelled: ReadonlySet<string>,
): Comparison {
  const measured = new Set(cell.outcomes.map(measuredText));
  return {
    litmus,
    level,
    coverage: cell.coverage,
    measured: measured.size,
    modelled: modelled.size,
    missing: [...measured].filter((outcome) => !modelled.has(outcome)),
    extra: [...modelled].filter((outcome) => !measured.has(outcome)),
  };
}
