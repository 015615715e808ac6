// A file that was not read is never taken for clean: the exit code and the first line of every report say so.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { LevelReport, UnreadKind } from "../../server/src/protocol/report";
import { isolens, makeFolder, reportsOf } from "./cli";

const SCHEMA = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);\n";
const SAFE = `import { Pool } from "pg";
const pool = new Pool();
export async function balance(id: number) {
  const { rows } = await pool.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  return rows[0]?.balance;
}
`;

type Texts = Readonly<Record<string, string | Uint8Array>>;

/** Checks files of which nothing is wrong but that some are not read, in every format. */
async function check(
  files: Texts,
  unread: readonly (readonly [UnreadKind, string])[],
): Promise<string> {
  const folder = makeFolder({ "schema.sql": SCHEMA, "balance.ts": SAFE, ...files });
  try {
    const run = (...args: readonly string[]) => isolens(["check", ".", ...args], folder.kept);
    const text = await run();
    assert.equal(text.code, unread.length === 0 ? 0 : 2, text.out + text.error);
    assert.equal(text.out.startsWith("Not all was read: "), unread.length > 0, text.out);
    const json = await run("--format", "json");
    assert.equal(json.code, text.code);
    const [report] = reportsOf(json);
    assert.deepEqual(kindsOf(report), unread);
    const sarif = await run("--format", "sarif");
    assert.equal(sarif.code, text.code);
    const isWhole = /"executionSuccessful": true/u.test(sarif.out);
    assert.equal(isWhole, unread.length === 0);
    assert.equal((await run("--fail-on", "anomaly")).code, 0);
    return text.out;
  } finally {
    folder.remove();
  }
}

function kindsOf(report: LevelReport | undefined) {
  assert.ok(report);
  return report.unknown.flatMap(({ unread, file = "" }) =>
    unread ? [[unread, file] as const] : [],
  );
}

describe("what was not read", () => {
  it("is not said where all was read", async () => {
    await check({}, []);
  });

  it("is a file of code that a tool wrote, though it uses the database", async () => {
    const out = await check({ "client.ts": `// @generated\n${SAFE}` }, [["file", "client.ts"]]);
    assert.match(out, /^Not all was read: 1 file left out\./u);
    assert.match(out, /^client\.ts: not read: generated code$/mu);
  });

  it("is code and SQL that is no text, or too large", async () => {
    await check(
      {
        "a.sql": new Uint8Array([0, 1, 2, 0]),
        "b.ts": `${SAFE}${"// more\n".repeat(300_000)}`,
      },
      [
        ["file", "a.sql"],
        ["file", "b.ts"],
      ],
    );
  });

  it("is a call of a database that nothing leads to", async () => {
    await check(
      {
        "later.ts": `${SAFE}export async function f() {
  const never = { later: async (id: number) => pool.query("DELETE FROM accounts WHERE id = $1", [id]) };
}
`,
      },
      [["call", "later.ts"]],
    );
  });

  it("is a folder that a link leads to elsewhere, and not one that is met without it", async () => {
    const other = makeFolder({ "o.sql": SCHEMA });
    const folder = makeFolder({ "schema.sql": SCHEMA, "sub/balance.ts": SAFE });
    try {
      symlinkSync(path.join(folder.path, "sub"), path.join(folder.path, "again"));
      symlinkSync(folder.path, path.join(folder.path, "sub", "round"));
      const inside = await isolens(["check", "."], { cwd: folder.path });
      assert.equal(inside.code, 0, inside.out);
      symlinkSync(other.path, path.join(folder.path, "outside"));
      const outside = await isolens(["check", "."], { cwd: folder.path });
      assert.equal(outside.code, 2);
      assert.match(outside.out, /^Not all was read: 1 folder left out\.[^]*^outside: not read: /mu);
    } finally {
      folder.remove();
      other.remove();
    }
  });

  it("is a report whose reader goes away: no success, and no stack trace", async () => {
    const lines = Array.from({ length: 3000 }, (_, n) =>
      SCHEMA.replace("accounts", `a${String(n)}`),
    );
    const folder = makeFolder({ "schema.sql": lines.join(""), "balance.ts": SAFE });
    try {
      const result = await isolens(["check", ".", "--format", "json"], {
        cwd: folder.path,
        watch: (child) => child.stdout?.destroy(),
      });
      assert.equal(result.code, 2);
      assert.doesNotMatch(result.error, /EPIPE|^\s+at /mu);
    } finally {
      folder.remove();
    }
  });
});
