// Trees of code as plain data: what a grammar says, and that a tree made from an earlier one is the same as a fresh one.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import {
  codeLanguageOf,
  type CodeLanguage,
  type CodeParsers,
  type CodeTree,
  type SyntaxNode,
} from "../../../server/src/frontend/code/workspace/codeParsers";
import { trapText } from "../../support/trapText";

let parsers: CodeParsers;

before(async () => {
  parsers = await loadCodeParsers();
});

function parse(language: CodeLanguage, text: string, old?: CodeTree): CodeTree {
  const tree = parsers.parse(language, text, { keep: true, ...(old && { old }) });
  assert.ok(tree, "the parser gave up");
  return tree;
}

/** Named nodes as `field:type(children)`, tokens that are not named left out. */
function shape(node: SyntaxNode): string {
  const inner = node.children.filter((child) => child.isNamed).map(shape);
  const field = node.field === undefined ? "" : `${node.field}:`;
  return `${field}${node.type}${inner.length > 0 ? `(${inner.join(" ")})` : ""}`;
}

function check(language: CodeLanguage, text: string, expected: string): void {
  test(`${language}: ${text}`, () => {
    assert.equal(shape(parse(language, text).root), expected);
  });
}

check(
  "typescript",
  "let a: T = 1",
  "program(lexical_declaration(variable_declarator(name:identifier type:type_annotation(type_identifier) value:number)))",
);
check(
  "tsx",
  "<A b={c}/>",
  "program(expression_statement(jsx_self_closing_element(name:identifier attribute:jsx_attribute(property_identifier jsx_expression(identifier)))))",
);
check(
  "javascript",
  "a?.b",
  "program(expression_statement(member_expression(object:identifier optional_chain:optional_chain property:property_identifier)))",
);
check(
  "java",
  "class A { int b; }",
  "program(class_declaration(name:identifier body:class_body(field_declaration(type:integral_type declarator:variable_declarator(name:identifier)))))",
);

test("places are UTF-16 offsets of the text", () => {
  const text = 'const 𝒳 = "😀", b = 1;';
  const found: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "identifier" || node.type === "string") {
      found.push(text.slice(node.start, node.end));
    }
    node.children.forEach(visit);
  };
  visit(parse("typescript", text).root);
  assert.deepEqual(found, ["𝒳", '"😀"', "b"]);
});

test("what is missing is marked", () => {
  const missing: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.isMissing) missing.push(node.type);
    node.children.forEach(visit);
  };
  visit(parse("typescript", "f(a;").root);
  assert.deepEqual(missing, [")"]);
});

test("a tree made from an earlier one is that of the text alone", () => {
  const base = 'const a = "𝒳";\nfunction f(b) {\n  return `x${b}`;\n}\n// end 😀\nclass C {}\n';
  const edits: readonly (readonly [at: number, length: number, insert: string])[] = [
    [0, 0, "import x from 'y';\n"],
    [7, 3, "if"],
    [20, 10, ""],
    [30, 0, "`"],
    [30, 1, ""],
    [5, 40, "😀\n\n("],
    [0, 1000, "let z = 1"],
    [9, 0, "\n"],
  ];
  let text = base;
  let tree = parse("typescript", text);
  for (const [at, length, insert] of edits) {
    text = text.slice(0, at) + insert + text.slice(at + length);
    tree = parse("typescript", text, tree);
    assert.deepEqual(tree.root, parse("typescript", text).root, text);
  }
});

test("deep nesting and a large file are read", () => {
  const deep = `x = ${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  let depth = 0;
  for (
    let node: SyntaxNode | undefined = parse("javascript", deep).root;
    node;
    node = node.children.findLast((child) => child.isNamed)
  ) {
    depth += 1;
  }
  assert.ok(depth > 20_000, String(depth));
  const large = "f(1);\n".repeat(20_000);
  assert.equal(parse("javascript", large).root.children.length, 20_000);
});

test("the grammar of a file is told by its name", () => {
  const names = ["a.ts", "A.MTS", "a.cts", "a.tsx", "a.js", "a.jsx", "a.mjs", "a.cjs", "A.java"];
  assert.deepEqual(
    names.map(codeLanguageOf),
    ["typescript", "typescript", "typescript", "tsx"].concat(
      Array.from({ length: 4 }, () => "javascript"),
      "java",
    ),
  );
  assert.deepEqual(["a.d.ts", "a.d.mts", "a.sql", "ts", "a.py"].map(codeLanguageOf), [
    ...Array.from({ length: 5 }, () => undefined),
  ]);
});

test("a text that traps the runtime is given up, and the next texts are parsed by another one", () => {
  const kept = parse("typescript", "let a = 1");
  assert.equal(parsers.parse("typescript", trapText("a")), undefined);
  for (const language of ["typescript", "tsx", "javascript", "java"] as const) {
    assert.ok(parsers.parse(language, "class A { }"), language);
  }
  // A tree of the runtime that trapped is no start for another one's.
  assert.equal(shape(parse("typescript", "let ab = 1", kept).root), shape(kept.root));
});

test("a text that trapped once does not cost another runtime", () => {
  for (let time = 0; time < 5; time++) {
    assert.equal(parsers.parse("typescript", trapText("a")), undefined);
    assert.ok(parsers.parse("typescript", "let a = 1"));
  }
});

test("texts that trap one after the other leave a parser behind", async () => {
  for (const name of ["b", "c", "d"]) {
    assert.equal(parsers.parse("typescript", trapText(name)), undefined);
    await new Promise(setImmediate);
    assert.ok(parsers.parse("typescript", "let a = 1"), name);
  }
});
