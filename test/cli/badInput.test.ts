import assert from "node:assert/strict";
import { copyFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { LevelReport } from "../../server/src/protocol/report";
import { DIST, isolens, makeFolder, reportsOf } from "./cli";
import type { Folder } from "./cli";

const TABLE = "CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);\n";

/** A lost update that must be found whatever stands in other files. */
const GOOD = `
-- @transaction add
BEGIN;
SELECT v FROM a WHERE id = :id \\gset
UPDATE a SET v = :v + 1 WHERE id = :id;
COMMIT;
`;

function routine(name: string, body: string): string {
  return `CREATE FUNCTION ${name} RETURNS void LANGUAGE plpgsql AS $$\n${body}$$;\n`;
}

let folder: Folder;

before(() => {
  folder = makeFolder({ "schema.sql": TABLE, "good.sql": GOOD });
});

after(() => {
  folder.remove();
});

interface Expectation {
  /** Line (from 1) of an `unknown` in the bad file, and what it says. */
  readonly says?: readonly [number | undefined, RegExp];
  /** A remark on standard error. */
  readonly remarks?: RegExp;
  /** Names of transactions in the bad file that were read. */
  readonly transactions?: readonly string[];
}

/** Checks a bad file together with a good one: the good one's anomaly stays, and the bad one is spoken of. */
async function check(content: string | Uint8Array, expected: Expectation): Promise<LevelReport> {
  folder.write("bad.sql", content);
  const args = ["check", "schema.sql", "good.sql", "bad.sql", "--format", "json"];
  const result = await isolens(args, { cwd: folder.path });
  assert.equal(result.code, 1, result.error);
  const [report] = reportsOf(result);
  assert.ok(report);
  const good = report.anomalies.find(({ transactions }) => transactions.join() === "add,add");
  assert.equal(good?.kind, "lost-update");
  if (expected.says) {
    const [line, message] = expected.says;
    const places = report.unknown.filter(({ file, range }) => {
      return file === "bad.sql" && (line === undefined || range?.start.line === line - 1);
    });
    assert.ok(
      places.some(({ reason }) => message.test(reason)),
      JSON.stringify(report.unknown, null, 1),
    );
  }
  if (expected.remarks) assert.match(result.error, expected.remarks);
  if (expected.transactions) {
    const own = report.transactions.filter(({ file }) => file === "bad.sql");
    assert.deepEqual(
      own.map(({ name }) => name),
      expected.transactions,
    );
  }
  return report;
}

describe("bad input", () => {
  it("broken SQL", async () => {
    await check(
      "-- @transaction t\nBEGIN;\nSELEC v FROM a;\nUPDATE a SET v = = 3 WHERE id = :id;\nCOMMIT;\n",
      {
        says: [4, /cannot (?:be )?read/u],
        transactions: ["t"],
      },
    );
  });

  it("a procedure that is cut in the middle", async () => {
    const cut = routine("f(i integer)", "BEGIN\n  UPDATE a SET v = 1 WHERE id = i;\n").slice(
      0,
      -12,
    );
    await check(cut, { says: [1, /not closed/u] });
  });

  it("a procedure whose body is cut in the middle", async () => {
    await check(routine("f(i integer)", "BEGIN\n  UPDATE a SET v = \n"), {
      says: [undefined, /./u],
    });
  });

  it("unknown tables and columns", async () => {
    await check(
      "-- @transaction t\nBEGIN;\nSELECT nosuch FROM a WHERE id = :id;\nUPDATE missing SET v = 3 WHERE id = :id;\nCOMMIT;\n",
      {
        remarks: /bad\.sql:4:\d+: No CREATE TABLE was found for missing/u,
        transactions: ["t"],
      },
    );
  });

  it("an empty file", async () => {
    await check("", { transactions: [] });
  });

  it("a binary file", async () => {
    const bytes = Uint8Array.from({ length: 2560 }, (_, n) => n % 256);
    await check(bytes, { says: [undefined, /binary/u] });
  });

  it("a dump of 5 MB", async () => {
    const lines = [
      "CREATE TABLE big (id integer PRIMARY KEY, name text);",
      "COPY big (id, name) FROM stdin;",
    ];
    for (let n = 0; n < 60_000; n += 1) lines.push(`${String(n)}\tname ${String(n)} with 'quotes`);
    lines.push("\\.");
    for (let n = 60_000; n < 120_000; n += 1) {
      lines.push(`INSERT INTO big VALUES (${String(n)}, 'it''s ${String(n)}');`);
    }
    let text = lines.join("\n");
    text += `\n-- ${"x".repeat(Math.max(0, 5_000_000 - text.length))}\n`;
    await check(text, { transactions: [] });
  });

  it("10,000 statements outside of transactions", async () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, n) => `UPDATE a SET v = ${String(n)} WHERE id = ${String(n)};`,
    );
    await check(lines.join("\n"), { remarks: /10000 statements/u });
  });

  it("10,000 statements in one transaction", async () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, n) => `UPDATE a SET v = v + ${String(n)} WHERE id = :id + ${String(n)};`,
    );
    await check(`-- @transaction many\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`, {
      transactions: ["many"],
    });
  });

  it("nesting 500 deep", async () => {
    const deep = `UPDATE a SET v = ${"(".repeat(500)}v${" + 1)".repeat(500)} WHERE id = :id`;
    const queries = `SELECT ${"(SELECT ".repeat(500)}1${")".repeat(500)}`;
    await check(`-- @transaction deep\nBEGIN;\n${deep};\n${queries};\nCOMMIT;\n`, {
      transactions: ["deep"],
    });
  });

  it("500 nested conditions in a procedure", async () => {
    const body = `BEGIN\n${"IF i > 0 THEN\n".repeat(500)}UPDATE a SET v = 1 WHERE id = i;\n${"END IF;\n".repeat(500)}END `;
    await check(routine("deep(i integer)", body), {});
  });

  it("two procedures of one name", async () => {
    const body = "BEGIN\n  UPDATE a SET v = 1 WHERE id = i;\nEND ";
    const report = await check(routine("f(i integer)", body) + routine("f(i bigint)", body), {});
    const names = report.transactions
      .filter(({ file }) => file === "bad.sql")
      .map(({ name }) => name);
    assert.equal(names.length, 2);
    assert.notEqual(names[0], names[1]);
  });

  it("recursion", async () => {
    const f = routine(
      "f(i integer)",
      "BEGIN\n  UPDATE a SET v = 1 WHERE id = i;\n  PERFORM g(i);\nEND ",
    );
    const g = routine(
      "g(i integer)",
      "BEGIN\n  IF i > 0 THEN\n    PERFORM f(i - 1);\n  END IF;\nEND ",
    );
    await check(f + g, { says: [undefined, /recurs|calls itself/iu] });
  });

  it("lines that end in every way, and no line at all", async () => {
    const texts = [
      "\r\n\r\n",
      "\r",
      "\f\v",
      ";",
      ";;;",
      "-- comment",
      "/* open",
      "'open",
      '"open',
      "$$open",
    ];
    const odd = makeFolder({ "schema.sql": TABLE, "good.sql": GOOD });
    texts.forEach((text, n) => {
      odd.write(`odd${String(n)}.sql`, text);
    });
    const result = await isolens(["check", ".", "--format", "json"], { cwd: odd.path });
    odd.remove();
    assert.equal(result.code, 1, result.error);
    const [report] = reportsOf(result);
    assert.deepEqual(
      report?.transactions.map(({ name }) => name),
      ["add"],
    );
    const files = new Set(report.unknown.map(({ file }) => file));
    assert.deepEqual([...files].sort(), ["odd6.sql", "odd7.sql", "odd8.sql", "odd9.sql"]);
  });
});

