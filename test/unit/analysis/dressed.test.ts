// Names for texts that a model made up: such as their columns take.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { dressings, withReadableValues } from "../../../server/src/analysis/search/readableValues";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import type { Row, Value, Witness } from "../../../server/src/protocol/witness";
import { sql } from "../truth/analyse";

const LEVEL = PRODUCT_LEVELS[0];
assert.ok(LEVEL);
const parsers = loadPgParser().then((pg) => ({ pg }));

/** The arguments of T1 and the rows of t under each of the proposed names. */
async function named(
  text: string,
  given: Readonly<Record<string, Value>>,
  rows: readonly Row[],
): Promise<readonly { readonly arguments: Row; readonly rows: readonly Row[] }[]> {
  const program = readProgram([sql(text)], await parsers);
  const [transaction] = program.transactions;
  assert.ok(transaction);
  const instances = [{ instance: "T1", transaction: transaction.id, arguments: given }];
  const flat = flattenProgram(program, { unroll: 1 });
  return dressings(program, flat, { instances, initial: { t: rows } }).map((setup) => ({
    arguments: setup.instances[0]?.arguments ?? {},
    rows: setup.initial.t ?? [],
  }));
}

const STATES = "CREATE TYPE state AS ENUM ('new', 'open', 'closed');";
const uuid = (at: number): string => `00000000-0000-4000-8000-00000000000${String(at)}`;

test("equal uuids stay equal, and arguments are named as what they meet", async () => {
  const text = `CREATE TABLE t (id uuid PRIMARY KEY, owner uuid, note text);
-- @transaction a
UPDATE t SET note = :note WHERE id = :id AND owner = :who;`;
  assert.deepEqual(
    await named(text, { note: "a", id: "v0", who: "b" }, [{ id: "v0", owner: "a", note: "v0" }]),
    [
      {
        arguments: { note: "a", id: uuid(3), who: uuid(2) },
        rows: [{ id: uuid(3), owner: uuid(1), note: "v0" }],
      },
    ],
  );
});

test("labels that the program does not mention come first, and those that it does keep their meaning", async () => {
  const text = `${STATES}
ALTER TYPE state ADD VALUE 'gone';
CREATE TABLE t (id int PRIMARY KEY, s state NOT NULL);
-- @transaction a
UPDATE t SET s = :s WHERE id = :id AND s = 'new';`;
  const rows = [
    { id: 1, s: "a" },
    { id: 2, s: "new" },
    { id: 3, s: "c" },
  ];
  assert.deepEqual(await named(text, { id: 1, s: "b" }, rows), [
    {
      arguments: { id: 1, s: "closed" },
      rows: [
        { id: 1, s: "open" },
        { id: 2, s: "new" },
        { id: 3, s: "gone" },
      ],
    },
  ]);
});

test("what only has to be another text is the default of its column, where no argument is written there", async () => {
  const text = `CREATE TABLE t (id int PRIMARY KEY, s text NOT NULL DEFAULT 'free', note text DEFAULT 'none');
-- @transaction a
UPDATE t SET s = 'sold', note = :note WHERE id = :id AND s <> 'sold';`;
  const rows = [
    { id: 1, s: "x", note: "sold" },
    { id: 2, s: "sold", note: "none" },
  ];
  const [first, second] = await named(text, { id: 1, note: "sold" }, rows);
  assert.deepEqual(first?.rows, [
    { id: 1, s: "free", note: "a" },
    { id: 2, s: "sold", note: "none" },
  ]);
  assert.deepEqual(second?.rows[0], { id: 1, s: "x", note: "a" });
});

test("a default that the transactions mean is not taken for any text", async () => {
  const text = `CREATE TABLE t (id int PRIMARY KEY, s text NOT NULL DEFAULT 'free');
-- @transaction a
UPDATE t SET s = 'sold' WHERE id = :id AND s = 'free';`;
  assert.deepEqual(await named(text, { id: 1 }, [{ id: 1, s: "x" }]), []);
});

test("where labels run out, names without them are proposed as well", async () => {
  const text = `CREATE TYPE two AS ENUM ('on', 'off');
CREATE TABLE t (id uuid PRIMARY KEY, s two);
-- @transaction a
UPDATE t SET s = 'on' WHERE id = :id AND s = 'off';`;
  const rows = [
    { id: "a", s: "x" },
    { id: "b", s: "y" },
    { id: "c", s: "z" },
  ];
  assert.deepEqual(
    (await named(text, { id: "a" }, rows)).map((each) => each.rows.map(({ s }) => s)),
    [
      ["on", "off", "off"],
      ["x", "y", "z"],
    ],
  );
});

