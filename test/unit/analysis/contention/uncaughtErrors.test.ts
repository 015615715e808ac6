// The fate of an error of the server in application code: refusals are told where it leaves the code, and not where
// the code catches it or tries again.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRefusals } from "../../../../server/src/analysis/contention/refusals";
import { explainRefusal } from "../../../../server/src/analysis/explain/refusal";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Anomaly } from "../../../../server/src/protocol/report";
import { analysablePart } from "../../../../server/src/service/search/analysable";
import { readOver } from "../../frontend/code/codePrograms";

const DDL = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

async function refusals(text: string, levelName: string): Promise<readonly Anomaly[]> {
  const level = findLevel(levelName);
  assert.ok(level);
  const { transactions, tables } = await readOver(DDL, { "a.ts": text }, "postgres");
  const read = { schema: { tables }, transactions, notes: [], files: [] };
  const { program, flat } = analysablePart(read, 2);
  return findRefusals(program, flat, level).map((each) => explainRefusal(program, level, each));
}

const POOL = `import { Pool } from "pg";\nconst pool = new Pool();\n`;
const BODY = `const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
    if (rows[0].balance < n) throw new Error("not enough");
    await client.query("UPDATE account SET balance = $2 WHERE id = $1", [id, rows[0].balance - n]);`;
const CROSSED = `await client.query("UPDATE account SET balance = balance - 1 WHERE id = $1", [id]);
    await client.query("UPDATE account SET balance = balance + 1 WHERE id = $1", [n]);`;

/** A transaction as it is written with pg, with what it does when something fails. */
function once(body: string, failed: string): string {
  return `const client = await pool.connect();
  try {
    await client.query("BEGIN");
    ${body}
    await client.query("COMMIT");
    return true;
  } catch (error: any) {
    await client.query("ROLLBACK");
    ${failed}
  } finally {
    client.release();
  }`;
}

const named = (body: string): string =>
  `export async function f(id: number, n: number) {\n  ${body}\n}`;
const within = `async function inTransaction(work: (client: any) => Promise<void>) {
  ${once("await work(client);", "throw error;")}
}`;
const rerun = `async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error: any) {
      if (error.code !== "40001" && error.code !== "40P01") throw error;
      if (tries > 3) throw error;
    }
  }
}`;

interface Case {
  readonly name: string;
  readonly text: (body: string) => string;
  readonly isTold: boolean;
}

const CASES: readonly Case[] = [
  {
    name: "rolls back and throws",
    text: (body) => named(once(body, "throw error;")),
    isTold: true,
  },
  {
    name: "throws another error",
    text: (body) => named(once(body, 'throw new Error("failed", { cause: error });')),
    isTold: true,
  },
  {
    name: "is run by a helper that rolls back and throws",
    text: (body) => `${within}\n${named(`await inTransaction(async (client) => { ${body} });`)}`,
    isTold: true,
  },
  {
    name: "tries again in a loop around the transaction",
    text: (body) =>
      named(
        `for (let tries = 0; tries < 3; tries++) {\n  ${once(body, 'if (error.code !== "40001") throw error;')}\n }`,
      ),
    isTold: false,
  },
  {
    name: "is run by a helper that tries again",
    text: (body) =>
      `${within}\n${rerun}\n${named(`await again(() => inTransaction(async (client) => { ${body} }));`)}`,
    isTold: false,
  },
  {
    name: "is run by a package that tries again",
    text: (body) =>
      `import pRetry from "p-retry";\n${within}\n${named(`await pRetry(() => inTransaction(async (client) => { ${body} }));`)}`,
    isTold: false,
  },
  {
    name: "tells its caller that it failed",
    text: (body) => named(once(body, "return false;")),
    isTold: false,
  },
  {
    name: "is caught by who calls it",
    text: (body) =>
      `${named(`try { await g(id, n); } catch (error) { return "try later"; }`)}
async function g(id: number, n: number) { ${once(body, "throw error;")} }`,
    isTold: false,
  },
];

describe("a transaction whose error", () => {
  for (const { name, text, isTold } of CASES)
    it(name, async () => {
      const failures = await refusals(POOL + text(BODY), "pg:rr");
      const deadlocks = await refusals(POOL + text(CROSSED), "pg:rc");
      const kinds = [...failures, ...deadlocks].map(({ kind, transactions }) => [kind, ...transactions].join(" ")); // prettier-ignore
      assert.deepEqual(kinds, isTold ? ["serialization-failure f f", "deadlock f f"] : []);
      for (const { message } of [...failures, ...deadlocks])
        assert.match(message, / Nothing around f catches that or tries again\.$/u);
    });

  it("is told in plain words", async () => {
    const [found] = await refusals(POOL + named(once(BODY, "throw error;")), "pg:rr");
    assert.equal(
      found?.message,
      "The server ends f(1, 1) (40001) where another run of it changes account[1] at the same time: " +
        "its snapshot is older than that change (serialization failure). Nothing around f catches that or tries again.",
    );
    const ended = found.steps.find(({ statement }) => statement === "rollback");
    assert.equal(ended?.because, "the row has changed since its snapshot");
    // READ COMMITTED has none.
    assert.deepEqual(await refusals(POOL + named(once(BODY, "throw error;")), "pg:rc"), []);
  });
});