describe("a missing solver", () => {
  it("is said once, and the verdict is unknown", async () => {
    const broken = makeFolder({
      "good.sql": TABLE + GOOD,
      "other.sql": GOOD.replace("add", "more"),
    });
    for (const file of readdirSync(DIST)) {
      if (/^(?:cli|worker|part-\w+)\.js$|^libpg-query\.wasm$/u.test(file)) {
        copyFileSync(path.join(DIST, file), path.join(broken.path, file));
      }
    }
    const script = path.join(broken.path, "cli.js");
    const files = ["good.sql", "other.sql"];
    const asked = ["check", ...files, "--format", "json"];
    const result = await isolens(asked, { cwd: broken.path, script });
    broken.remove();
    assert.equal(result.code, 2, result.error);
    const [report] = reportsOf(result);
    assert.equal(report?.verdict, "unknown");
    const reasons = report.unknown.map(({ reason }) => reason);
    assert.equal(reasons.length, 1, reasons.join("\n"));
    assert.match(reasons[0] ?? "", /^the solver is not available: /u);
    assert.deepEqual(report.unknown[0]?.transactions, ["add", "more"]);
  });
});

describe("the reader of the output", () => {
  it("may leave early", async () => {
    const result = await isolens(["--help"], {
      watch: (child) => {
        child.stdout?.destroy();
      },
    });
    assert.doesNotMatch(result.error, /EPIPE/u);
    assert.notEqual(result.code, 0);
  });

  it("may interrupt: what was found is still printed", async () => {
    const many = Array.from({ length: 12 }, (_, n) => GOOD.replace("add", `add${String(n)}`)).join(
      "\n",
    );
    const busy = makeFolder({ "busy.sql": TABLE + many });
    const result = await isolens(
      ["check", "busy.sql", "--level", "eventual", "--budget", "5m", "--format", "json"],
      {
        cwd: busy.path,
        before: path.join(__dirname, "interruptOnceHeard.cjs"),
      },
    );
    busy.remove();
    const [report] = reportsOf(result);
    assert.ok(report);
    assert.ok(["cancelled", "anomaly"].includes(report.verdict), report.verdict);
  });
});
