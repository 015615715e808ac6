// Errors of application code: who catches them, what a handler finds, and what goes on behind it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL, balance int NOT NULL, note text);
CREATE TABLE log (id serial PRIMARY KEY, account int, amount int NOT NULL);
`;

const START = `import { Pool } from "pg";
import { send } from "mail";
import { decrypt } from "lib";
const pool = new Pool();
const add = (n) => pool.query("UPDATE accounts SET balance = balance + $1 WHERE id = 1", [n]);
const note = (n) => pool.query("INSERT INTO log (amount) VALUES ($1)", [n]);
`;

/** The value of the function `f` of a module, and what was lost. */
async function check(text: string, expected: readonly string[]): Promise<void> {
  const found = await transactionsOf(DDL, { "a.ts": START + text });
  assert.deepEqual(printed(found.filter(({ name }) => name === "f")), expected);
}

describe("errors of the code", () => {
  it("lead past what a finally does, which is said where it does something", async () => {
    const reasons = async (body: string): Promise<readonly string[]> => {
      const text = `${START}export async function f(n) { ${body} }`;
      const found = await transactionsOf(DDL, { "a.ts": text });
      return found.flatMap(({ taint }) => taint.map(({ reason }) => reason));
    };
    const said = ["statements of a finally are not followed"];
    assert.deepEqual(
      await reasons(
        `try { if (n < 0) throw new Error("no"); await add(n); } finally { await note(n); }`,
      ),
      said,
    );
    assert.deepEqual(
      await reasons("try { if (n < 0) return; await add(n); } finally { await note(n); }"),
      said,
    );
    assert.deepEqual(await reasons("try { await add(n); } finally { await note(n); }"), []);
    assert.deepEqual(
      await reasons("try { if (n < 0) return; await add(n); } finally { send(n); }"),
      [],
    );
  });

  it("are caught where the function that catches them goes on", () =>
    check(
      `
function parse(text) { try { return { ok: true, value: JSON.parse(text) }; } catch (e) { return { ok: false }; } }
export async function f(text, n) {
  const p = parse(text);
  if (!p.ok) return "bad";
  await add(n);
}`,
      [
        "f autocommit",
        "  if (:JSON.parse() fails = true)",
        "    @return1 := 2",
        "  else",
        "    @return1 := 1",
        "  if not (@return1 == 1)",
        '    return "bad"',
        "  update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)",
      ],
    ));

  it("undo nothing of the caller's where a callee catches them", () =>
    check(
      `
function config(key) { if (key === 0) throw new Error("Missing key"); return key; }
function resolve(key) { try { return config(key); } catch (e) { return 9; } }
export async function f(key) {
  await note(1);
  const t = resolve(key);
  await add(t);
}`,
      [
        "f unit",
        "  insert log {id = fresh sequence, account = null, amount = 1}",
        "  if (:key = 0)",
        "    @returned2 := 9",
        "  else",
        "    @returned2 := :key",
        "  update accounts set balance = (accounts.balance + @returned2) where (accounts.id = 1)",
      ],
    ));

  it("that a callee swallows do not run the handler of its caller", () =>
    check(
      `