test("types as definitions change them, domains, and texts that are too long", async () => {
  const text = `${STATES}
CREATE DOMAIN key AS uuid;
CREATE TABLE t (id key PRIMARY KEY, s text, c char(1), at time, ip inet, wait interval, mac macaddr);
ALTER TABLE t ALTER COLUMN s TYPE state USING s::state;
ALTER TYPE state RENAME VALUE 'new' TO 'fresh';
-- @transaction a
DELETE FROM t WHERE c = :c;`;
  const row = { id: "a", s: "a", c: "v0", at: "2025-01-01", ip: "a", wait: "a", mac: "a" };
  assert.deepEqual(await named(text, { c: "v0" }, [row]), [
    {
      arguments: { c: "b" },
      rows: [
        {
          id: uuid(1),
          s: "fresh",
          c: "b",
          at: "00:00:01",
          ip: "10.0.0.1",
          wait: "1 days",
          mac: "02:00:00:00:00:01",
        },
      ],
    },
    {
      arguments: { c: "b" },
      rows: [
        {
          id: uuid(1),
          s: "a",
          c: "b",
          at: "00:00:01",
          ip: "10.0.0.1",
          wait: "1 days",
          mac: "02:00:00:00:00:01",
        },
      ],
    },
  ]);
});

test("what columns take already keeps its name", async () => {
  const text = `${STATES} CREATE TABLE t (id int PRIMARY KEY, s state, c char(3));
-- @transaction a
DELETE FROM t WHERE s = :s;`;
  assert.deepEqual(await named(text, { s: "open" }, [{ id: 1, s: "closed", c: "v0" }]), []);
});

test("what the program says keeps its name where it is meant, and dates and documents look so", async () => {
  const text = `CREATE TABLE t (id text PRIMARY KEY, role text, seen date, doc jsonb);
-- @transaction a
SELECT role FROM t WHERE id = :id \\gset
\\if :role = 'OWNER'
  UPDATE t SET seen = :seen WHERE id = :id AND role = 'OWNER';
\\endif`;
  const rows = [{ id: "OWNER", role: "OWNER", seen: "OWNER", doc: "OWNER" }];
  assert.deepEqual(await named(text, { id: "OWNER", seen: "a" }, rows), [
    {
      arguments: { id: "b", seen: "2025-01-02" },
      rows: [{ id: "b", role: "OWNER", seen: "2025-01-01", doc: '{"v": 1}' }],
    },
    {
      arguments: { id: "OWNER", seen: "2025-01-02" },
      rows: [{ id: "OWNER", role: "OWNER", seen: "2025-01-01", doc: '{"v": 1}' }],
    },
  ]);
});

test("where a text has a meaning that nobody sees, all others are replaced", async () => {
  const text = `CREATE TABLE t (id text PRIMARY KEY, name text, role text);
-- @transaction a
UPDATE t SET name = :name WHERE id = :id AND role = 'OWNER';`;
  const program = readProgram([sql(text)], await parsers);
  const [transaction] = program.transactions;
  assert.ok(transaction);
  const given = { id: "OWNER", name: "v0" };
  const witness = {
    instances: [{ instance: "T1", transaction: transaction.id, arguments: given }],
    initial: { t: [{ id: "OWNER", name: "fails: no", role: "OWNER" }] },
    schedule: [],
    outcome: { status: {}, final: {}, returned: {} },
  };
  const confirmationOf = ({ instances, initial }: Pick<Witness, "instances" | "initial">) => ({
    status:
      instances[0]?.arguments.id === "OWNER" ? ("confirmed" as const) : ("unconfirmed" as const),
    severity: "state" as const,
    cycle: [],
    serial: [],
    witness: { ...witness, instances, initial },
  });
  const flat = flattenProgram(program, { unroll: 1 });
  const found = withReadableValues(
    { confirmation: confirmationOf(witness), tables: ["t"], allowedAt: [], preventedBy: [] },
    { program, levels: LEVEL, judge: (_, __, plan) => confirmationOf(plan) },
    { ...flat, interned: [...flat.interned, "fails: no"] },
  );
  assert.deepEqual(found.confirmation.witness.initial, {
    t: [{ id: "OWNER", name: "b", role: "OWNER" }],
  });
});
