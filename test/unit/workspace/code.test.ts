// Which files of code a project reads, which modules it knows, and what it leaves out and says so.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { createResolver } from "../../../server/src/frontend/code/modules/resolve";
import { mayUseDatabase, notByHand } from "../../../server/src/frontend/code/callGraph/prefilter";
import { chooseCode, type CodeCache } from "../../../server/src/workspace/codeFiles";
import { importsIn } from "../../../server/src/workspace/importers";
import { openSources } from "../../../server/src/workspace/sources";
import {
  loadProjects,
  type LoadOptions,
  type Project,
} from "../../../server/src/workspace/projects";

const QUERY = 'import { Pool } from "pg"; new Pool().query("SELECT 1");';

async function withFiles<Result>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-code-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function load(
  cwd: string,
  paths: readonly string[] = ["."],
  options: Partial<LoadOptions> = {},
): Promise<Project> {
  const { projects, problems } = await loadProjects(paths, { cwd, ...options });
  assert.deepEqual(problems, []);
  const [project] = projects;
  assert.ok(project);
  assert.equal(projects.length, 1);
  return project;
}

function inFolder(
  folder: string,
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]),
  );
}

const names = (files: readonly { readonly file: string }[]): readonly string[] =>
  files.map(({ file }) => file);

describe("files of code", () => {
  it("of folders outside of the working one have their own modules and schemas", async () => {
    const files = {
      "here/z.sql": "SELECT 1;",
      "app/schema.prisma": "model A { id Int @id }",
      "app/src/a.ts":
        'import { b } from "./b"; import { Pool } from "pg"; new Pool().query("SELECT $1", [b]);',
      "app/src/b.ts": "export const b = 1;",
      "more/c.ts": QUERY,
    };
    await withFiles(files, async (folder) => {
      const here = path.join(folder, "here");
      const one = await load(here, ["../app"]);
      assert.deepEqual(names(one.files), ["../app/src/a.ts"]);
      assert.deepEqual(one.code?.files, ["../app/src/a.ts", "../app/src/b.ts"]);
      assert.deepEqual(one.code.schemas, ["../app/schema.prisma"]);
      const several = await load(here, ["../app", "../app/src", "../more", "."]);
      assert.deepEqual(names(several.files), ["../app/src/a.ts", "../more/c.ts", "z.sql"]);
      const modules = ["../app/src/a.ts", "../app/src/b.ts", "../more/c.ts"];
      assert.deepEqual(several.code?.files, modules);
      assert.deepEqual(several.code.schemas, ["../app/schema.prisma"]);
    });
  });

  it("have the schemas and modules of their own repository, and none of one beside it", async () => {
    const own = {
      "src/a.ts": QUERY,
      "lib/b.ts": "export const b = 1;",
      "db/schema.prisma": "model A { id Int @id }",
    };
    const beside = { "c.ts": QUERY, "schema.prisma": "model C { id Int @id }" };
    const markers = [".git/HEAD", "package.json", "pom.xml"];
    for (const marker of markers) {
      const files = {
        ...inFolder("one", own),
        ...inFolder("two", beside),
        [`one/${marker}`]: "{}",
      };
      await withFiles(files, async (folder) => {
        for (const asked of ["one", "one/src"]) {
          const { code } = await load(folder, [asked]);
          assert.deepEqual(code?.files, ["one/lib/b.ts", "one/src/a.ts"], `${marker} ${asked}`);
          assert.deepEqual(code.schemas, ["one/db/schema.prisma"]);
        }
      });
    }
    const unmarked = { ...inFolder("one", own), ...inFolder("two", beside) };
    await withFiles(unmarked, async (folder) => {
      const { code } = await load(folder, ["one"]);
      assert.deepEqual(code?.schemas, ["one/db/schema.prisma"]);
      const named = await load(folder, ["two/c.ts"]);
      assert.deepEqual(named.code?.schemas, ["two/schema.prisma"]);
      const both = await load(folder, ["one", "two"]);
      assert.deepEqual(both.code?.schemas, ["one/db/schema.prisma", "two/schema.prisma"]);
      const all = await load(folder);
      assert.deepEqual(all.code?.schemas, ["one/db/schema.prisma", "two/schema.prisma"]);
    });
  });

  it("are read where they may use a database; all that may be imported are modules", async () => {
    const files = {
      "a.ts": QUERY,
      "b.js": "export const b = 1;",
      "c/D.java": "class D { @Transactional void m() {} }",
      "e.d.ts": QUERY,
      "f.test.ts": QUERY,
      "g-test.ts": QUERY,
      "tests/h.ts": QUERY,
      "node_modules/i/index.js": QUERY,
      "dist/j.js": QUERY,
      "build/k.js": QUERY,
      "generated/l.ts": QUERY,
      ".next/m.js": QUERY,
      "n.min.js": QUERY,
      "o.sql": "SELECT 1;",
      "src/test/java/P.java": "class P { @Transactional void m() {} }",
      "schema.prisma": "model A { id Int @id }",
    };
    await withFiles(files, async (folder) => {
      const project = await load(folder);
      assert.deepEqual(names(project.files), ["a.ts", "c/D.java", "o.sql"]);
      assert.deepEqual(project.code?.files, [
        "a.ts",
        "b.js",
        "c/D.java",
        "f.test.ts",
        "g-test.ts",
        "src/test/java/P.java",
        "tests/h.ts",
      ]);
      assert.deepEqual(project.code.schemas, ["schema.prisma"]);
      assert.equal(project.code.text(project.code.files[1] ?? assert.fail()), files["b.js"]);
    });
  });

  it("are read where what they import uses a database, by way of others as well", async () => {
    const files = {
      "queries/user.js": QUERY,
      "queries/index.js": 'module.exports = { user: require("./user") };',
      "handlers/user.js": 'const query = require("../queries");',
      "src/service.ts": QUERY,
      "src/service.tsx": "export const Service = () => <p />;",
      "packages/store/src/index.ts": QUERY,
      "app/order.ts": 'import { save } from "@shop/store";',
      "src/action.ts": 'import { save } from "@/service";',
      "src/esm.ts": 'import { save } from "./service.js";',
      "src/form.tsx": '"use server"; import { save } from "./service";',
      "src/types.ts": 'import type { Saved } from "./service";',
      "src/page.tsx": 'import { load } from "./service";',
      "src/hook.ts": '// Of a browser.\n"use client";\nimport { save } from "./service";',
      "src/other.ts": 'import { x } from "./types";',
      "src/service.test.ts": 'import { save } from "./service";',
    };
    await withFiles(files, async (folder) => {
      assert.deepEqual(names((await load(folder)).files), [
        "app/order.ts",
        "handlers/user.js",
        "packages/store/src/index.ts",
        "queries/index.js",
        "queries/user.js",
        "src/action.ts",
        "src/esm.ts",
        "src/form.tsx",
        "src/service.ts",
      ]);
    });
  });

  it("are skipped with a reason where what they import uses a database and they cannot be read again", async () => {
    const files = { "a.ts": QUERY, "b.ts": 'import "./a";' };
    await withFiles(files, async (folder) => {
      const paths = Object.keys(files).map((name) => path.join(folder, name));
      const sources = openSources({ roots: [folder], most: Object.values(files).join("").length });
      const { skipped } = await chooseCode(paths, folder, { sources });
      assert.deepEqual(skipped, [
        { file: "b.ts", reason: "not read: the files before it fill 512 MB" },
      ]);
    });
  });

  it("are looked through for imports in linear time", () => {
    assert.deepEqual(importsIn("a.ts", "import type ".repeat(100_000)), []);
  });

  it("are read among sources whatever their folder is called, and not where tools write", async () => {
    const files = {
      "src/main/adapter/out/store.ts": QUERY,
      "out/store.ts": QUERY,
      "app/build/store.ts": QUERY,
      "src/vendor/store.ts": QUERY,
    };
    await withFiles(files, async (folder) => {
      assert.deepEqual(names((await load(folder)).files), ["src/main/adapter/out/store.ts"]);
    });
  });

  it("cost nothing where none uses a database", async () => {
    await withFiles({ "a.ts": "export const a = 1;", "o.sql": "" }, async (folder) => {
      const project = await load(folder);
      assert.deepEqual(names(project.files), ["o.sql"]);
      assert.equal(project.code, undefined);
    });
  });

  it("are read when they are named, tests as well", async () => {
    const files = { "src/a.test.ts": "export {}", "src/b.ts": "", "package.json": "{}" };
    await withFiles(files, async (folder) => {
      const project = await load(folder, ["src/a.test.ts"]);
      assert.deepEqual(names(project.files), ["src/a.test.ts"]);
      assert.deepEqual(project.code?.files, ["src/a.test.ts", "src/b.ts"]);
    });
  });

  it("follow include and exclude; what is not included can still be imported", async () => {
    const files = {
      "isolens.json": '{ "include": ["src/**/*.ts"], "exclude": ["src/old"] }',
      "src/a.ts": QUERY,
      "src/old/b.ts": QUERY,
      "lib/c.ts": QUERY,
    };
    await withFiles(files, async (folder) => {
      const project = await load(folder);
      assert.deepEqual(names(project.files), ["src/a.ts"]);
      assert.deepEqual(project.code?.files, ["lib/c.ts", "src/a.ts"]);
    });
  });

  it("that are generated, minified or very large are not read, and it is said why", async () => {
    const files = {
      "a.ts": `// Code generated by a tool. DO NOT EDIT.\n${QUERY}`,
      "b.js": `${QUERY.repeat(200)}\n`,
      "c.ts": `${QUERY}\n${"// more\n".repeat(300_000)}`,
      "d.ts": QUERY,
      "e.ts": "// Code generated by a tool.\nexport const nothing = 1;",
    };
    await withFiles(files, async (folder) => {
      const project = await load(folder);
      assert.deepEqual(names(project.files), ["d.ts"]);
      assert.deepEqual(
        project.skipped.map(({ file, reason }) => `${file}: ${reason}`),
        ["a.ts: generated code", "b.js: minified code", "c.ts: not read: 2.3 MB, more than 2 MB"],
      );
    });
  });

  it("are as they are in the editor", async () => {
    await withFiles({ "a.ts": QUERY, "b.ts": "", "c.ts": "" }, async (folder) => {
      const openTexts = new Map([
        [path.join(folder, "a.ts"), "export {};"],
        [path.join(folder, "b.ts"), QUERY],
        [path.join(folder, "c.ts"), "let open;"],
      ]);
      const project = await load(folder, ["."], { openTexts });
      assert.deepEqual(names(project.files), ["b.ts"]);
      const [, , last] = project.code?.files ?? [];
      assert.equal(last && project.code?.text(last), "let open;");
    });
  });

  it("are judged again only when they change", async () => {
    await withFiles({ "a.ts": QUERY, "b.ts": "export {};" }, async (folder) => {
      const codeCache: CodeCache = new Map();
      const first = await load(folder, ["."], { codeCache });
      const second = await load(folder, ["."], { codeCache });
      assert.equal(first.files[0]?.text, second.files[0]?.text);
      assert.equal(first.code?.digest(), second.code?.digest());
      const changed = path.join(folder, "b.ts");
      writeFileSync(changed, `${QUERY}//`);
      utimesSync(changed, 1, 1);
      const third = await load(folder, ["."], { codeCache });
      assert.deepEqual(names(third.files), ["a.ts", "b.ts"]);
    });
  });

  it("change the digest when a module does that is not read", async () => {
    await withFiles({ "a.ts": QUERY, "b.ts": "export {};" }, async (folder) => {
      const before = (await load(folder)).code?.digest();
      writeFileSync(path.join(folder, "b.ts"), "export const b = 1;");
      assert.notEqual((await load(folder)).code?.digest(), before);
    });
  });

  it("name the database whose level is the default", async () => {
    const check = async (files: Readonly<Record<string, string>>, level: string): Promise<void> => {
      await withFiles(files, async (folder) => {
        assert.equal((await load(folder)).configuration.level.name, level);
      });
    };
    await check({ "a.ts": QUERY }, "postgres:read-committed");
    await check({ "a.ts": QUERY.replace('"pg"', '"mysql2/promise"') }, "mysql:repeatable-read");
    await check(
      { "A.java": 'class A { String u = "jdbc:mysql://h/d"; SQLStmt s; }' },
      "mysql:repeatable-read",
    );
    await check(
      { "a.ts": "prisma.a.findMany()", "p/schema.prisma": 'datasource db { provider = "mysql" }' },
      "mysql:repeatable-read",
    );
  });

  it("find their modules by package.json and tsconfig.json", async () => {
    const files = {
      "apps/web/a.ts": QUERY,
      "apps/web/lib/b.ts": "",
      "apps/web/tsconfig.json": '{ "extends": "../../tsconfig.base", /* c */ "include": ["."], }',
      "tsconfig.base.json":
        '{ "compilerOptions": { "baseUrl": ".", "paths": { "~/*": ["apps/web/lib/*"] } } }',
      "packages/c/package.json":
        '{ "name": "@x/c", "exports": { "./d": { "import": "./dist/d.js" } }, "main": "dist/index.js" }',
      "packages/c/src/index.ts": "",
      "packages/c/src/d.ts": "",
      "packages/e/package.json": "{ not json",
    };
    await withFiles(files, async (folder) => {
      const project = await load(folder);
      assert.ok(project.code);
      const resolve = createResolver(project.code);
      const [from] = project.code.files;
      assert.ok(from);
      assert.equal(resolve(from, "~/b"), "apps/web/lib/b.ts");
      assert.equal(resolve(from, "@x/c"), "packages/c/src/index.ts");
      assert.equal(resolve(from, "@x/c/d"), "packages/c/src/d.ts");
    });
  });

  it("know by tsconfig.json whether null is checked", async () => {
    const files = {
      "a.ts": QUERY,
      "tsconfig.json": '{ "compilerOptions": { "strict": false, "strictNullChecks": true } }',
      "b/tsconfig.json": '{ "extends": "../loose" }',
      "loose.json": '{ "compilerOptions": { "strict": false } }',
      "c/tsconfig.json": "{}",
    };
    await withFiles(files, async (folder) => {
      const project = await load(folder);
      assert.deepEqual(
        new Set(project.code?.nullChecks),
        new Set([
          { folder: "", isOn: true },
          { folder: "b", isOn: false },
        ]),
      );
    });
  });
});

