// Parent rows that foreign keys require but that no operation mentions: without them a witness could not be loaded or run.
import type { Program } from "../../program/program";
import type { ForeignKey, Table } from "../../program/schema";
import { ownEntry } from "../../protocol/dictionary";
import type { Row } from "../../protocol/witness";
import { withRow } from "../../store/invariants";
import { plainValue } from "../../store/plainValue";

interface WrittenRow {
  readonly table: string;
  readonly row: Row;
}

/** A row with the written rows that may be its parent; none for initial rows. */
interface Child extends WrittenRow {
  readonly parents: readonly WrittenRow[];
}

export interface ParentRequest {
  readonly program: Program;
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  /** Rows that the instances write; columns may be missing. */
  readonly written: readonly WrittenRow[];
  /** True if such a row can be added without any operation seeing it. */
  readonly mayAdd: (table: string, row: Row) => boolean;
}

/** The maximal length of parent chains: a table may refer to itself. */
const ROUNDS = 5;

/** The initial rows, with the parents of all initial and written rows. */
export function withParents(request: ParentRequest): Readonly<Record<string, readonly Row[]>> {
  const { program } = request;
  const tables = new Map(program.schema.tables.map((table) => [table.name, table]));
  let rows = request.initial;
  let children: readonly Child[] = [
    ...Object.entries(request.initial).flatMap(([table, list]) =>
      list.map((row): Child => ({ table, row, parents: [] })),
    ),
    ...request.written.map((each): Child => ({ ...each, parents: request.written })),
  ];
  for (let round = 0; round < ROUNDS && children.length > 0; round += 1) {
    const added: Child[] = [];
    for (const child of children) {
      for (const key of tables.get(child.table)?.foreignKeys ?? []) {
        const parent = tables.get(key.table);
        const row = parent === undefined ? undefined : parentOf(parent, key, child.row);
        if (parent === undefined || row === undefined) continue;
        const known = [
          ...(ownEntry(rows, parent.name) ?? []),
          ...child.parents.filter(({ table }) => table === parent.name).map((each) => each.row),
        ];
        const columns = referenced(parent, key);
        const exists = known.some((other) =>
          columns.every((column) => ownEntry(other, column) === ownEntry(row, column)),
        );
        if (exists || !request.mayAdd(parent.name, row)) continue;
        rows = withRow(program, rows, { table: parent.name, row, fixed: new Set(columns) });
        const last = ownEntry(rows, parent.name)?.at(-1) ?? row;
        added.push({ table: parent.name, row: last, parents: [] });
      }
    }
    children = added;
  }
  return Object.fromEntries(Object.entries(rows).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referenced(parent: Table, key: ForeignKey): readonly string[] {
  return key.referenced.length > 0 ? key.referenced : parent.primaryKey;
}

/** The parent that the child's row requires; undefined if a column is NULL or missing. */
function parentOf(parent: Table, key: ForeignKey, child: Row): Row | undefined {
  const columns = referenced(parent, key);
  const values = key.columns.map((column) => ownEntry(child, column));
  if (values.some((value) => value === undefined || value === null)) return undefined;
  return Object.fromEntries(
    parent.columns.map((column) => {
      const value = values[columns.indexOf(column.name)];
      return [column.name, value ?? plainValue(column)];
    }),
  );
}
