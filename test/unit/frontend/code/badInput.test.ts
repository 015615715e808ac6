// Texts that nobody wrote on purpose, or that nobody wrote: cut off, with tokens missing, nested without end, too large, going
// round in circles. Each gives an answer that says what was left out.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { Program } from "../../../../server/src/program/program";
import type { FileId } from "../../../../server/src/protocol/source";
import {
  createProjectReader,
  type ProjectReader,
} from "../../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../../server/src/workspace/configuration";
import { readOver } from "./codePrograms";

type Texts = Readonly<Record<string, string>>;

let reader: ProjectReader | undefined;

before(async () => {
  reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
});

function read(texts: Texts): Program {
  assert.ok(reader);
  // File ids of tests.
  const files = Object.entries(texts).map(([file, text]) => ({ file: file as FileId, text }));
  return reader.read({ files, context: [], configuration: DEFAULT_CONFIGURATION });
}

function app(folder: string, ...names: readonly string[]): Texts {
  const text = (name: string): string => readFileSync(`test/apps/${folder}/${name}`, "utf8");
  return Object.fromEntries(names.map((name) => [name, text(name)]));
}

const BROKEN: readonly { readonly others: Texts; readonly broken: Texts }[] = [
  {
    others: app("tpcc-ts", "schema.sql", "src/database.ts"),
    broken: app("tpcc-ts", "src/newOrder.ts"),
  },
  { others: app("prisma-shapes", "client.ts"), broken: app("prisma-shapes", "members.ts") },
  {
    others: app("smallbank-java", "schema.sql", "src/bank/Tables.java"),
    broken: app("smallbank-java", "src/bank/procedures/SendPayment.java"),
  },
];

/** Reads a broken file; places of what is said about it lie in it. */
function readBroken(others: Texts, file: string, text: string): void {
  const { transactions, notes } = read({ ...others, [file]: text });
  const lines = text.split(/\r?\n/u).length;
  const places = [...transactions, ...notes].map(({ source }) => source);
  for (const place of places) {
    if (place.file === file) assert.ok(place.range.end.line < lines, text);
  }
}

test("a program that ends anywhere is read", () => {
  for (const { others, broken } of BROKEN) {
    for (const [file, text] of Object.entries(broken)) {
      for (let at = 0; at < text.length; at += 50) readBroken(others, file, text.slice(0, at));
    }
  }
});

test("a program without some of its tokens is read", () => {
  for (const { others, broken } of BROKEN) {
    for (const [file, text] of Object.entries(broken)) {
      const tokens = text.split(/(\w+|\s+)/u).filter((token) => token !== "");
      // Other tokens in each round: strides without a common factor.
      for (let round = 1; round <= 12; round += 1) {
        const left = tokens.filter((_, at) => (at * 7919 + round * 31) % 97 !== 0);
        readBroken(others, file, left.join(""));
      }
    }
  }
});

const HEAD = 'import { Pool } from "pg";\nconst pool = new Pool();\n';
const update = (value: string): string =>
  `await pool.query("UPDATE t SET b = $1 WHERE a = 1", [${value}]);`;
const main = (body: string): string => `${HEAD}export async function f(x, y) { ${body} }`;
const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join("");

/** The findings are all there are, or it is said that they are not. */
function check(
  text: string,
  expected: { readonly transactions?: number; readonly said?: RegExp },
  others: Texts = {},
): void {
  const file = text.includes("import java.") ? "A.java" : "a.ts";
  const ddl = "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL);";
  const { transactions, notes } = read({ "schema.sql": ddl, [file]: text, ...others });
  const taint = transactions.flatMap((each) => each.taint);
  const said = [...notes.map(({ message }) => message), ...taint.map(({ reason }) => reason)];
  const name = text.slice(0, 150);
  if (expected.transactions !== undefined) {
    assert.equal(transactions.length, expected.transactions, name);
  }
  if (expected.said) assert.match(said.join("\n"), expected.said, name);
}

test("what is nested too deeply is said to be", () => {
  const said = /nested too deeply/u;
  check(main(update(`${"(".repeat(5000)}x${")".repeat(5000)}`)), { transactions: 1, said });
  check(main("if (x > 1) { ".repeat(500) + update("x") + " }".repeat(500)), { said });
  check(main(times(500, (at) => `if (x === ${String(at)}) y = 1; else `) + update("x")), { said });
  check(
    main(`await pool.query("DELETE FROM t WHERE a = 1"${times(3000, () => ' + " OR a = 2"')});`),
    { said },
  );
  check(
    `import java.sql.*; class A { void f(Connection c, int x) throws Exception {
      ${"if (x > 1) { ".repeat(500)}
      c.createStatement().executeUpdate("UPDATE t SET b = 1");${" }".repeat(500)} } }`,
    { said },
  );
  // Deep, but not too deep.
  check(main("for (const a of x) { ".repeat(40) + update("a") + " }".repeat(40)), {
    transactions: 1,
  });
  check(main("try { ".repeat(60) + update("x") + " } catch (e) { x = 2; }".repeat(60)), {
    transactions: 1,
  });
});

test("what is too long is said to be", () => {
  const said = /not looked at to the end|too large to be followed/u;
  check(main(`switch (x) { ${times(900, (at) => `case ${String(at)}: y = 1; break; `)} } ${update("y")}`), { said }); // prettier-ignore
  check(main(`const o = [${times(21_000, (at) => `${String(at)},`)}]; ${update("o[x]")}`), {
    said,
  });
  const cascade = times(
    60,
    (at) => `const g${String(at + 1)} = (z) => g${String(at)}(g${String(at)}(z)); `,
  );
  check(main(`const g0 = (z) => z + 1; ${cascade} ${update("g60(x)")}`), { transactions: 1 });
});

