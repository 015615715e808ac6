// Trees read from the runtime's memory are those that the runtime tells node by node: of this repository's own code, of
// code with errors in it, and of what an edit made of a tree.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { before, test } from "node:test";
import { Edit, Language, Parser, type Tree } from "web-tree-sitter";
import {
  isTreeOf,
  treeAt,
  treeTables,
  type RuntimeMemory,
  type TreeTables,
} from "../../../server/src/engine/runtimeTrees";
import { walkedTree, type GrammarNames } from "../../../server/src/engine/walkedTrees";
import {
  codeLanguageOf,
  type CodeLanguage,
} from "../../../server/src/frontend/code/workspace/codeParsers";
import { randomFrom } from "../../bench/randomRun";

const root = path.join(__dirname, "../../..");
const own = createRequire(__filename);

interface Grammar extends GrammarNames {
  readonly parser: Parser;
  readonly address: number;
  readonly tables: TreeTables;
}

let memory: RuntimeMemory;
const grammars = new Map<CodeLanguage, Grammar>();

before(async () => {
  const options = {};
  await Parser.init(options);
  memory = options as RuntimeMemory;
  for (const name of ["typescript", "tsx", "javascript", "java"] as const) {
    const file = own.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
    const language = await Language.load(new Uint8Array(readFileSync(file)));
    const parser = new Parser();
    parser.setLanguage(language);
    const isNamed = language.types.map((_type, id) => language.nodeTypeIsNamed(id));
    const names = { types: language.types, isNamed, fields: language.fields };
    const address = addressOf(language);
    const tables = treeTables(memory, address, names);
    assert.ok(tables, name);
    grammars.set(name, { ...names, parser, address, tables });
  }
});

function addressOf(held: object): number {
  const address: unknown = Reflect.get(held, 0);
  assert.ok(typeof address === "number");
  return address;
}

function grammarOf(language: CodeLanguage): Grammar {
  const grammar = grammars.get(language);
  assert.ok(grammar);
  return grammar;
}

function checkTree(tree: Tree, grammar: Grammar, about: string): void {
  const at = addressOf(tree);
  assert.ok(isTreeOf(memory, at, grammar.address), about);
  const read = treeAt(memory, at, grammar.tables, undefined);
  assert.deepEqual(read, walkedTree(tree.walk(), grammar, undefined), about);
}

function check(language: CodeLanguage, text: string, about: string): void {
  const grammar = grammarOf(language);
  const tree = grammar.parser.parse(text);
  assert.ok(tree, about);
  checkTree(tree, grammar, about);
  tree.delete();
}

/** The files of code below a folder, with their texts. */
function codeBelow(folder: string): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => codeLanguageOf(file) !== undefined && !file.includes("node_modules"))
    .map((file) => ({ file, text: readFileSync(path.join(root, folder, file), "utf8") }));
}

for (const folder of ["server/src/frontend", "server/src/engine", "webview/src", "test/apps"]) {
  test(`the files of ${folder}`, () => {
    const files = codeBelow(folder);
    assert.ok(files.length > 0);
    for (const { file, text } of files) {
      const language = codeLanguageOf(file);
      assert.ok(language);
      check(language, text, file);
    }
  });
}

test("texts with errors in them, in every grammar", () => {
  const random = randomFrom(9);
  const at = (text: string): number => Math.floor(random() * text.length);
  for (const { file, text } of codeBelow("test/apps")) {
    const [first, second] = [at(text), at(text)].toSorted((a, b) => a - b);
    const cut = text.slice(0, first) + text.slice(second);
    for (const language of grammars.keys()) check(language, cut, `${file} in ${language}`);
  }
});

test("small and strange texts, in every grammar", () => {
  const texts = [
    "",
    " ",
    "\n\n",
    "}",
    "f(",
    "/* a",
    "// é",
    "a\u0000b",
    "\ufeffa;",
    "😀",
    "<a>b</a>",
  ];
  for (const text of texts) {
    for (const language of grammars.keys()) check(language, text, JSON.stringify(text));
  }
});

test("a tree that an edit changed, before and after it is parsed again", () => {
  const text = "function a(b) {\n  // c\n  return `d${b}`;\n}\nclass E { f = 1 }\n";
  const grammar = grammarOf("typescript");
  const tree = grammar.parser.parse(text);
  assert.ok(tree);
  const now = text.replace("// c", "g(b, 2);");
  const start = text.indexOf("// c");
  const lengths = { oldEndIndex: start + 4, newEndIndex: start + 8 };
  const row = { row: 1, column: 2 };
  tree.edit(
    new Edit({
      startIndex: start,
      ...lengths,
      startPosition: row,
      oldEndPosition: { row: 1, column: 6 },
      newEndPosition: { row: 1, column: 10 },
    }),
  );
  checkTree(tree, grammar, "edited");
  const again = grammar.parser.parse(now, tree);
  assert.ok(again);
  checkTree(again, grammar, "parsed again");
});

test("what is known already comes without its children, and is asked of the root's children alone", () => {
  const grammar = grammarOf("javascript");
  const text = "a(1);\nif (b) c(2);\nd(";
  const tree = grammar.parser.parse(text);
  assert.ok(tree);
  const asked = (
    read: (isKnown: (type: string, start: number, end: number) => boolean) => unknown,
  ) => {
    const found: string[] = [];
    const result = read((type, start, end) => {
      found.push(`${type} ${text.slice(start, end)}`);
      return type === "if_statement";
    });
    return { found, result };
  };
  const read = asked((isKnown) => treeAt(memory, addressOf(tree), grammar.tables, isKnown));
  const told = asked((isKnown) => walkedTree(tree.walk(), grammar, isKnown));
  assert.deepEqual(read, told);
  assert.ok(read.found.includes("if_statement if (b) c(2);"));
});

test("what cannot be a grammar has no tables", () => {
  const nothing = new ArrayBuffer(1024);
  new Uint32Array(nothing).fill(0xffff_ffff);
  const views = {
    HEAPU8: new Uint8Array(nothing),
    HEAPU16: new Uint16Array(nothing),
    HEAPU32: new Uint32Array(nothing),
  };
  assert.equal(treeTables(views, 0, grammarOf("java")), undefined);
  assert.equal(isTreeOf(views, 0, 4), false);
});
