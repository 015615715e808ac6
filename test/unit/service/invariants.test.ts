// Invariants of small programs: who breaks them, which contradict each other, which counters are kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { counterCandidates } from "../../../server/src/analysis/assumptions/counters";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { runJob } from "../../../server/src/engine/runJob";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../server/src/protocol/source";
import { settleInvariants } from "../../../server/src/service/invariants";

const parsers = loadPgParser().then((pg) => ({ pg }));
const solvers = openZ3();

interface Expected {
  /** Texts of what is assumed. */
  readonly assumed: readonly string[];
  /** "line: message" of every note, from the first line of the text on. */
  readonly notes?: readonly RegExp[];
}

async function check(text: string, { assumed, notes = [] }: Expected): Promise<void> {
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  const candidates = counterCandidates(flattenProgram(program, { unroll: 1 }));
  const factory = await solvers;
  const settled = await settleInvariants(program, candidates, (job) =>
    Promise.resolve(runJob(factory, job, () => false)[0]?.invariants),
  );
  assert.deepEqual(
    settled.invariants.map((each) => each.text),
    assumed,
    text,
  );
  const told = settled.notes.map(
    ({ message, source }) => `${String(source.range.start.line)}: ${message}`,
  );
  assert.equal(told.length, notes.length, told.join("\n"));
  notes.forEach((note, at) => {
    assert.match(told[at] ?? "", note);
  });
}

const ACCOUNT = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n";

/** A routine `name(a int, b int)`, on one line. */
function routine(name: string, body: string): string {
  return `CREATE FUNCTION ${name}(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN ${body} END $$;\n`;
}

test("a transaction that breaks an invariant is shown by a run of it", async () => {
  const invariant = "account.balance >= 0";
  const text = `${ACCOUNT}-- @isolens invariant ${invariant}\n`;
  await check(text + routine("take", "UPDATE account SET balance = balance - a WHERE id = b;"), {
    assumed: [invariant],
    notes: [
      /^2: take can break the invariant "account.balance >= 0": with .*, starting from account \(id \S+, balance \d+\), it ends with account \(id \S+, balance -\d+\)\.$/,
    ],
  });
  await check(
    text +
      routine("take", "UPDATE account SET balance = balance - a WHERE id = b AND balance >= a;") +
      routine("set", "IF a > 0 THEN UPDATE account SET balance = a; END IF;"),
    { assumed: [invariant] },
  );
  await check(
    text +
      "-- @isolens invariant a >= 0\n" +
      routine("put", "INSERT INTO account VALUES (b, a);") +
      routine("insert", "INSERT INTO account VALUES (b, a);"),
    { assumed: [invariant], notes: [/^4: insert can break/] },
  );
});

const ORDERS = `CREATE TABLE customer (id int PRIMARY KEY, credit int NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, c_id int NOT NULL, total int NOT NULL);
`;

test("invariants over several tables, and rows that must be there", async () => {
  const known = "exists (select 1 from customer c where c.id = orders.c_id)";
  const within = "orders.total <= customer.credit where orders.c_id = customer.id";
  const text = `${ORDERS}-- @isolens invariant ${known}\n-- @isolens invariant ${within}\n`;
  await check(
    text +
      routine("remove", "DELETE FROM customer WHERE id = a;") +
      routine("cancel", "DELETE FROM orders WHERE id = a;") +
      routine("lower", "UPDATE customer SET credit = credit - b WHERE id = a;"),
    { assumed: [known, within], notes: [/^4: remove can break .*exists/, /^6: lower can break/] },
  );
  await check(
    text +
      routine(
        "add",
        "SELECT credit INTO v FROM customer WHERE id = a; IF v >= 10 THEN INSERT INTO orders VALUES (b, a, 10); END IF;",
      ) +
      routine(
        "remove",
        "IF NOT EXISTS (SELECT 1 FROM orders WHERE c_id = a) THEN DELETE FROM customer WHERE id = a; END IF;",
      ),
    { assumed: [known, within] },
  );
});

test("conditions that no arguments satisfy are refused", async () => {
  const keep =
    "SELECT balance INTO v FROM account WHERE id = a; UPDATE account SET balance = v WHERE id = b;";
  const cases: readonly (readonly [string, RegExp])[] = [
    [
      "-- @isolens distinct a, b\n-- @isolens invariant a = b",
      /^3: No arguments of f satisfy "a <> b" and "a = b"/,
    ],
    [
      "-- @isolens invariant a > 5 and a < 3\n-- @isolens invariant b > 0",
      /^3: .* "a > 5 and a < 3": /,
    ],
    ["-- @isolens distinct a, a\n", /^3: .* "a <> a"/],
  ];
  for (const [said, note] of cases)
    await check(`${ACCOUNT}${said}\n${routine("f", keep)}`, { assumed: [], notes: [note] });
  const fine = "-- @isolens distinct a, b\n-- @isolens invariant a > b";
  await check(`${ACCOUNT}${fine}\n${routine("f", keep)}`, { assumed: [] });
});

test("contradictory invariants are refused by name", async () => {
  await check(
    `${ACCOUNT}-- @isolens invariant account.balance > 5
-- @isolens invariant account.id > 0
-- @isolens invariant account.balance < 5
${routine("look", "SELECT balance INTO v FROM account WHERE id = a;")}`,
    {
      assumed: ["account.id > 0"],
      notes: [
        /^1: No rows satisfy "account.balance > 5" and "account.balance < 5": these invariants are not used\.$/,
        /^3: /,
      ],
    },
  );
  await check(
    `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 10));
-- @isolens invariant account.balance < 5
`,
    { assumed: [], notes: [/^1: No rows satisfy .* beside the CHECKs of the schema/] },
  );
});

const COUNTER = `CREATE TABLE district (id int PRIMARY KEY, next int NOT NULL);
CREATE TABLE orders (d_id int, id int, PRIMARY KEY (d_id, id));
${routine(
  "add",
  "UPDATE district SET next = next + 1 WHERE id = a RETURNING next INTO v; INSERT INTO orders VALUES (a, v);",
)}`;

test("a counter is assumed while every transaction keeps it", async () => {
  const atMost = "orders.id <= district.next where orders.d_id = district.id";
  await check(COUNTER, { assumed: [atMost] });
  const harmless = [
    routine("skip", "UPDATE district SET next = next + 5 WHERE id = a;"),
    routine("remove", "DELETE FROM orders WHERE d_id = a;"),
    routine("close", "DELETE FROM district WHERE id = a;"),
  ];
  await check(COUNTER + harmless.join(""), { assumed: [atMost] });
  for (const breaking of [
    routine("reset", "UPDATE district SET next = 1 WHERE id = a;"),
    routine("open", "INSERT INTO district VALUES (a, 1);"),
    routine("import", "INSERT INTO orders VALUES (a, b);"),
    routine("move", "UPDATE orders SET id = id + 1 WHERE d_id = a;"),
  ])
    await check(COUNTER + breaking, { assumed: [] });
});