it("words of databases are found, other code is not", () => {
  for (const text of [
    "await prisma.$transaction([])",
    "db.transaction(async (tx) => {})",
    "@Transactional()",
    "conn.setAutoCommit(false)",
    "client.query('x')",
    "sql`SELECT`",
    "require('mysql2')",
    'import postgres from "postgres"',
    "new SQLStmt()",
    "ctx.db.task.findUnique({ where })",
    "await ctx.db\n  .task.update({ where })",
    "this.db.select().from(tasks)",
    "store.user.findMany()",
    'db("tasks").where({ id })',
    "trx<Task>('tasks').first()",
    "const queue = await Queue.findByPk(id);",
    "await Setting.findOne({ where: { key } })",
    "Users.findOneByOrFail({ id })",
  ]) {
    assert.ok(mayUseDatabase(text), text);
  }
  for (const text of ["", "export const a = 1;", "fetch('/x')", "<div/>", 'import "./db.js"']) {
    assert.ok(!mayUseDatabase(text), text);
  }
});

it("what nobody wrote by hand is told by its head and its lines", () => {
  assert.equal(notByHand("/* eslint-disable */\n/**\n * @generated by x\n */"), "generated code");
  assert.equal(notByHand("// This file was automatically generated."), "generated code");
  assert.equal(notByHand("const text = '@generated';"), undefined);
  assert.equal(notByHand("// Ids are generated by the database."), undefined);
  assert.equal(notByHand(`a(${"1,".repeat(10_000)})`), "minified code");
  assert.equal(notByHand("const a = 1;\n".repeat(10_000)), undefined);
});
