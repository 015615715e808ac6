import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { listFolder } from "../../../server/src/workspace/listFolder";
import { LARGEST_FILE } from "../../../server/src/workspace/textFile";
import { loadProjects } from "../../../server/src/workspace/projects";
import type { LoadOptions, Project } from "../../../server/src/workspace/projects";

let root = "";

before(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "isolens-projects-"));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    "bank/isolens.json": '{ "level": "si", "exclude": ["old"] }',
    "bank/bank.sql": "select 1;",
    "bank/schema.sql": "create table a (id int);",
    "bank/old/no.sql": "select 2;",
    "bank/node_modules/x/no.sql": "select 3;",
    "shop/isolens.json": '{ "level": "nowhere" }',
    "shop/shop.sql": "select 4;",
    "plain/b.sql": "select 5;",
    "plain/a.sql": "select 6;",
    "plain/notes.txt": "select 7;",
    "plain/.hidden/no.sql": "select 8;",
    "odd/binary.sql": Buffer.from([1, 0, 2, 0]),
    "odd/empty.sql": "",
    "odd/utf16.sql": Buffer.from("\uFEFFselect 9;", "utf16le"),
    "odd/latin.sql": Buffer.from("-- caf\u00e9", "latin1"),
    "odd/large.sql": " ".repeat(LARGEST_FILE + 1),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  await symlink(path.join(root, "plain"), path.join(root, "plain", "loop"));
});

after(async () => {
  await rm(root, { recursive: true });
});

async function load(paths: readonly string[], options: Partial<LoadOptions> = {}) {
  return loadProjects(paths, { cwd: root, ...options });
}

/** Projects as "folder: files + context". */
function shown(projects: readonly Project[]): readonly string[] {
  return projects.map((project) => {
    const names = project.files.map(({ file }) => file).join(" ");
    const context = project.context.map(({ file }) => file).join(" ");
    const folder = path.relative(root, project.folder);
    return `${folder}: ${names}${context === "" ? "" : ` + ${context}`}`;
  });
}

describe("projects", () => {
  it("names folders that were not looked into, and stops where there are too many", async () => {
    const listing = await listFolder(root, root, DEFAULT_CONFIGURATION, 2);
    assert.deepEqual(
      listing.unread.map(({ path: folder, reason }) => [folder, reason.slice(0, 27)]),
      [[root, "it has more than 2 folders,"]],
    );
    const gone = await listFolder(path.join(root, "gone"), root, DEFAULT_CONFIGURATION);
    assert.deepEqual(gone.unread, [
      { path: path.join(root, "gone"), reason: "not read: no such file or folder" },
    ]);
  });

  it("takes the configured files of a folder", async () => {
    const { projects, problems } = await load(["bank"]);
    assert.deepEqual(problems, []);
    assert.deepEqual(shown(projects), ["bank: bank.sql schema.sql"]);
    assert.equal(projects[0]?.configuration.level.name, "snapshot-isolation");
  });

  it("lends the tables of a project to a single file", async () => {
    const { projects } = await load(["bank/bank.sql"]);
    assert.deepEqual(shown(projects), ["bank: bank.sql + schema.sql"]);
  });

  it("names files by the working directory without configuration, in order", async () => {
    const { projects } = await load(["plain"]);
    assert.deepEqual(shown(projects), [": plain/a.sql plain/b.sql"]);
  });

  it("takes a named file whatever its name, once", async () => {
    const { projects } = await load(["plain/notes.txt", "plain", "plain/a.sql"]);
    assert.deepEqual(shown(projects), [": plain/a.sql plain/b.sql plain/notes.txt"]);
  });

  it("keeps projects of different configurations apart", async () => {
    const { projects } = await load(["bank", "plain"]);
    assert.deepEqual(shown(projects), [": plain/a.sql plain/b.sql", "bank: bank.sql schema.sql"]);
  });

  it("uses one configuration for everything when it is named", async () => {
    const { projects, problems } = await load(["plain"], {
      configurationFile: "bank/isolens.json",
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(shown(projects), [
      "bank: ../plain/a.sql ../plain/b.sql + bank.sql schema.sql",
    ]);
  });

  it("reports wrong configurations with their place", async () => {
    const { problems } = await load(["shop"]);
    assert.equal(problems[0]?.path, "shop/isolens.json");
    assert.deepEqual(problems[0].range?.start, { line: 0, character: 11 });
    assert.match(problems[0].message, /there is no level "nowhere"/u);
  });

  it("reports paths and configurations that do not exist", async () => {
    const { problems } = await load(["nothing", "plain"], { configurationFile: "none.json" });
    assert.deepEqual(problems, [
      { path: "nothing", message: "no such file or folder" },
      { path: "none.json", message: "not read: no such file or folder" },
    ]);
  });

  it("reads what is text and says why the rest is not", async () => {
    const { projects } = await load(["odd"]);
    assert.deepEqual(shown(projects), [": odd/empty.sql odd/latin.sql odd/utf16.sql"]);
    assert.deepEqual(
      projects[0]?.skipped.map(({ file, reason }) => `${file}: ${reason}`),
      [
        "odd/binary.sql: not read: binary, not text",
        "odd/large.sql: not read: 8.0 MB, more than 8 MB",
      ],
    );
    assert.deepEqual(
      projects[0].files.map(({ text }) => text),
      ["", "-- caf\u00e9", "select 9;"],
    );
  });

  it("prefers texts of open documents, also of files that are not saved yet", async () => {
    const openTexts = new Map([
      [path.join(root, "plain/a.sql"), "changed"],
      [path.join(root, "plain/new.sql"), "new"],
    ]);
    const { projects } = await load(["plain", "plain/new.sql"], { openTexts });
    assert.deepEqual(
      projects[0]?.files.map(({ text }) => text),
      ["changed", "select 5;", "new"],
    );
  });
});
