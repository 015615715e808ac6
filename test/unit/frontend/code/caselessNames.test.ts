// MySQL tells names apart by their letters, not by their case: columns go by the case that they are declared with, and
// what a query returns by the case that it was asked for with.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { FileId } from "../../../../server/src/protocol/source";
import {
  createProjectReader,
  type ProjectReader,
} from "../../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../../server/src/workspace/configuration";
import { printed } from "./prismaPrograms";

let reader: ProjectReader;

before(async () => {
  reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
});

const DDL = "CREATE TABLE bankAccounts (accountId INT PRIMARY KEY, currentBalance INT NOT NULL);";
const HEAD = `import mysql from "mysql2/promise";
const pool = mysql.createPool("");
`;

/** The commands of a function with this body, without its name. */
function check(ddl: string, body: string, expected: readonly string[]): void {
  // The one place where names become ids.
  const id = (name: string): FileId => name as FileId;
  const code = { file: id("a.ts"), text: `${HEAD}export async function f(x, y) { ${body} }` };
  const { transactions } = reader.read({
    files: ddl === "" ? [code] : [{ file: id("schema.sql"), text: ddl }, code],
    context: [],
    configuration: { ...DEFAULT_CONFIGURATION, dialect: "mysql" },
  });
  assert.deepEqual(
    printed(transactions).slice(1),
    expected.map((line) => `  ${line}`),
  );
}

describe("names whatever their case", () => {
  it("finds columns as they are declared", () => {
    check(
      DDL,
      `const [rows] = await pool.query("SELECT currentBalance FROM BANKACCOUNTS WHERE accountid = ?", [x]);
       if (rows.length === 0) return;
       await pool.query("UPDATE \`bankaccounts\` SET CurrentBalance = ? WHERE accountId = ?", [rows[0].currentBalance + 1, x]);`,
      [
        "r1 = select bankAccounts.currentBalance as currentBalance from bankAccounts where (bankAccounts.accountId = :x)",
        "if (size(r1) = 0)",
        "  return",
        "update bankAccounts set currentBalance = (r1.currentBalance + 1) where (bankAccounts.accountId = :x)",
      ],
    );
  });

  it("returns quoted names as they are written", () => {
    check(
      DDL,
      `const [rows] = await pool.query("SELECT \`accountId\`, \`currentBalance\` AS \`Left\` FROM \`bankAccounts\` LIMIT 1");
       await pool.query("UPDATE bankAccounts SET currentBalance = ? WHERE accountId = ?", [rows[0].Left, rows[0].accountId]);`,
      [
        "r1 = select bankAccounts.accountId as accountId, bankAccounts.currentBalance as Left from bankAccounts limit 1",
        "if (size(r1) <= 0)",
        "  rollback",
        "update bankAccounts set currentBalance = r1.Left where (bankAccounts.accountId = r1.accountId)",
      ],
    );
  });

  it("returns aliases as they are written", () => {
    check(
      DDL,
      `const [[{ accountCount }]] = await pool.query("SELECT COUNT(*) AS accountCount FROM bankAccounts");
       await pool.query("UPDATE bankAccounts SET currentBalance = ? WHERE accountId = ?", [accountCount, x]);`,
      [
        "r1 = select count(*) as accountCount from bankAccounts",
        "update bankAccounts set currentBalance = r1.accountCount where (bankAccounts.accountId = :x)",
      ],
    );
  });

  it("finds columns of tables that nobody declares", () => {
    check(
      "",
      `const [rows] = await pool.query("SELECT * FROM bankAccounts WHERE accountId = ?", [x]);
       if (rows.length === 0) return;
       await pool.query("UPDATE BankAccounts SET currentbalance = ? WHERE AccountId = ?", [rows[0].currentBalance, x]);`,
      [
        "r1 = select bankaccounts.accountid as accountid, bankaccounts.currentbalance as currentbalance from bankaccounts where (bankaccounts.accountid = :x)",
        "if (size(r1) = 0)",
        "  return",
        "update bankaccounts set currentbalance = r1.currentbalance where (bankaccounts.accountid = :x)",
      ],
    );
  });

  it("takes the number of an INSERT for lost only where somebody uses it", () => {
    const insert = `pool.query("INSERT INTO members (team, person) VALUES (?, ?)", [x, y])`;
    const inserted = "insert members {team = :x, person = :y}";
    check("", `await ${insert};`, [inserted]);
    check(
      "",
      `const [{ insertId }] = await ${insert}; await pool.query("DELETE FROM members WHERE team = ?", [insertId]);`,
      [
        inserted,
        "delete members where (members.team = unknown())",
        "! the number that an INSERT made",
      ],
    );
  });
});
