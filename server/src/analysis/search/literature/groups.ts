// Groups of a necklace's cycles by the set of tables that they go through.
import { passedLiteral, sparedLiteral, tableLiteral } from "../../encoding/relational/encoding";
import type { RelationalEncoding, Selector } from "../../encoding/relational/encoding";
import { and, not } from "../../encoding/smt";
import type { Model } from "../../../solver/solver";
import type { Queries } from "./queries";

/** The tables of the model's cycle, sorted. */
export function tablesOfModel(encoding: RelationalEncoding, model: Model): readonly string[] {
  return [...new Set(tablesOfSteps(encoding, model))].sort();
}

/** The assumptions "the cycle goes through these tables and no other". */
export function groupAssumptions(
  encoding: RelationalEncoding,
  tables: readonly string[],
): readonly string[] {
  const all = tableNames(encoding);
  return all.flatMap((table, number) => {
    if (!encoding.selectors.some((selector) => selector.edge.table === table)) return [];
    return [tables.includes(table) ? passedLiteral(number) : sparedLiteral(number)];
  });
}

/** Tables that can carry a cycle alone: each step of the necklace has a dependency over them. */
export function singleTables(encoding: RelationalEncoding): readonly string[] {
  return tableNames(encoding).filter((table) =>
    encoding.instances.every((_, step) =>
      encoding.selectors.some(
        (selector) => selector.step === step && selector.edge.table === table,
      ),
    ),
  );
}

/** Excludes the group from further answers. */
export function blockGroup(
  encoding: RelationalEncoding,
  queries: Queries,
  tables: readonly string[],
): void {
  queries.add(`(assert ${not(and(...groupAssumptions(encoding, tables)))})`);
}

/** The dependencies of the model's cycle: one per step, over the step's table. */
export function cycleOfModel(encoding: RelationalEncoding, model: Model): readonly Selector[] {
  const tables = tablesOfSteps(encoding, model);
  return encoding.instances.flatMap((_, step) => {
    const chosen = encoding.selectors.find(
      (selector) =>
        selector.step === step && selector.edge.table === tables[step] && model.bool(selector.name),
    );
    return chosen === undefined ? [] : [chosen];
  });
}

/** Excludes this cycle, for any values. */
export function blockCycle(queries: Queries, cycle: readonly Selector[]): void {
  queries.add(`(assert ${not(and(...cycle.map((selector) => selector.name)))})`);
}

function tablesOfSteps(encoding: RelationalEncoding, model: Model): readonly string[] {
  const tables = tableNames(encoding);
  return encoding.instances.map(
    (_, step) => tables.find((_table, number) => model.bool(tableLiteral(step, number))) ?? "",
  );
}

function tableNames(encoding: RelationalEncoding): readonly string[] {
  return Object.keys(encoding.run.database.flat.tables).sort();
}
