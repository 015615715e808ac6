// Which files imports name, and that modules are parsed once and again only when they change.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { CodeParsers } from "../../../../server/src/frontend/code/workspace/codeParsers";
import { createModuleReader } from "../../../../server/src/frontend/code/modules/modules";
import {
  mayLeadOutside,
  nearDatabase,
} from "../../../../server/src/frontend/code/callGraph/moduleReachability";
import { createNameReachability } from "../../../../server/src/frontend/code/callGraph/nameReachability";
import { atOnce } from "../../../../server/src/frontend/code/queries/slices";
import { createResolver } from "../../../../server/src/frontend/code/modules/resolve";
import { ownEntry } from "../../../../server/src/protocol/dictionary";
import type { FileId } from "../../../../server/src/protocol/source";
import { printHir } from "../../../support/printHir";
import type { CodeFiles } from "../../../../server/src/frontend/code/modules/codeFiles";

let parsers: CodeParsers;
let parsed: string[] = [];

before(async () => {
  const real = await loadCodeParsers();
  parsers = {
    parse(language, text, options) {
      parsed.push(`${options?.old ? "again" : "first"} ${text}`);
      return real.parse(language, text, options);
    },
  };
});

// The one place where names become ids.
const id = (name: string): FileId => name as FileId;

function code(
  texts: Readonly<Record<string, string>>,
  more: Partial<Pick<CodeFiles, "packages" | "pathMaps">> = {},
): CodeFiles {
  return {
    files: Object.keys(texts).map(id),
    text: (file) => ownEntry(texts, file),
    packages: [],
    pathMaps: [],
    ...more,
  };
}

const FILES = [
  "src/a.ts",
  "src/b.tsx",
  "src/c.js",
  "src/d.mts",
  "src/dir/index.ts",
  "src/dir/e.ts",
  "src/dir.ts",
  "lib/f.ts",
  "packages/g/src/index.ts",
  "packages/g/src/h.ts",
  "packages/i/main.js",
  "../outside/j.ts",
  "index.ts",
];

/** From `from`, importing `specifier`. */
function check(from: string, specifier: string, expected: string | undefined): void {
  test(`${from}: ${specifier}`, () => {
    const resolve = createResolver({
      ...code(Object.fromEntries(FILES.map((file) => [file, ""]))),
      packages: [
        {
          name: "@x/g",
          folder: "packages/g",
          entries: [
            { subpath: ".", targets: ["./dist/index.js"] },
            { subpath: "./*", targets: ["./dist/esm/*.d.ts"] },
          ],
        },
        { name: "i", folder: "packages/i", entries: [{ subpath: ".", targets: ["main.js"] }] },
      ],
      pathMaps: [
        {
          folder: "",
          base: "",
          isBaseUrl: true,
          paths: [
            { pattern: "@/*", targets: ["nowhere/*", "src/*"] },
            { pattern: "@/dir/*", targets: ["lib/*"] },
            { pattern: "~f", targets: ["./lib/f"] },
          ],
        },
        {
          folder: "packages/g",
          base: "packages/g/src",
          isBaseUrl: false,
          paths: [{ pattern: "#*", targets: ["*"] }],
        },
      ],
    });
    assert.equal(resolve(id(from), specifier), expected);
  });
}

check("src/a.ts", "./b", "src/b.tsx");
check("src/a.ts", "./b.js", "src/b.tsx");
check("src/a.ts", "./c", "src/c.js");
check("src/a.ts", "./c.js", "src/c.js");
check("src/a.ts", "./d.mjs", "src/d.mts");
check("src/a.ts", "./dir", "src/dir.ts");
check("src/a.ts", "./dir/", "src/dir/index.ts");
check("src/a.ts", "./dir/index", "src/dir/index.ts");
check("src/dir/e.ts", ".", "src/dir/index.ts");
check("src/dir/e.ts", "..", undefined);
check("src/dir/e.ts", "../..", "index.ts");
check("src/dir/e.ts", "../../lib/f", "lib/f.ts");
check("src/a.ts", "../../outside/j", "../outside/j.ts");
check("src/a.ts", "./missing", undefined);
check("src/a.ts", "pg", undefined);
check("src/a.ts", "@/a", "src/a.ts");
check("src/a.ts", "@/dir/f", "lib/f.ts");
check("src/a.ts", "@/dir/e", undefined);
check("src/a.ts", "~f", "lib/f.ts");
check("src/a.ts", "lib/f", "lib/f.ts");
check("src/a.ts", "@x/g", "packages/g/src/index.ts");
check("src/a.ts", "@x/g/h", "packages/g/src/h.ts");
check("src/a.ts", "i", "packages/i/main.js");
check("packages/g/src/h.ts", "#index", "packages/g/src/index.ts");
check("packages/g/src/h.ts", "@/a", undefined);

