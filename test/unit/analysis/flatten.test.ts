// The flat form of small scripts, rendered: guards, keys, split joins and subqueries, losses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import type {
  FlatTransaction,
  Operation,
  Term,
} from "../../../server/src/analysis/operations/operation";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../server/src/protocol/source";

const TABLES = `
CREATE TABLE customer (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE orders (id serial PRIMARY KEY, customer integer NOT NULL REFERENCES customer (id), total integer NOT NULL);
CREATE TABLE item (ord integer, n integer, qty integer NOT NULL, PRIMARY KEY (ord, n));
CREATE TABLE note (what text);
CREATE TABLE hits (name text PRIMARY KEY, n integer NOT NULL);
`;

function flatten(body: string): FlatTransaction {
  // Any name will do for the only file.
  const file = { file: "test.sql" as FileId, text: `${TABLES}BEGIN;\n${body}\nCOMMIT;\n` };
  const [transaction] = flattenProgram(readProgram([file], {}), { unroll: 1 }).transactions;
  assert.ok(transaction);
  return transaction;
}

function check(name: string, body: string, expected: readonly string[]): void {
  test(name, () => {
    assert.deepEqual(flatten(body).operations.map(renderOperation), expected);
  });
}

function renderOperation(operation: Operation): string {
  const { kind, table, pick, key, where, guard, set, aggregate, lock } = operation;
  const pairs = (terms: Readonly<Record<string, Term>>): string =>
    Object.entries(terms)
      .map(([column, term]) => `${column}=${render(term)}`)
      .join(",");
  return [
    `${kind} ${table} ${pick}(${pairs(key)})`,
    ...(render(where) === "true" ? [] : [`where ${render(where)}`]),
    ...(render(guard) === "true" ? [] : [`if ${render(guard)}`]),
    ...(Object.keys(set).length === 0 ? [] : [`set ${pairs(set)}`]),
    ...(aggregate ? [`${aggregate.function}`] : []),
    ...(lock === "none" ? [] : [lock]),
  ].join(" ");
}

function render(term: Term): string {
  switch (term.kind) {
    case "int":
    case "bool":
      return String(term.value);
    case "null":
      return "null";
    case "parameter":
      return `:${term.name}`;
    case "output":
      return `#${String(term.operation)}.${term.name}`;
    case "found":
    case "count":
      return `${term.kind}#${String(term.operation)}`;
    case "column":
      return term.column;
    case "compare":
      return `${render(term.left)}${term.operator}${render(term.right)}`;
    case "and":
    case "or":
      return `(${term.operands.map(render).join(` ${term.kind} `)})`;
    case "not":
    case "isNull":
    case "negate":
      return `${term.kind}(${render(term.operand)})`;
    case "conditional":
      return `(${render(term.condition)} ? ${render(term.then)} : ${render(term.otherwise)})`;
    case "unknown":
      return "?";
    case "failed":
      return `failed(${String(term.operation)}, ${term.code})`;
    case "over":
      return `${term.function}#${String(term.operation)}(${render(term.where)}: ${render(term.value)})`;
    case "joined":
      return `@${String(term.operation)}.${term.name}`;
    case "apply":
      return `${term.name}(${term.arguments.map(render).join(", ")})`;
    default:
      return `${term.kind}(${render(term.left)}, ${render(term.right)})`;
  }
}

check(
  "an implicit read stays in the update",
  "UPDATE orders SET total = total + :n WHERE id = :id;",
  ["update orders point(id=:id) set total=add(total, :n)"],
);

check(
  "a branch becomes a guard, which NULL does not satisfy",
  "SELECT total FROM orders WHERE id = :id \\gset\n\\if :total > 0\nDELETE FROM orders WHERE id = :id;\n\\else\nDELETE FROM item WHERE ord = :id;\n\\endif",
  [
    "read orders point(id=:id)",
    "delete orders point(id=:id) if (0<#0.total ? true : false)",
    "delete item all(ord=:id) if not((0<#0.total ? true : false))",
  ],
);

check(
  "a join reads one relation after the other, as keys are bound",
  "SELECT c.name FROM customer c JOIN orders o ON o.customer = c.id WHERE o.id = :id;",
  ["read orders point(id=:id)", "read customer point(id=#0.customer) if found#0"],
);

check(
  "a subquery is read in the same statement",
  "UPDATE orders SET total = (SELECT coalesce(sum(qty), 0) FROM item WHERE ord = :id) WHERE id = :id;",
  [
    "read item all(ord=:id) where not(isNull(qty)) sum",
    "update orders point(id=:id) set total=(isNull(#0.sum) ? 0 : #0.sum)",
  ],
);

