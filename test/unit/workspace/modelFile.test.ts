// Models of a workspace's own libraries: the example of the documents, and what is wrong with others, at its place.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { RESULT_PARTS } from "../../../server/src/frontend/code/libraries/driverModel";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { createProjectReader, type ProjectReader } from "../../../server/src/service/readProject";
import { describedLibraries, parseModelFile } from "../../../server/src/workspace/modelFile";
import { loadProjects } from "../../../server/src/workspace/projects";

const ROOT = path.join(__dirname, "..", "..", "..");
const DOCUMENT = readFileSync(path.join(ROOT, "docs/reading-code.md"), "utf8");

/** The first block of that language behind the heading. */
function example(language: string): string {
  const [, section = ""] = DOCUMENT.split("## Libraries of your own");
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "msu").exec(section)?.[1];
  assert.ok(found !== undefined);
  return found;
}

const MODEL = example("json");
const CODE = example("ts");

/** The reading of a folder with these files. */
async function program(
  files: Readonly<Record<string, string>>,
  reader?: ProjectReader,
): Promise<Program> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-model-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const { projects } = await loadProjects(["."], { cwd: folder });
    const [project] = projects;
    assert.ok(project);
    return (reader ?? (await newReader())).read({ ...project, folder: "/somewhere" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function newReader(): Promise<ProjectReader> {
  return createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
}

const MODEL_FILE = "isolens.models/warehouse.json";

describe("models of a workspace", () => {
  it("make calls of a library statements: the example of the documents", async () => {
    const { transactions, notes } = await program({ "stock.ts": CODE, [MODEL_FILE]: MODEL });
    assert.deepEqual(
      transactions.map(({ name, boundary, taint }) => [name, boundary, taint]),
      [["take", "unit", []]],
    );
    assert.deepEqual(
      notes.filter(({ severity }) => severity === "error"),
      [],
    );
  });

  it("count from the next reading on, and no longer when they are gone", async () => {
    const reader = await newReader();
    const without = { "stock.ts": CODE };
    const names = async (files: Readonly<Record<string, string>>) =>
      (await program(files, reader)).transactions.map(({ name }) => name);
    assert.deepEqual(await names(without), []);
    assert.deepEqual(await names({ ...without, [MODEL_FILE]: MODEL }), ["take"]);
    assert.deepEqual(await names(without), []);
  });

  it("come before a package of the workspace", async () => {
    const { transactions } = await program({
      "stock.ts": CODE,
      "packages/warehouse/package.json": '{ "name": "@acme/warehouse", "main": "index.ts" }',
      "packages/warehouse/index.ts":
        "export const openStore = (url) => connectByWire(url); // SELECT 1",
      [MODEL_FILE]: MODEL,
    });
    assert.deepEqual(
      transactions.map(({ name }) => name),
      ["take"],
    );
  });

  it("have nothing read where something is wrong with them", async () => {
    const { transactions, notes } = await program({
      "stock.ts": CODE,
      [MODEL_FILE]: MODEL.replace('"result": "row"', '"result": "rwo"'),
    });
    assert.deepEqual(transactions, []);
    const wrong = notes.filter(({ code }) => code === "model");
    assert.deepEqual(
      wrong.map(({ message, source }) => [message.split(";")[0], source.file]),
      [['there is no result "rwo"', MODEL_FILE]],
    );
  });

  for (const [change, to, message] of [
    ['"isRequired"', '"isRequierd"', 'there is no key "isRequierd"; did you mean "isRequired"?'],
    ['"kind": "scope"', '"kind": "scoop"', 'there is no effect "scoop"; did you mean "scope"?'],
    ['"client": "work"', '"client": "wrok"', 'there is no client "wrok"; did you mean "work"?'],
    ['"store|work: row"', '"stor|work: row"', 'there is no client "stor"; did you mean "store"?'],
    [
      '"store|work: row"',
      '"store|work row"',
      'methods of a client stand behind a colon and a space: "store|work: row"',
    ],
    [
      '"store|work: row"',
      '"store:row"',
      'methods of a client stand behind a colon and a space: "store: row"',
    ],
    ['"kind": "pool"', '"kind": "poll"', 'there is no kind "poll"; did you mean "pool"?'],
    ['"client": "work",', "", '"client" is missing'],
    ['"modules": ["@acme/warehouse"],', "", '"modules" is missing'],
    ['["openStore"]', '"openStore"', '"made" must be a list of texts, and is'],
    [
      '"isTransaction": true',
      '"isTransaction": 1',
      '"isTransaction" must be true or false, and is',
    ],
    ['"result": "rows"', '"result": ["rows", "nix"]', 'there is no result "nix"'],
    ["}", "", ""],
  ] as const) {
    it(`say what is wrong with them: ${to === "" ? `no ${change}` : to}`, () => {
      assert.ok(MODEL.includes(change), change);
      const { model, problems } = parseModelFile(MODEL.replace(change, to));
      assert.equal(model, undefined);
      assert.equal(problems.length > 0, true);
      assert.ok(problems[0]?.message.startsWith(message), problems[0]?.message);
    });
  }

  it("are told all mistakes of a client at once", () => {
    const text = MODEL.replace('"kind": "pool"', '"kind": "poll"').replace(
      '["openStore"]',
      '"openStore"',
    );
    const { problems } = parseModelFile(text);
    assert.ok(problems.some(({ message }) => message.startsWith("there is no kind")));
    assert.ok(problems.some(({ message }) => message.startsWith('"made" must be a list')));
  });

  it("are none of several for one package", () => {
    const [a, b] = ["isolens.models/a.json", "isolens.models/b.json"] as const;
    const { models, notes } = describedLibraries([
      { file: a as FileId, text: MODEL },
      { file: b as FileId, text: MODEL },
    ]);
    assert.deepEqual(models, []);
    assert.deepEqual(
      notes.map(({ message, source }) => [message, source.file]),
      [[`"@acme/warehouse" is described in ${a} as well: neither is used`, b]],
    );
  });

  it("are completed by a schema that has all results", () => {
    const schema = readFileSync(path.join(ROOT, "client/media/model.schema.json"), "utf8");
    const compact = schema.replaceAll(/\s+/gu, " ");
    assert.ok(compact.includes(RESULT_PARTS.map((part) => `"${part}"`).join(", ")));
  });
});
