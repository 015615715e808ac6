// Row level security and rules: what is said of them, and what statements lose by them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { statementsOf } from "../../../../server/src/service/statements";
import { sql } from "../../truth/analyse";
import { parser } from "./programs";

const TABLES = `CREATE TABLE doc (id int PRIMARY KEY, owner text, team int);
CREATE TABLE member (team int, who text, PRIMARY KEY (team, who));
`;

/** The notes on definitions, and behind them what a transaction with that statement loses. */
async function read(definitions: string, statement: string): Promise<readonly string[]> {
  const text = `${TABLES}${definitions};\nBEGIN;\n${statement};\nCOMMIT;\n`;
  const { notes, transactions } = readProgram([sql(text)], { pg: await parser() });
  const own = transactions.filter(({ boundary }) => boundary !== "routine");
  return [
    ...notes.map(({ message }) => message),
    ...own.flatMap(({ body }) =>
      statementsOf(body).flatMap(({ taint }) =>
        taint.map(({ effect, reason }) => `! ${effect}: ${reason}`),
      ),
    ),
  ];
}

const ENABLE = "ALTER TABLE doc ENABLE ROW LEVEL SECURITY;";
const FORCE = "ALTER TABLE doc FORCE ROW LEVEL SECURITY;";
const OWN = "CREATE POLICY own ON doc USING (owner = current_setting('app.user'::text, true))";
const TEAM =
  "CREATE POLICY team ON doc USING (EXISTS (SELECT 1 FROM member m WHERE m.team = doc.team AND m.who = current_user))";
const CHANGE = "UPDATE doc SET owner = 'x' WHERE id = 1";
const READS = (who: string): string =>
  `Statements on doc are read as by a role that row level security does not hold for, such as ${who}: all rows are seen.`;
const UNFOLLOWED = "The policy team on doc is not followed: it reads member.";
const LOST = "! over: the policy team on doc: it reads member";

test("policies that are not in force mean nothing", async () => {
  assert.deepEqual(await read(`${OWN};${TEAM}`, CHANGE), []);
  const off = "ALTER TABLE doc DISABLE ROW LEVEL SECURITY";
  assert.deepEqual(await read(`${ENABLE}${OWN};${off}`, CHANGE), []);
  assert.deepEqual(await read(`${ENABLE}${OWN};DROP POLICY own ON doc`, CHANGE), []);
});

test("who sees all rows is said once for a table", async () => {
  assert.deepEqual(await read(`${ENABLE}${OWN};${OWN.replace("own", "again")}`, CHANGE), [
    READS("the table's owner"),
  ]);
  assert.deepEqual(await read(`${ENABLE}${FORCE}${OWN}`, CHANGE), [READS("a superuser")]);
});

test("a policy that reads tables is not followed, and costs statements where owners are subject to it", async () => {
  const owner = READS("the table's owner");
  assert.deepEqual(await read(`${ENABLE}${TEAM}`, CHANGE), [owner, UNFOLLOWED]);
  const said = [READS("a superuser"), UNFOLLOWED];
  assert.deepEqual(await read(`${ENABLE}${FORCE}${TEAM}`, CHANGE), [...said, LOST]);
  const nested = "SELECT who FROM member WHERE team IN (SELECT team FROM doc)";
  assert.deepEqual(await read(`${ENABLE}${FORCE}${TEAM}`, nested), [...said, LOST]);
  assert.deepEqual(await read(`${ENABLE}${FORCE}${TEAM}`, "SELECT team FROM member"), said);
});

test("a policy may call functions of the workspace that read nothing", async () => {
  const may = (body: string): string =>
    `CREATE FUNCTION may(int) RETURNS bool LANGUAGE sql AS $$ ${body} $$;${ENABLE}${FORCE}CREATE POLICY p ON doc USING (may(team))`;
  const session = may("SELECT $1::text = current_setting('app.team', true)");
  assert.deepEqual(await read(session, CHANGE), [READS("a superuser")]);
  const reading = may("SELECT EXISTS (SELECT 1 FROM member WHERE team = $1)");
  assert.deepEqual(await read(reading, CHANGE), [
    READS("a superuser"),
    "The policy p on doc is not followed: the function may().",
    "! over: the policy p on doc: the function may()",
  ]);
});

test("a rule is a loss of the statements that it is for", async () => {
  const rule = "CREATE RULE r AS ON DELETE TO doc DO INSTEAD NOTHING";
  const said = "The rule r is not analysed.";
  const deletion = "DELETE FROM doc WHERE id = 1";
  assert.deepEqual(await read(rule, deletion), [said, "! approx: the rule r"]);
  assert.deepEqual(await read(rule, CHANGE), [said]);
  assert.deepEqual(await read(`${rule};DROP RULE r ON doc`, deletion), [said]);
});

test("unknown values of defaults are apart from each other", async () => {
  const defaults =
    "CREATE TABLE d (id int, who text DEFAULT coalesce(current_setting('app.user'::text, true), 'x'))";
  const { transactions } = readProgram(
    [sql(`${defaults};\nBEGIN;\nINSERT INTO d VALUES (1), (2);\nCOMMIT;\n`)],
    { pg: await parser() },
  );
  const ids = [...JSON.stringify(transactions).matchAll(/"kind":"unknown","id":"(\w+)"/gu)];
  assert.equal(new Set(ids.map(([, id]) => id)).size, 2);
});
