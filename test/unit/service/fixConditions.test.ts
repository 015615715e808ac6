// When a fix of a kind is written, and when it is not: changes of the small programs of test/fixes.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { FixKind } from "../../../server/src/protocol/fixes";
import type { Session } from "../../../server/src/service/session";
import { loadProjects } from "../../../server/src/workspace/projects";
import { openTestSession } from "./testSession";

const ROOT = path.join(__dirname, "..", "..");

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

/** Handlers around the UPDATE of pg-unit, and whether its function may run as one transaction. */
const AROUND: readonly (readonly [
  name: string,
  around: (update: string) => string,
  holds: boolean,
])[] = [
  [
    "a handler that goes on",
    (update) => `try { ${update} } catch (error) { console.log(error); }`,
    false,
  ],
  [
    "a handler that may go on",
    (update) => `try { ${update} } catch (error) { if (stars > 1) return; throw error; }`,
    false,
  ],
  [
    "a promise that is caught",
    (update) => update.replace(/;$/u, ".catch(() => undefined);"),
    false,
  ],
  [
    "a handler of a query",
    (update) => `try { parse(id); } catch (error) { ${update} throw error; }`,
    false,
  ],
  [
    "a handler that throws",
    (update) => `try { ${update} } catch (error) { console.log(error); throw error; }`,
    true,
  ],
];

describe("one transaction", () => {
  for (const [name, around, holds] of AROUND)
    it(name, async () => {
      const folder = path.join(ROOT, "fixes", "pg-unit");
      const { projects } = await loadProjects([folder], { cwd: folder });
      const [read] = projects;
      assert.ok(read);
      const files = read.files.map(({ file, text }) => ({
        file,
        text: text.replace(/await pool\.query\("UPDATE.*;/u, around),
      }));
      const project = { ...read, files };
      const signal = AbortSignal.timeout(120_000);
      const { report } = await session.checkWorkspace({ project }, signal);
      const anomaly = report.anomalies.find(({ kind }) => kind === "lost-update");
      assert.ok(anomaly);
      const kinds = ["one-transaction"] as const;
      const { fixes, advice } = await session.fixes({ project, anomaly, kinds }, signal);
      assert.equal(fixes.length, holds ? 1 : 0);
      if (!holds) assert.match(advice[0]?.reason ?? "", /catches errors/u);
    });
});

const BEGIN = 'await client.query("BEGIN");';

/** Changes of pg-move, with the line in front of which its loop begins, or the reason why there is none. */
const REPEATED: readonly (readonly [name: string, from: string, to: string, outcome: RegExp])[] = [
  ["a line behind its connection", "connect();", "connect();\n  const day = 1;", /^const client = /u],
  ["BEGIN in front of the block", `try {\n    ${BEGIN}`, `${BEGIN}\n  try {`, /^const client = /u],
  ["a connection that is used further on", "release();\n  }", "release();\n  }\n  use(client);", /further on/u],
  ["a handler that throws another error", "throw error", 'throw new Error("failed")', /keeps the server's error/u],
  ["a count of its runs", BEGIN, `${BEGIN}\n    runs += 1;`, /^runs would be repeated/u],
  ["a list of its runs", BEGIN, `${BEGIN}\n    runs.push(from);`, /^runs\.push would be repeated/u],
  ["another service", BEGIN, `${BEGIN}\n    await bank.charges.create({ amount });`, /^bank\.charges\.create would be/u],
  ["a helper with its connection", BEGIN, `${BEGIN}\n    const note = (own, n) => own.query("SELECT $1", [n]);\n    await note(client, amount);`, /^const client = /u],
]; // prettier-ignore

describe("a loop that runs a transaction again", () => {
  for (const [name, from, to, outcome] of REPEATED)
    it(name, async () => {
      const folder = path.join(ROOT, "fixes", "pg-move");
      const { projects } = await loadProjects([folder], { cwd: folder });
      const [read] = projects;
      assert.ok(read);
      const files = read.files.map(({ file, text }) => ({ file, text: text.replace(from, to) }));
      const project = { ...read, files };
      const signal = AbortSignal.timeout(120_000);
      const { report } = await session.checkWorkspace({ project }, signal);
      const [anomaly] = report.refusals ?? [];
      assert.ok(anomaly);
      const kinds = ["retry-loop"] as const;
      const { fixes, advice } = await session.fixes({ project, anomaly, kinds }, signal);
      const [edit] = fixes[0]?.edits ?? [];
      const text = files.find(({ file }) => file === edit?.file)?.text.split("\n") ?? [];
      const { line = 0, character = 0 } = edit?.range.start ?? {};
      assert.match(
        edit ? (text[line]?.slice(character) ?? "") : (advice[0]?.reason ?? ""),
        outcome,
      );
    });
});

/** Changes of programs, with the kind of fix that is not offered then, and the reason. */
const REFUSED: readonly (readonly [
  program: string,
  kind: FixKind,
  changes: readonly (readonly [from: string, to: string])[],
  reason: RegExp,
])[] = [
  [
    "jpa-stock",
    "version-check",
    [
      ["  @Id\n  private", "  private"],
      ["  public int getStock", "  @Id\n  public Long getId() {\n    return id;\n  }\n\n  public int getStock"],
    ],
    /mapped at its getters/u,
  ],
  [
    "spring-stock",
    "raised-level",
    [["org.springframework.transaction.annotation.Transactional", "jakarta.transaction.Transactional"]],
    /knows no level/u,
  ],
  [
    "drizzle-stock",
    "row-lock",
    [
      [".select()", ".select({ stock: sql<number>`coalesce(max(${items.stock}), 0)` })"],
      ["// ", 'import { sql } from "drizzle-orm";\n// '],
    ],
    /counts or adds up rows cannot lock them/u,
  ],
]; // prettier-ignore

describe("fixes that would be no code of the library", () => {
  for (const [program, kind, changes, reason] of REFUSED)
    it(`${program}: ${reason.source}`, async () => {
      const folder = path.join(ROOT, "fixes", program);
      const { projects } = await loadProjects([folder], { cwd: folder });
      const [read] = projects;
      assert.ok(read);
      const files = read.files.map(({ file, text }) => ({
        file,
        text: changes.reduce((changed, [from, to]) => changed.replace(from, to), text),
      }));
      const project = { ...read, files };
      const signal = AbortSignal.timeout(120_000);
      const { report } = await session.checkWorkspace({ project }, signal);
      const [anomaly] = report.anomalies;
      assert.ok(anomaly);
      const { fixes, advice } = await session.fixes({ project, anomaly, kinds: [kind] }, signal);
      assert.deepEqual(fixes, []);
      assert.match(advice[0]?.reason ?? "", reason);
    });
});
