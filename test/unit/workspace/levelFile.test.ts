import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { parseConfiguration } from "../../../server/src/workspace/configuration";
import { parseLevelFile } from "../../../server/src/workspace/levelFile";
import { loadProjects } from "../../../server/src/workspace/projects";

const GOOD = "forall a, b. conflict(a, b) & ar(a, b) => vis(a, b)";

/** Problems as "error 1:3 ...", lines and columns from one. */
function problems(text: string): readonly string[] {
  return parseLevelFile(text).problems.map(
    ({ severity, message, range: { start } }) =>
      `${severity} ${String(start.line + 1)}:${String(start.character + 1)} ${message}`,
  );
}

function check(text: string, ...expected: readonly string[]): void {
  assert.deepEqual(problems(text), expected);
  const isError = expected.some((each) => each.startsWith("error"));
  assert.equal(parseLevelFile(text).level === undefined, isError);
}

const file = (fields: object): string => JSON.stringify({ name: "x", axioms: [GOOD], ...fields });

describe("a file that defines a level", () => {
  it("gives the level, with what it extends", () => {
    const { level } = parseLevelFile(
      file({ name: "my-store", label: "My store", summary: "Mine.", extends: "CC", $schema: "s" }),
    );
    assert.equal(level?.name, "my-store");
    assert.equal(level.label, "My store");
    assert.equal(level.summary, "Mine.");
    assert.ok(level.axioms.includes("causal"));
    assert.deepEqual(
      level.own?.map(({ text }) => text),
      [GOOD],
    );
    const plain = parseLevelFile(`// a comment\n${file({})}`).level;
    assert.deepEqual([plain?.label, plain?.axioms], ["x", []]);
  });

  it("is refused with places where its form is wrong", () => {
    check("", "error 1:1 the text ends early");
    check(
      "[]",
      'error 1:1 a level must be an object, as { "name": "...", "axioms": ["..."] }, and is a list',
    );
    check("{}", 'error 1:1 this is no level: it has neither "name" nor "axioms"');
    check(
      '{ "name": "x", "axiom": [] }',
      'error 1:1 "axioms" is missing',
      'error 1:16 there is no key "axiom"; did you mean "axioms"?',
    );
    check(
      file({ axioms: [] }),
      'error 1:22 "axioms" must be a list of axioms, as ["forall w, q. ..."], and is a list',
    );
    check(file({ axioms: [3] }), "error 1:23 an axiom must be text in double quotes, and is 3");
    check(
      `{ "name": "x", "name": "y", "axioms": ["${GOOD}"] }`,
      'error 1:16 "name" is given twice',
    );
  });

  const names: readonly (readonly [string, RegExp])[] = [
    ["My-Store", /small letters/u],
    ["", /small letters/u],
    ["postgres:mine", /small letters/u],
    ["causal", /"causal" names causal consistency already/u],
    ["si", /"si" names snapshot isolation already/u],
    ["repeatable-read", /"repeatable-read" names PostgreSQL REPEATABLE READ already/u],
  ];
  for (const [name, message] of names)
    it(`does not take the name "${name}"`, () => {
      const [problem = ""] = problems(file({ name }));
      assert.match(problem, message);
      assert.match(problem, /^error 1:9 /u);
    });

  it("extends levels of axioms alone", () => {
    check(
      file({ extends: "causl" }),
      'error 1:88 there is no level "causl"; did you mean "causal"?',
    );
    const [problem = ""] = problems(file({ extends: "postgres:rc" }));
    assert.match(
      problem,
      /^error 1:88 postgres:read-committed is made of locks and snapshots, not of/u,
    );
  });

  it("points into the axiom, also behind escapes and on later lines", () => {
    const lines = (axiom: string): string => `{ "name": "x",\n  "axioms": [\n    "${axiom}"] }`;
    check(
      lines("forall w, q. viz(w, q)"),
      'error 3:19 there is no relation "viz"; did you mean "vis", "in"?',
    );
    check(
      lines("forall \\u0077, q. viz(w, q)"),
      'error 3:24 there is no relation "viz"; did you mean "vis", "in"?',
    );
    check(
      lines("forall w, q.\\tvis(w, p)"),
      'error 3:27 there is no variable "p"; did you mean "w", "q"?',
    );
    check(lines("forall w. vis(w, w"), 'error 3:24 expected ")" or ",", and the axiom ends');
    check(lines("vis(w, w)"), 'error 3:10 there is no variable "w"; bind it with forall');
  });

  it("is refused where an axiom leaves nothing, and remarked on where one excludes nothing", () => {
    const refusal = "so that nothing would be left to check";
    check(
      file({ axioms: ["forall w, q. !vis(w, q)"] }),
      `error 1:23 this axiom refuses even transactions that run one after the other (T1: read, read), ${refusal}`,
    );
    check(
      file({ axioms: ["true"] }),
      "information 1:23 this axiom holds in every execution; it excludes nothing more",
    );
    check(
      file({ extends: "si" }),
      "information 1:23 this axiom follows from snapshot-isolation, which the level extends; it excludes nothing more",
    );
    check(
      file({ axioms: [GOOD, GOOD.replace("ar(a, b)", "ar(a, b) & !st(a, b)")] }),
      "information 1:77 this axiom follows from those before it; it excludes nothing more",
    );
    check(
      file({ extends: "causal", axioms: ["forall w, q, p. so(q, p) & vis(w, q) => vis(w, p)"] }),
      "information 1:23 this axiom follows from causal, which the level extends, unless a session runs several transactions; a check takes each transaction for a session of its own",
    );
  });
});