async function record(n) { try { await note(n); } catch (e) { console.error(e); } }
export async function f(n) {
  try { await add(n); await record(n); } catch (e) { await note(0); }
}`,
      [
        "f unit",
        "  try",
        "    update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)",
        "    try",
        "      insert log {id = fresh sequence, account = null, amount = :n}",
        "    handler",
        "  handler",
        "    insert log {id = fresh sequence, account = null, amount = 0}",
      ],
    ));

  it("of unknown functions run the handler", () =>
    check(
      `export async function f(n) { try { await send(n); await decrypt(n); } catch (e) { await note(n); } await add(n); }`,
      [
        "f unit",
        "  if (:send() fails = true)",
        "    insert log {id = fresh sequence, account = null, amount = :n}",
        "  update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)",
      ],
    ));

  it("of several places run one handler", () =>
    check(
      `export async function f(n) { try { await send(n); if (n > 3) throw new Error("x"); } catch (e) { await note(n); } }`,
      [
        "f autocommit",
        "  @thrown1 := false",
        "  if (:send() fails = true)",
        "    @thrown1 := true",
        "  else",
        "    if (:n > 3)",
        "      @thrown1 := true",
        "  if @thrown1",
        "    insert log {id = fresh sequence, account = null, amount = :n}",
      ],
    ));

  it("find what was assigned before them", () =>
    check(
      `export async function f(id, name) {
  let made = id;
  try {
    await add(1);
    made = 7;
    await add(2);
    made = 8;
    await send(name);
  } catch (e) { await note(made); }
}`,
      [
        "f unit",
        "  @reached1 := 0",
        "  try",
        "    update accounts set balance = (accounts.balance + 1) where (accounts.id = 1)",
        "    @reached1 := 1",
        "    update accounts set balance = (accounts.balance + 2) where (accounts.id = 1)",
        "    @reached1 := 2",
        "    if (:send() fails = true)",
        "      rollback",
        "  handler",
        "    insert log {id = fresh sequence, account = null, amount = ((@reached1 = 2) ? 8 : ((@reached1 = 1) ? 7 : :id))}",
      ],
    ));

  it("find the connection that was opened before them", () =>
    check(
      `export async function f(n) {
  let client;
  try {
    client = await pool.connect();
    await client.query("BEGIN");
    await client.query("UPDATE accounts SET balance = balance + $1 WHERE id = 1", [n]);
    await client.query("COMMIT");
  } catch (e) {
    await client.query("ROLLBACK");
    await client.query("INSERT INTO log (amount) VALUES ($1)", [n]);
    throw e;
  } finally { client.release(); }
}`,
      [
        "f unit",
        "  try",
        "    atomic",
        "      update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)",
        "  handler",
        "    insert log {id = fresh sequence, account = null, amount = :n}",
        "    rollback",
      ],
    ));

  it("of statements let the function around go on where they are caught", () =>
    check(
      `const make = async (id) => {
  try { await pool.query("INSERT INTO accounts (id, owner, balance) VALUES ($1, 'x', 0)", [id]); return 1; }
  catch (e) { return 2; }
};
export async function f(id) { const made = await make(id); await add(made); }`,
      [
        "f unit",
        "  try",
        '    insert accounts {id = :id, owner = "x", balance = 0, note = null}',
        "    @returned1 := 1",
        "  handler",
        "    @returned1 := 2",
        "  update accounts set balance = (accounts.balance + @returned1) where (accounts.id = 1)",
      ],
    ));

  it("let the loop around go on with its next round", () =>
    check(
      `export async function f(ids) {
  for (const id of ids) {
    try { await note(id); await add(id); } catch (e) { if (send(e)) continue; throw e; }
    await add(1);
  }
  await add(99);
}`,
      [
        "f unit",
        "  loop count",
        "    try",
        "      insert log {id = fresh sequence, account = null, amount = :ids[@i1]}",
        "      update accounts set balance = (accounts.balance + :ids[@i1]) where (accounts.id = 1)",
        "    handler",
        "      if (not (:send()[@i1] is null) and :send()[@i1])",
        "        continue",
        "      rollback",
        "    update accounts set balance = (accounts.balance + 1) where (accounts.id = 1)",
        "  update accounts set balance = (accounts.balance + 99) where (accounts.id = 1)",
      ],
    ));

  it("end the loop around where the handler does", () =>
    check(
      `export async function f(ids) {
  for (const id of ids) { try { await note(id); } catch (e) { break; } await add(1); }
  await add(99);
}`,
      [
        "f unit",
        "  loop count",
        "    try",
        "      insert log {id = fresh sequence, account = null, amount = :ids[@i1]}",
        "    handler",
        "      exit",
        "    update accounts set balance = (accounts.balance + 1) where (accounts.id = 1)",
        "  update accounts set balance = (accounts.balance + 99) where (accounts.id = 1)",
      ],
    ));

  it("of handlers in handlers are followed to some depth", async () => {
    const nested = (depth: number): string =>
      depth === 0 ? "await note(1);" : `try { await send(1); } catch (e) { ${nested(depth - 1)} }`;
    const found = await transactionsOf(DDL, {
      "a.ts": `${START} export async function f() { ${nested(12)} }`,
    });
    const f = found.find(({ name }) => name === "f");
    assert.match(JSON.stringify(f?.body), /"kind":"insert"/u);
  });
});

describe("what a module decides when it is loaded", () => {
  it("is an input of its functions, and none of their own variables", () =>
    check(
      `function env(name) { if (mode() === "x") return 3; if (decrypt(name) > 3) return 9; return 4; }
