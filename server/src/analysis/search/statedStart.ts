// Starts that satisfy the stated invariants. The solver knows nothing of sums and counts, so numbers are changed one by one.
import type { Program } from "../../program/program";
import type { Column } from "../../program/schema";
import { ownEntry } from "../../protocol/dictionary";
import type { Value } from "../../protocol/witness";
import type { Setup } from "../../store/execution";
import { standsOf, statedInvariants, type Rows } from "../../store/totals";

/** Single-number changes to a start that breaks an invariant. */
const MOST_REPAIRS = 24;

/** The setup with a start that satisfies the invariants, as far as single-number changes achieve that. */
export function statedStart(program: Program, setup: Setup): Setup {
  const stated = statedInvariants(program);
  if (stated.length === 0) return setup;
  let current = setup;
  const excessOf = (rows: Rows): number => excess(standsOf(program.schema, stated, rows) ?? []);
  for (
    let round = 0, open = excessOf(setup.initial);
    round < MOST_REPAIRS && open > 0;
    round += 1
  ) {
    const stands = standsOf(program.schema, stated, current.initial) ?? [];
    const steps = stands.flatMap(({ isBroken, slack }) => (isBroken ? [0 - slack] : []));
    let best: Setup | undefined;
    for (const cell of rowCells(program, current))
      for (const value of valuesNear(cell, steps)) {
        const changed = cell.set(current, value);
        const less = excessOf(changed.initial);
        if (less >= open) continue;
        open = less;
        best = changed;
      }
    if (!best) break;
    current = best;
  }
  return current;
}

/** The extent to which invariants are violated; zero if they hold. */
export function excess(stands: NonNullable<ReturnType<typeof standsOf>>): number {
  return stands.reduce((sum, { isBroken, slack }) => sum + (isBroken ? 0 - slack : 0), 0);
}

/** A number or Boolean of a setup that may be varied. */
export interface Cell {
  readonly value: Value;
  readonly isBool: boolean;
  readonly nullable: boolean;
  readonly set: (setup: Setup, value: Value) => Setup;
}

export function valuesNear(
  { value, isBool, nullable }: Cell,
  steps: readonly number[],
): readonly Value[] {
  if (isBool) return [value !== true];
  const own = typeof value === "number" ? value : 0;
  const numbers = [...steps.flatMap((step) => [own + step, own - step]), own * 2, 0, 1];
  const least = Math.min(0, own);
  const fitting = numbers.filter((each) => each >= least && Number.isSafeInteger(each));
  return [...new Set<Value>([...fitting, ...(nullable ? [null] : [])])].filter(
    (each) => each !== value,
  );
}

/** Numbers and Booleans of rows, except keys. */
export function rowCells({ schema }: Program, { initial }: Setup): readonly Cell[] {
  return schema.tables.flatMap(({ name: table, columns, primaryKey, uniqueKeys, foreignKeys }) => {
    const keys = new Set([primaryKey, ...[...uniqueKeys, ...foreignKeys].map((key) => key.columns)].flat()); // prettier-ignore
    const free = columns.filter(({ name, type }) => !keys.has(name) && FREE.has(type));
    return (ownEntry(initial, table) ?? []).flatMap((row, at) =>
      free.map(({ name, type, nullable }) => ({
        value: ownEntry(row, name) ?? null,
        isBool: type === "bool",
        nullable,
        set: (setup: Setup, value: Value): Setup => ({
          ...setup,
          initial: {
            ...setup.initial,
            [table]: (ownEntry(setup.initial, table) ?? []).map((each, n) =>
              n === at ? { ...each, [name]: value } : each,
            ),
          },
        }),
      })),
    );
  });
}

const FREE: ReadonlySet<Column["type"]> = new Set(["int", "decimal", "bool"]);
