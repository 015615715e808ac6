// One statement at a time, for the tests of the lowerings.
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import { createIds, type LoweringContext } from "../../../../server/src/frontend/sql/lowering";
import { preLex } from "../../../../server/src/frontend/sql/text/preLex";
import type { Column, Table } from "../../../../server/src/program/schema";
import type { FileId } from "../../../../server/src/protocol/source";

function table(name: string, columns: readonly string[], more: Partial<Table> = {}): Table {
  return {
    name,
    columns: columns.map((column): Column => ({ name: column, type: "int", nullable: true })),
    primaryKey: columns.slice(0, 1),
    uniqueKeys: [],
    foreignKeys: [],
    checks: [],
    inferred: false,
    ...more,
  };
}

/** `t(id, v, w)`, `u(id, t_id, n)`, `account(id, owner, balance)`, `log(id serial, at, what)`. */
export const TABLES: readonly Table[] = [
  table("t", ["id", "v", "w"]),
  table("u", ["id", "t_id", "n"]),
  table("account", ["id", "owner", "balance"]),
  table("log", [], {
    columns: [
      {
        name: "id",
        type: "int",
        nullable: false,
        default: { kind: "fresh", id: "d", type: "int", why: "sequence" },
      },
      {
        name: "at",
        type: "time",
        nullable: false,
        default: { kind: "fresh", id: "d", type: "time", why: "now" },
      },
      { name: "what", type: "text", nullable: true },
    ],
    primaryKey: ["id"],
  }),
];

/** A context for one statement in which each placeholder is a parameter of its name. */
export function contextOf(sql: string): LoweringContext {
  // Any text will do for an opaque file name.
  const lines = indexLines("s.sql" as FileId, sql);
  const { piece, placeholders } = preLex(lines, 0, sql.length);
  const names = new Map(placeholders.map(({ number, name }) => [number, name] as const));
  return {
    piece,
    table: (name) => TABLES.find((each) => each.name === name),
    placeholder: (number) => {
      const name = names.get(number);
      return name === undefined ? undefined : { kind: "parameter", name };
    },
    variable: () => undefined,
    ids: createIds("s"),
    note: () => undefined,
  };
}