test("modules are parsed when they are asked for, and again when their text changes", () => {
  const reader = createModuleReader(parsers);
  const texts = {
    "a.ts": "import { b } from './b'; b();",
    "b.ts": "export const b = 1",
    "c.ts": "",
  };
  parsed = [];
  const first = reader.modules(code(texts));
  const target = first.resolve(id("a.ts"), "./b");
  assert.equal(target, "b.ts");
  assert.equal(printHir(first.moduleOf(id("b.ts")) ?? assert.fail()), "const b = 1\nexport b as b");
  assert.deepEqual(parsed, ["first export const b = 1"]);
  assert.equal(first.moduleOf(id("b.ts")), first.moduleOf(id("b.ts")));

  const same = reader.modules(code(texts));
  assert.equal(same.moduleOf(id("b.ts")), first.moduleOf(id("b.ts")));
  assert.equal(parsed.length, 1);

  for (const number of ["2", "23", "234"]) {
    const edited = reader.modules(code({ ...texts, "b.ts": `export const b = ${number}` }));
    const module = edited.moduleOf(id("b.ts")) ?? assert.fail();
    assert.equal(printHir(module), `const b = ${number}\nexport b as b`);
  }
  assert.deepEqual(
    parsed.map((each) => each.split(" ")[0]),
    ["first", "first", "again", "again"],
  );
});

test("what is not there, not code or cannot be read is no module", () => {
  const files = code({ "a.ts": "", "b.sql": "SELECT 1" });
  const modules = createModuleReader(parsers).modules({ ...files, text: () => undefined });
  assert.equal(modules.moduleOf(id("a.ts")), undefined);
  const others = createModuleReader(parsers).modules(files);
  assert.equal(others.moduleOf(id("b.sql")), undefined);
  assert.equal(others.moduleOf(id("c.ts")), undefined);
});

test("Java's names are found by package and class", () => {
  const modules = createModuleReader(parsers).modules(
    code({
      "x/A.java": "package x; import y.B; class A {}",
      "y/B.java": "package y; public class B {}",
    }),
  );
  assert.equal(modules.resolve(id("x/A.java"), "y.B"), "y/B.java");
  assert.equal(modules.moduleOf(id("y/B.java"))?.package, "y");
});

/** Texts of edits: whole statements, halves of them, and what moves everything behind it. */
const PIECES = [
  "",
  "\n",
  "// a remark\n",
  "const q = 1;\n",
  "}",
  "(",
  "`",
  'import a from "b";\n',
  "export function z(x: number) { return x; }\n",
];