test("what could not be parsed is said", () => {
  const said = /could not be parsed/u;
  check(`${main(update("x"))}\n${"}{)(;<> ".repeat(40)}`, { said });
  check(main(update("x")).replace("export", "export export )"), { said });
  check(`${main(update("x"))}\nconst open = \`${"abc ".repeat(400_000)}`, { said });
  check(
    'import java.sql.*; class A { void f(Connection c) { c.createStatement().executeUpdate("UPDATE t SET b = 1"',
    { said },
  );
  check(main(update("x")), { transactions: 1 });
});

test("files and functions that lead back to themselves are read", () => {
  check(
    `import { b } from "./b"; export const LIMIT = b;\n${main(`${update("LIMIT")} await b(x);`)}`,
    { transactions: 1 },
    {
      "b.ts":
        'import { f, LIMIT } from "./a"; export const own = LIMIT; export async function b(x) { await f(x); } export * from "./a"; export * from "./b";',
    },
  );
  check(
    `import { x as from } from "./b"; export const y = from + 1;\n${main(update("y"))}`,
    { transactions: 1 },
    { "b.ts": 'import { y } from "./a"; export const x = y + 1;' },
  );
  check(
    `${HEAD}async function g(x) { ${update("x")} await h(x); } async function h(x) { await g(x); await g(x - 1); }
export async function f(x) { if (x) await g(x); else await h(x); }`,
    { transactions: 1 },
  );
  check(
    `${HEAD}class A extends B { async m(x) { ${update("x")} await super.m(x); } } class B extends A {}
class C extends C { async n() { ${update("1")} await super.n(); } }`,
    { transactions: 2 },
  );
  check(main(`const o = {}; o.o = o; const l = [o]; l.push(l); ${update("o.o.o.a")} ${update("l")} return o;`), { transactions: 1 }); // prettier-ignore
  check(
    main(`let o = { a: x }; ${"o = { ...o, ...o, b: o }; ".repeat(100)} ${update("o.b.b.a")}`),
    {
      transactions: 1,
    },
  );
});

test("records that hold each other, and what doubles with each step, end", () => {
  const made = "const top = (() => { const o = {}; o.o = o; return o; })();";
  const asked = "const kept = find(top); function find(z) { return z.o; }";
  check(`${main(update("x"))}\n${made}\n${asked}\nexport { kept };`, {
    transactions: 1,
    said: /^$/u,
  });
  const steps = "u = tag`${u}${u}`; ".repeat(20);
  const doubled = `import { tag } from "tags"; export const doubled = ((z) => { let u = tag\`\${z}\`; ${steps} return u; })(0);`;
  check(`${doubled}\n${main(update("x"))}`, { transactions: 1, said: /^$/u });
});

test("services that many services hold are made once", () => {
  const classes = times(
    40,
    (at) => `@Injectable() export class S${String(at)} {
  constructor(private readonly a: S${String(at + 1)}, private readonly b: S${String(at + 1)}) {}
  async run(x: number) { await this.a.run(x); await this.b.last(x); }
  async last(x: number) { await this.b.last(x); }
}\n`,
  );
  const last = `@Injectable() export class S40 { async run(x: number) { ${update("x")} } async last(x: number) { ${update("x")} } }`;
  check(`${HEAD}import { Injectable } from "@nestjs/common";\n${classes}${last}`, {
    transactions: 2,
  });
});

test("an error of a reader itself ends one function, and is said there", async () => {
  const text = `${HEAD}const known = pool.query("SELECT b FROM bad");
export async function first() { ${update("1")} }
export async function second() { ${update("2")} await pool.query("DELETE FROM bad"); }
export const handlers = known.then(() => ({ async third() { ${update("3")} } }));
export async function fourth() { await pool.query("DELETE FROM deep"); }
export async function fifth() { ${update("5")} }`;
  const { transactions, notes } = await readOver(
    "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL);",
    { "a.ts": text },
    "postgres",
    (lower) => (asked) => {
      const { sql } = asked.piece;
      if (sql.includes("bad")) throw new Error("no such thing");
      if (sql.includes("deep")) throw new RangeError("Maximum call stack size exceeded");
      return lower(asked);
    },
  );
  assert.deepEqual(
    transactions.map(({ name }) => name),
    ["first", "fifth"],
  );
  const said = notes.flatMap(({ code, message, source }) =>
    code === "code-unread" ? [`${String(source.range.start.line + 1)}: ${message}`] : [],
  );
  assert.deepEqual(said, [
    "7: 1 function was not looked at to the end, fourth first: that would take too long. Shorter functions and files are read to their ends.",
    "6: 2 functions were not read, handlers first: an error of Isolens itself ended that (no such thing). What they do with the database is not known.",
  ]);
});

test("names that JavaScript itself uses, odd characters and unknown libraries change nothing", () => {
  const names = "{ __proto__: x, constructor: 3, hasOwnProperty: 1, toString: 2 }";
  check(main(`const o = ${names}; ${update("o.__proto__")} ${update('o["constructor"]')}`), {
    transactions: 1,
  });
  check(`\uFEFF${main(update("x")).replaceAll("\n", "\r\n")}`, { transactions: 1 });
  check(main(update(String.raw`"\ud800" + "` + '\ud800"')), { transactions: 1 });
  check(
    `import { thing } from "some-db"; export async function f(x) { await thing.transaction(async (tx) => {
      const r = await tx.query("SELECT b FROM t WHERE a = 1"); await tx.query("UPDATE t SET b = 2"); }); }`,
    { transactions: 1 },
  );
});
