import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Program, Transaction } from "../../../server/src/program/program";
import type { Table } from "../../../server/src/program/schema";
import type { FileId, SourceRange } from "../../../server/src/protocol/source";
import {
  containsSmaller,
  gatherTuples,
  tupleCutter,
} from "../../../server/src/service/search/tuples";

const TRUE = { kind: "literal", value: true, type: "bool" } as const;

function at(line: number): SourceRange {
  const position = { line, character: 0 };
  // Test data: the only place where this name is made.
  return { file: "a.sql" as FileId, range: { start: position, end: position } };
}

/** A transaction that deletes from each table, written from a line on. */
function transaction(id: string, tables: readonly string[], line = 0): Transaction {
  const commands = tables.map((table, n) => ({
    kind: "statement" as const,
    statement: {
      kind: "delete" as const,
      id: `${id}/${String(n)}`,
      source: at(line + n),
      text: `delete from ${table}`,
      taint: [],
      relation: { alias: table, table, kind: "base" as const, join: "cross" as const },
      using: [],
      where: TRUE,
    },
  }));
  return {
    id,
    name: id,
    header: at(line),
    source: at(line),
    boundary: "explicit",
    parameters: [],
    preconditions: [],
    body: { kind: "sequence", commands },
    annotations: [],
    taint: [],
  };
}

function table(name: string, parent?: string): Table {
  return {
    name,
    columns: [],
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys:
      parent === undefined ? [] : [{ columns: ["p"], table: parent, referenced: ["id"] }],
    checks: [],
    inferred: false,
  };
}

function program(transactions: readonly Transaction[], tables: readonly Table[]): Program {
  return { schema: { tables }, transactions, notes: [], files: [] };
}

const units = (...members: readonly (readonly number[])[]) =>
  members.map((transactions) => ({ transactions }));

describe("tuples", () => {
  it("gathers orders of the same transactions, in the order of the plan", () => {
    const tuples = gatherTuples(units([1, 0], [2, 2], [0, 1]));
    assert.deepEqual(
      tuples.map(({ members, units: own }) => [members, own.length]),
      [
        [[0, 1], 2],
        [[2, 2], 1],
      ],
    );
  });

  const cases: readonly (readonly [readonly number[], string, boolean])[] = [
    [[0, 1, 2], "0,2", true],
    [[0, 0, 1], "0,0", true],
    [[0, 1, 1], "0,0", false],
    [[1, 2, 3], "0,1", false],
    [[0, 1], "0,1", false],
    [[10, 11], "1", false],
  ];
  for (const [members, known, expected] of cases) {
    it(`${members.join()} ${expected ? "has" : "does not have"} the smaller ${known}`, () => {
      assert.equal(containsSmaller(members, new Set([known])), expected);
    });
  }

  it("cuts out the tuple's transactions and the tables that they depend on", () => {
    const whole = program(
      [transaction("x", ["other"]), transaction("a", ["child"]), transaction("b", ["parent"])],
      [
        table("child", "parent"),
        table("grandchild", "child"),
        table("other"),
        table("parent", "top"),
        table("top"),
      ],
    );
    const [tuple] = gatherTuples(units([2, 1, 2]));
    assert.ok(tuple);
    const own = tupleCutter(whole)(tuple);
    assert.deepEqual(
      own.program.transactions.map(({ id }) => id),
      ["a", "b"],
    );
    assert.deepEqual(
      own.program.schema.tables.map(({ name }) => name),
      ["child", "grandchild", "parent", "top"],
    );
    assert.deepEqual(own.units, units([1, 0, 1]));
  });

  const tables = [table("t"), table("u")];
  const key = (of: Program, members: readonly number[]): string => {
    const [tuple] = gatherTuples(units(members));
    assert.ok(tuple);
    return tupleCutter(of)(tuple).key;
  };
  const base = program([transaction("a", ["t"]), transaction("b", ["t"])], tables);

  it("gives the same key to the same problem elsewhere in the text, among other transactions", () => {
    const moved = program(
      [transaction("new", ["u"]), transaction("a", ["t"], 40), transaction("b", ["t"], 50)],
      [...tables, table("v")],
    );
    assert.equal(key(moved, [1, 2]), key(base, [0, 1]));
  });

  it("gives another key to what may have another answer", () => {
    const known = key(base, [0, 1]);
    const others = [
      key(base, [1, 0]),
      key(base, [0, 0]),
      key(program([transaction("a", ["t"]), transaction("b", ["t", "t"])], tables), [0, 1]),
      key(program(base.transactions, [table("t", "u"), table("u")]), [0, 1]),
    ];
    assert.equal(new Set([known, ...others]).size, 5);
  });
});