test("a module after any edits is the one that its text alone gives", () => {
  const first = [
    'import { pool } from "./pool";',
    "const limit = 10;",
    "export async function read(id: number) {",
    "  const { rows } = await pool.query(`SELECT * FROM t WHERE id = ${id}`);",
    '  return rows.length > limit ? "a\\nb" : rows[0];',
    "}",
    "export class Store { constructor(private readonly db: Db) {} @log() get(a = 1) { return this.db.f(a); } }",
    "module.exports = { limit, read };",
  ].join("\n");
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          at: fc.nat(first.length),
          drop: fc.nat(12),
          piece: fc.constantFrom(...PIECES),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      (edits) => {
        const reader = createModuleReader(parsers);
        let text = first;
        const name = id("a.ts");
        reader.modules(code({ [name]: text })).moduleOf(name);
        for (const { at, drop, piece } of edits) {
          text = text.slice(0, at) + piece + text.slice(at + drop);
          const files = code({ [name]: text });
          assert.deepEqual(
            reader.modules(files).moduleOf(name),
            createModuleReader(parsers).modules(files).moduleOf(name),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("functions of files from which nothing leads to a database are not looked at", () => {
  const near = (texts: Readonly<Record<string, string>>): readonly string[] => {
    const files = code(texts);
    const modules = createModuleReader(parsers).modules(files);
    const found = atOnce(
      nearDatabase(files.files, modules, { used: new Set(["prisma"]), described: new Set() }),
    );
    return files.files.filter((file) => found.has(file));
  };
  const far = "export const find = (x) => x.get(1); export function add(x) { return x.add(2); }";
  assert.deepEqual(near({ "a.ts": far }), []);
  assert.deepEqual(
    near({ "a.ts": `import { find as other } from "./b"; ${far}`, "b.ts": far }),
    [],
  );
  // By what they import, from however far.
  assert.deepEqual(near({ "a.ts": `import { Pool } from "pg"; ${far}` }), ["a.ts"]);
  assert.deepEqual(
    near({
      "a.ts": 'import { b } from "./b"; import { far } from "./far";',
      "b.ts": 'export * from "./c";',
      "c.ts": 'import { pgTable } from "drizzle-orm/pg-core"; import { find } from "./far";',
      "far.ts": far,
    }),
    ["a.ts", "b.ts", "c.ts"],
  );
  assert.deepEqual(near({ "a.ts": 'import { db } from "@acme/database";' }), ["a.ts"]);
  // By what they call, of whatever.
  const calls = [
    "export const f = (x) => x.query(TEXT);",
    "export const f = (x) => x.thing.execute(TEXT);",
    "export const f = (tx) => tx.user.create({});",
    "export const f = (x) => x.$transaction([]);",
    "export const f = (x) => x.all('SELECT a FROM t');",
    "export const f = (x) => x`UPDATE t SET a = 1`;",
    "export const f = (x) => { const y = require(x); return y.get(1); };",
    "export function f(store: UserRepository) { return store.get(1); }",
    "export class C { constructor(private readonly users: UserDao) {} f() { return this.users.get(1); } }",
  ];
  for (const call of calls) assert.deepEqual(near({ "a.ts": call }), ["a.ts"], call);
  assert.deepEqual(near({ "a.ts": 'import { a } from "./b";', "b.ts": 'import { a } from "./a"; import pg from "pg";' }), ["a.ts", "b.ts"]); // prettier-ignore
});

test("packages are told by their names, paths in them and folders of one's own by what they are", () => {
  const isNear = (from: string): boolean => {
    const files = code({ "a.ts": `import { x } from "${from}";`, "src/b.ts": "export {}" });
    const modules = createModuleReader(parsers).modules(files);
    return mayLeadOutside(from, modules);
  };
  const far = "prosemirror-model refractor/lang/sql y-indexeddb react @icons/free-svg-icons/faWorm";
  const near = "pg drizzle-orm/pg-core some-db @acme/models ~/models/user src/models/user @acme/database/client"; // prettier-ignore
  assert.deepEqual(far.split(" ").filter(isNear), []);
  assert.deepEqual(
    near.split(" ").filter((each) => !isNear(each)),
    [],
  );
});

test("what a call may be by how it is written is not asked of a package that everybody can install", () => {
  const leads = (text: string): boolean => {
    const modules = createModuleReader(parsers).modules(code({ "a.ts": text }));
    const reach = createNameReachability(modules, {
      isReachedBy: () => false,
      isAsked: ({ method, isOfPackage }) => method === "create" && !isOfPackage,
    });
    const [file] = code({ "a.ts": text }).files;
    const hir = file && modules.moduleOf(file)?.body.find(({ kind }) => kind === "function");
    assert.ok(file && hir?.kind === "function");
    return reach.mayLead(file, hir.function);
  };
  const imported = (from: string, body: string): string =>
    `import { Selection } from "${from}"; function f(a) { ${body} }`;
  assert.equal(leads(imported("editor-state", "return Selection.create(a);")), false);
  assert.equal(leads(imported("@acme/editor", "return Selection.create(a);")), true);
  assert.equal(leads(imported("editor-state", "return a.Selection.create(a);")), true);
  assert.equal(leads(imported("editor-state", "const Selection = a(); return Selection.create(a);")), true); // prettier-ignore
});

test("of what files import, no more is parsed than it takes to know that a database is near", () => {
  const texts = {
    "a.ts": 'import { b } from "./b"; import { c } from "./c"; import { d } from "./d";',
    "b.ts": 'import { e } from "./e"; export const b = e;',
    "c.ts": 'import { Pool } from "pg"; export const c = new Pool();',
    "d.ts": 'import { e } from "./e"; export const d = e;',
    "e.ts": "export const e = 1;",
    "f.ts": 'import { d } from "./d"; import { a } from "./a";',
    "g.ts": 'import { d } from "./d";',
  };
  const given = ["a.ts", "c.ts", "f.ts"].map(id);
  const near = (files: readonly FileId[]): readonly FileId[] => {
    parsed = [];
    const modules = createModuleReader(parsers).modules(code(texts));
    return [
      ...atOnce(nearDatabase(files, modules, { used: new Set(), described: new Set() })),
    ].toSorted();
  };
  assert.deepEqual(near(given), given);
  assert.equal(parsed.length, 3);
  // Where nothing is near, all of it is.
  assert.deepEqual(near(["g.ts", "d.ts", "b.ts"].map(id)), []);
  assert.equal(parsed.length, 4);
});
