// Rounds of a loop over a list that the code sorts lock in one order; twins go through the list as it is given, or reversed.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRefusals } from "../../../../server/src/analysis/contention/refusals";
import { findLevel } from "../../../../server/src/isolation/levels";
import { analysablePart } from "../../../../server/src/service/search/analysable";
import { readOver } from "../../frontend/code/codePrograms";

const DDL = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

async function kindsOf(file: string, text: string): Promise<readonly string[]> {
  const level = findLevel("postgres:read-committed");
  assert.ok(level);
  const { transactions, tables } = await readOver(DDL, { [file]: text }, "postgres");
  const read = { schema: { tables }, transactions, notes: [], files: [] };
  const { program, flat } = analysablePart(read, 2);
  assert.equal(program.transactions.length, 1);
  return findRefusals(program, flat, level).map(({ kind }) => kind);
}

const SQL = `"UPDATE account SET balance = balance + 1 WHERE id = $1"`;

function typescript(list: string, before = ""): string {
  return `import { Pool } from "pg";
import { inOrder } from "./elsewhere";
const pool = new Pool();
export async function f(ids: number[], items: { id: number }[]) {
  ${before}
  const client = await pool.connect();
  await client.query("BEGIN");
  for (const id of ${list}) await client.query(${SQL}, [id]);
  await client.query("COMMIT");
  client.release();
}`;
}

function java(list: string, type = "List"): string {
  return `import java.sql.*;
import java.util.*;
class A {
  private final Connection connection;
  A(Connection connection) { this.connection = connection; }
  void f(${type}<Integer> ids) throws SQLException {
    connection.setAutoCommit(false);
    for (int id : ${list}) {
      PreparedStatement s = connection.prepareStatement(${SQL.replace("$1", "?")});
      s.setInt(1, id);
      s.executeUpdate();
    }
    connection.commit();
  }
}`;
}

const CASES: readonly (readonly [name: string, file: string, text: string, count: number])[] = [
  ["a list as it is given", "a.ts", typescript("ids"), 1],
  ["a list that is reversed", "a.ts", typescript("[...ids].reverse()"), 1],
  ["a list that is sorted", "a.ts", typescript("[...ids].sort((a, b) => a - b)"), 0],
  ["a list that is sorted before", "a.ts", typescript("ids", "ids.sort((a, b) => a - b);"), 0],
  ["a list that is sorted and reversed", "a.ts", typescript("ids.toSorted().reverse()"), 0],
  ["parts of items, sorted", "a.ts", typescript("items.map((item) => item.id).sort()"), 0],
  ["a list that a call gives", "a.ts", typescript("inOrder(ids)"), 0],
  ["a list of Java", "A.java", java("ids"), 1],
  ["a stream that is sorted", "A.java", java("ids.stream().sorted().toList()"), 0],
  ["a tree", "A.java", java("new TreeSet<>(ids)"), 0],
  ["a sorted set", "A.java", java("ids", "SortedSet"), 0],
];

void describe("loops that lock rows", () => {
  for (const [name, file, text, count] of CASES)
    void it(name, async () => {
      assert.deepEqual(await kindsOf(file, text), Array<string>(count).fill("deadlock"));
    });
});