describe("levels in isolens.json", () => {
  const { level } = parseLevelFile(file({ name: "my-store" }));
  assert.ok(level);

  it("are named like others", () => {
    const text =
      '{ "levels": ["x.level.json"], "transactions": { "t": { "level": "my_store" } }, "level": "causal" }';
    const { configuration, problems: found } = parseConfiguration(text, [level]);
    assert.deepEqual(found, []);
    assert.equal(configuration.transactionLevels["t"]?.name, "my-store");
  });

  it("are offered where a name is near", () => {
    const [problem] = parseConfiguration('{ "level": "my-stor" }', [level]).problems;
    assert.equal(problem?.message, 'there is no level "my-stor"; did you mean "my-store"?');
    const [unlisted] = parseConfiguration('{ "levels": "x.level.json" }').problems;
    assert.match(unlisted?.message ?? "", /^"levels" must be a list of files/u);
  });

  it("do not stand beside levels of products, nor those of two products", () => {
    const beside = (own: string, others: string): readonly string[] =>
      parseConfiguration(JSON.stringify({ level: others, transactions: { t: { level: own } } }), [
        level,
      ]).problems.map(({ message, range }) => `${String(range.start.character)} ${message}`);
    assert.deepEqual(beside("my-store", "causal"), []);
    assert.deepEqual(beside("mysql:rr", "mysql:rc"), []);
    const rule = "levels that are mixed must be of one database, or all be defined by axioms";
    assert.deepEqual(beside("my-store", "mysql:rc"), [
      `49 t is to run at my-store, which is defined by axioms, and the others at mysql:read-committed, which is a level of mysql; ${rule}`,
    ]);
    assert.deepEqual(beside("mysql:rr", "postgres:rc"), [
      `52 t is to run at mysql:repeatable-read, which is a level of mysql, and the others at postgres:read-committed, which is a level of postgres; ${rule}`,
    ]);
  });

  it("come from files beside it; what is wrong there is told there", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-levels-"));
    const load = async (files: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(files))
        writeFileSync(path.join(folder, name), text);
      const { projects, problems: found } = await loadProjects(["."], { cwd: folder });
      return {
        level: projects[0]?.configuration.level.name,
        told: found.map(({ path: at, message }) => `${at}: ${message}`),
      };
    };
    try {
      const base = { "a.sql": "", "isolens.json": '{ "levels": ["s.level.json"], "level": "x" }' };
      assert.deepEqual(await load({ ...base, "s.level.json": file({}) }), { level: "x", told: [] });
      const broken = await load({ "s.level.json": file({ axioms: ["vis"] }) });
      assert.ok(broken.told.some((each) => each.startsWith("s.level.json: expected")));
      const twice = '{ "levels": ["s.level.json", "t.level.json", "s.level.json", "none.json"] }';
      const both = { "s.level.json": file({}), "t.level.json": file({}), "isolens.json": twice };
      assert.deepEqual((await load(both)).told, [
        'isolens.json: another file defines a level "x" already',
        "isolens.json: s.level.json is named twice",
        "isolens.json: none.json: not read: no such file or folder",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