const LIMIT = env("LIMIT");
function pick(n) { if (n > 3) return 1; return 2; }
export async function f(n) { await note(pick(n) + LIMIT); }`,
      [
        "f autocommit",
        "  if (:n > 3)",
        "    @returned1 := 1",
        "  else",
        "    @returned1 := 2",
        "  insert log {id = fresh sequence, account = null, amount = (@returned1 + :env() of a.ts LIMIT)}",
      ],
    ));
});

const MAKE = `async function make(n) { if (n < 0) throw new Error("bad"); await note(n); return n; }
`;

describe("the errors of a promise", () => {
  it("go no further than its catch(), where the work goes on", () =>
    check(
      `${MAKE}export async function f(n) {
  await make(n).catch((error) => { console.error(error); });
  await add(n);
}`,
      [
        "f unit",
        "  try",
        "    if (:n < 0)",
        "      rollback",
        "    insert log {id = fresh sequence, account = null, amount = :n}",
        "  handler",
        "  update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)",
      ],
    ));

  it("give what the function that is given to catch() gives", () =>
    check(
      `${MAKE}export async function f(n) {
  const made = await make(n).catch(() => null);
  if (made === null) return;
  await add(made);
}`,
      [
        "f unit",
        "  try",
        "    if (:n < 0)",
        "      rollback",
        "    insert log {id = fresh sequence, account = null, amount = :n}",
        "    @v1 := :n",
        "  handler",
        "    @v1 := null",
        "  if (@v1 is null)",
        "    return",
        "  update accounts set balance = (accounts.balance + @v1) where (accounts.id = 1)",
      ],
    ));

  it("are no more than errors where catch() throws them again", () =>
    check(
      `export async function f(n) {
  await send(n).catch((error) => { console.error(error); throw error; });
  await add(n);
}`,
      [
        "f autocommit",
        "  update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)",
      ],
    ));

  it("run the statements of catch() where something unknown fails", () =>
    check(`export async function f(n) { await send(n).catch(() => note(3)); await add(n); }`, [
      "f unit",
      "  if (:send() fails = true)",
      "    insert log {id = fresh sequence, account = null, amount = 3}",
      "  update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)",
    ]));
});

const MADE = [
  "  @rejected1 := false",
  "  try",
  "    if (:n < 0)",
  "      rollback",
  "    insert log {id = fresh sequence, account = null, amount = :n}",
  "  handler",
  "    @rejected1 := true",
];
const ADDED = "  update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)";

describe("a promise that is not awaited at once", () => {
  it("ends nothing where nobody awaits it, and enters no handler around", async () => {
    const unawaited = ["f unit", "  try", ...MADE.slice(2, 5), "  handler", ADDED];
    await check(`${MAKE}export async function f(n) { make(n); await add(n); }`, unawaited);
    await check(`${MAKE}export async function f(n) { void make(n); await add(n); }`, unawaited);
    await check(`${MAKE}export async function f(n) { later(make(n)); await add(n); }`, unawaited);
  });

  it("throws where it is awaited", () =>
    check(
      `${MAKE}export async function f(n) { const p = make(n); await add(n); await p; await note(2); }`,
      [
        "f unit",
        ...MADE,
        ADDED,
        "  if @rejected1",
        "    rollback",
        "  insert log {id = fresh sequence, account = null, amount = 2}",
      ],
    ));

  it("is as one that is awaited where nothing runs meanwhile", () =>
    check(`${MAKE}export async function f(n) { const p = make(n); await p; await add(n); }`, [
      "f unit",
      "  if (:n < 0)",
      "    rollback",
      "  insert log {id = fresh sequence, account = null, amount = :n}",
      ADDED,
    ]));

  it("throws into the handler that stands around the await", () =>
    check(
      `${MAKE}export async function f(n) {
  const p = make(n);
  await add(n);
  try { await p; } catch (e) { await note(9); }
}`,
      [
        "f unit",
        ...MADE,
        ADDED,
        "  if @rejected1",
        "    insert log {id = fresh sequence, account = null, amount = 9}",
      ],
    ));

  it("throws where the list that it was put into is awaited", () =>
    check(
      `${MAKE}export async function f(n) { const all = []; all.push(make(n)); all.push(make(2)); await Promise.all(all); await add(n); }`,
      [
        "f unit",
        ...MADE,
        "  insert log {id = fresh sequence, account = null, amount = 2}",
        "  if @rejected1",
        "    rollback",
        ADDED,
      ],
    ));

  it("is settled in a list that was put aside", () =>
    check(
      `${MAKE}export async function f(n) { const all = [make(n), make(2)]; await Promise.allSettled(all); await add(n); }`,
      [
        "f unit",
        "  try",
        ...MADE.slice(2, 5),
        "  handler",
        "  try",
        "    insert log {id = fresh sequence, account = null, amount = 2}",
        "  handler",
        ADDED,
      ],
    ));

  it("gives its error to a function that awaits it in a try", () =>
    check(
      `${MAKE}async function tryCatch(promise) {
  try { const data = await promise; return { data, error: null }; } catch (error) { return { data: null, error }; }
}
export async function f(n) {
  const { error } = await tryCatch(make(n));
  if (error) { await note(5); return; }
  await add(n);
}`,
      [
        "f unit",
        ...MADE,
        "  if @rejected1",
        "    @return3 := 2",
        "  else",
        "    @return3 := 1",
        "  if ((@return3 = 1) ? false : true)",
        "    insert log {id = fresh sequence, account = null, amount = 5}",
        "    return",
        ADDED,
      ],
    ));

  it("of a statement alone gives what the database refuses", () =>
    check(
      `const to = (promise) => promise.then((data) => [null, data]).catch((error) => [error, undefined]);
async function open(id) { await pool.query("INSERT INTO accounts (id, owner, balance) VALUES ($1, 'x', 0)", [id]); }
export async function f(n) { const [error] = await to(open(n)); if (error) return; await add(n); }`,
      [
        "f unit",
        "  @rejected1 := false",
        "  try",
        '    insert accounts {id = :n, owner = "x", balance = 0, note = null}',
        "  handler",
        "    @rejected1 := true",
        "  @caught1 := false",
        "  if @rejected1",
        "    @caught1 := true",
        "  if @caught1",
        "    return",
        ADDED,
      ],
    ));
});
