// Groups of cycles of one necklace: those that go through the same set of tables.
import { tableLiteral } from "../encoding/relational";
import type { RelationalEncoding, Selector } from "../encoding/relational";
import { FALSE, and, eq, not, or } from "../encoding/smt";
import type { Model } from "../../solver/solver";
import type { Queries } from "./papersQueries";

export interface Group {
  /** Sorted. */
  readonly tables: readonly string[];
  /** Assume it to stay within the group. */
  readonly literal: string;
}

/** The tables of the model's cycle, one per step. */
export function tablesOfModel(encoding: RelationalEncoding, model: Model): readonly string[] {
  const tables = tableNames(encoding);
  return encoding.instances.map(
    (_, step) => tables.find((_table, number) => model.bool(tableLiteral(step, number))) ?? "",
  );
}

/** Opens the group of these tables. */
export function openGroup(
  encoding: RelationalEncoding,
  queries: Queries,
  tables: readonly string[],
  number: number,
): Group {
  const distinct = [...new Set(tables)].sort();
  const all = tableNames(encoding);
  const literals = new Map(
    distinct.map((table) => [
      table,
      encoding.instances.map((_, step) =>
        hasTable(encoding, step, table) ? tableLiteral(step, all.indexOf(table)) : FALSE,
      ),
    ]),
  );
  const steps = encoding.instances.map((_, step) =>
    or(...distinct.map((table) => literals.get(table)?.[step] ?? FALSE)),
  );
  const used = distinct.map((table) => or(...(literals.get(table) ?? [])));
  const literal = `g${String(number)}`;
  queries.add(`(declare-const ${literal} Bool)\n(assert ${eq(literal, and(...steps, ...used))})`);
  return { tables: distinct, literal };
}

/** Leaves the group for good. */
export function closeGroup(queries: Queries, group: Group): void {
  queries.add(`(assert ${not(group.literal)})`);
}

/** The dependencies that make up the model's cycle: one per step, over the table that the step is over. */
export function cycleOfModel(encoding: RelationalEncoding, model: Model): readonly Selector[] {
  const tables = tablesOfModel(encoding, model);
  return encoding.instances.flatMap((_, step) => {
    const chosen = encoding.selectors.find(
      (selector) =>
        selector.step === step && selector.edge.table === tables[step] && model.bool(selector.name),
    );
    return chosen === undefined ? [] : [chosen];
  });
}

/** Excludes this cycle, with whatever values. */
export function blockCycle(queries: Queries, cycle: readonly Selector[]): void {
  queries.add(`(assert ${not(and(...cycle.map((selector) => selector.name)))})`);
}

function hasTable(encoding: RelationalEncoding, step: number, table: string): boolean {
  return encoding.selectors.some(
    (selector) => selector.step === step && selector.edge.table === table,
  );
}

function tableNames(encoding: RelationalEncoding): readonly string[] {
  return Object.keys(encoding.run.database.flat.tables).sort();
}