check(
  "the greatest value is the first row by it",
  "SELECT max(n) AS n FROM item WHERE ord = :id;",
  ["read item first(ord=:id) where not(isNull(n))"],
);

check("a row without a key gets one that nobody sees", "INSERT INTO note (what) VALUES ('a');", [
  "insert note point(#row=:#note.#row:1) set #row=:#note.#row:1,what=1000000",
]);

check("locks are kept", "SELECT total FROM orders WHERE total > 5 FOR UPDATE;", [
  "read orders some() where 5<total update",
  "read orders all() where 5<total update",
]);

check(
  "aggregates lock what they range over",
  "SELECT count(*) FROM orders WHERE total > 5 FOR UPDATE;",
  ["read orders all() where 5<total count update"],
);

test("a rollback ends the transaction and undoes it", () => {
  const flat = flatten("DELETE FROM note;\nROLLBACK;");
  assert.equal(render(flat.aborts), "true");
});

test("an upsert has values for a new row and for one that exists", () => {
  const [operation] = flatten(
    "INSERT INTO hits (name, n) VALUES (:name, 1) ON CONFLICT (name) DO UPDATE SET n = hits.n + excluded.n;",
  ).operations;
  assert.equal(operation?.onDuplicate, "update");
  assert.equal(render(operation.set["n"] ?? { kind: "null" }), "1");
  assert.equal(render(operation.update?.["n"] ?? { kind: "null" }), "add(n, 1)");
});

test("what is left open is a function of its values, and said", () => {
  const flat = flatten("SELECT id FROM customer WHERE name LIKE 'A%';");
  assert.deepEqual(flat.operations.map(renderOperation), [
    "read customer some() where LIKE(name, 1000000)",
    "read customer all() where LIKE(name, 1000000)",
  ]);
  assert.deepEqual(flat.guesses, ["LIKE is decided by any answer"]);
  assert.deepEqual(flat.losses, []);
});

check(
  "an aggregate over a join ranges over the relation that it mentions, one row each of the others",
  "SELECT coalesce(sum(o.total), 0) AS owed FROM orders o JOIN customer c ON c.id = o.customer WHERE c.id = :id;",
  [
    "read customer point(id=:id)",
    "read orders all() where (#0.id=customer and not(isNull(total))) if found#0 sum",
  ],
);

check(
  "an outer-joined relation that is added up is no condition on the other",
  "SELECT c.name, coalesce(sum(o.total), 0) AS owed FROM customer c LEFT JOIN orders o ON o.customer = c.id WHERE c.id = :id GROUP BY c.id, c.name;",
  [
    "read customer point(id=:id)",
    "read orders all() where (customer=#0.id and not(isNull(total))) if found#0 sum",
  ],
);

check(
  "HAVING on what is grouped by chooses rows",
  "SELECT count(*) AS n FROM orders GROUP BY customer HAVING customer = :id AND count(*) > 1;",
  ["read orders all() where customer=:id count"],
);

check(
  "one group stands for those that nothing chooses",
  "SELECT customer, count(*) AS n FROM orders GROUP BY customer;",
  ["read orders some()", "read orders all() where customer=#0.customer count"],
);

test("a union has a row if one of its queries has", () => {
  const flat = flatten(
    "SELECT 1 FROM orders WHERE id = :id UNION ALL SELECT 1 FROM item WHERE ord = :id \\gset x\n",
  );
  assert.deepEqual(flat.operations.map(renderOperation), [
    "read orders point(id=:id)",
    "read item some(ord=:id)",
  ]);
});

const TRIGGERED = `
CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
CREATE TABLE entry (id serial PRIMARY KEY, account integer NOT NULL, amount integer NOT NULL);
CREATE FUNCTION apply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account; RETURN NEW; END $$;
CREATE TRIGGER applies AFTER INSERT ON entry FOR EACH ROW EXECUTE FUNCTION apply();
`;

test("a trigger fires at each of the rows that one statement inserts, and at no other", async () => {
  const body = "INSERT INTO entry (account, amount) VALUES (:a, -5), (:b, 5);";
  // Any name will do for the only file.
  const file = { file: "test.sql" as FileId, text: `${TRIGGERED}BEGIN;\n${body}\nCOMMIT;\n` };
  const program = readProgram([file], { pg: await loadPgParser() });
  const [flat] = flattenProgram(program, { unroll: 1 }).transactions;
  assert.ok(flat);
  const updates = flat.operations.filter(({ kind }) => kind === "update");
  assert.equal(updates.length, 2);
  assert.match(render(updates[1]?.key["id"] ?? { kind: "null" }), /#1\.row\.account/);
  assert.equal(flat.uncovered, undefined);
});
