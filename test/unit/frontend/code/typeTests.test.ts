// Questions about values' kinds: which member of a union an argument is, and of which class something is.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE rule (id int PRIMARY KEY, active boolean NOT NULL);";

async function read(body: string) {
  const text = `import { Pool } from "pg";
const pool = new Pool();
class Shape { sides = 4; }
class Square extends Shape {}
type Input = { ids: number[] } | { all: true };
export async function f(input: Input, when: Date) {
  ${body}
}`;
  const found = await transactionsOf(DDL, { "a.ts": text });
  return { text: printed(found), losses: found.flatMap((each) => losses(each)) };
}

const CLEAR = `await pool.query("UPDATE rule SET active = false");`;

describe("typeof", () => {
  it("is a function of an argument that may be anything", async () => {
    const { text, losses: lost } = await read(`if (typeof input.ids === "string") { ${CLEAR} }`);
    assert.match(text.join("\n"), /code:typeof\(:input\.ids/u);
    assert.deepEqual(lost, []);
  });

  it("of a browser's global is undefined where a database is used", async () => {
    assert.equal((await read(`if (typeof window !== "undefined") { ${CLEAR} }`)).text.length, 0);
    assert.equal((await read(`if (typeof document === "undefined") { ${CLEAR} }`)).text.length, 2);
  });
});

describe("in", () => {
  it("tells the members of a union apart by what the caller gives", async () => {
    const { text, losses: lost } = await read(`if ("ids" in input) { ${CLEAR} }`);
    assert.ok(
      text.some((line) => line.includes("input.has ids")),
      text.join("\n"),
    );
    assert.deepEqual(lost, []);
  });

  it("is known of records that the code makes", async () => {
    const made = `const rule = { id: 1 };`;
    assert.equal((await read(`${made} if ("size" in rule) { ${CLEAR} }`)).text.length, 0);
    assert.equal((await read(`${made} if ("id" in rule) { ${CLEAR} }`)).text.length, 2);
  });
});

describe("instanceof", () => {
  it("follows what classes extend", async () => {
    const of = (made: string, of: string) => read(`if (new ${made}() instanceof ${of}) { ${CLEAR} }`); // prettier-ignore
    assert.equal((await of("Square", "Shape")).text.length, 2);
    assert.equal((await of("Shape", "Square")).text.length, 0);
  });

  it("is known of lists", async () => {
    const { text } = await read(`if ([1].map((n) => n) instanceof Array) { ${CLEAR} }`);
    assert.equal(text.length, 2);
  });

  it("is not decided of sets, of texts and lists of Java, and of classes that extend what is not known", async () => {
    const asked = (value: string, of: string) =>
      read(`class Mixed extends mix(Shape) {} class Failure extends Error {}
        if (${value} instanceof ${of}) { ${CLEAR} }`);
    for (const [value, of] of [
      ["new Set([1])", "Set"],
      ["new Set([1])", "Array"],
      ["new Map()", "Map"],
      ["new Mixed()", "Square"],
    ] as const) {
      const { text } = await asked(value, of);
      assert.match(text.join("\n"), /if unknown/u, `${value} instanceof ${of}`);
    }
    assert.equal((await asked("new Failure()", "Square")).text.length, 0);
  });
});
