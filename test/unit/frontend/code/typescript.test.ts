// TypeScript and JavaScript in HIR: small sources beside the printed form, and the places of all nodes.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type {
  CodeLanguage,
  CodeParsers,
} from "../../../../server/src/frontend/code/workspace/codeParsers";
import type { HirModule } from "../../../../server/src/frontend/code/hir";
import { readTypeScript } from "../../../../server/src/frontend/code/typescript/readTypeScript";
import { printHir } from "../../../support/printHir";

let parsers: CodeParsers;

before(async () => {
  parsers = await loadCodeParsers();
});

function read(text: string, language: CodeLanguage = "typescript"): HirModule {
  const tree = parsers.parse(language, text);
  assert.ok(tree, "the parser gave up");
  return readTypeScript(tree);
}

/** Reads as TypeScript; the expected lines are what `printHir` prints. */
function check(source: string, ...expected: readonly string[]): void {
  test(source, () => {
    const module = read(source);
    assert.equal(printHir(module), expected.join("\n"));
    checkPlaces(source, module);
  });
}

function checkJavaScript(source: string, ...expected: readonly string[]): void {
  test(`JavaScript: ${source}`, () => {
    const module = read(source, "javascript");
    assert.equal(printHir(module), expected.join("\n"));
    checkPlaces(source, module);
  });
}

/** Every span lies in the text and in that of the node around it, names and texts stand where they say. */
function checkPlaces(text: string, module: HirModule): void {
  const visit = (value: unknown, around: { start: number; end: number }): void => {
    if (typeof value !== "object" || value === null) return;
    const at: unknown = Reflect.get(value, "span");
    let inner = around;
    if (isSpan(at)) {
      assert.ok(
        at.start >= around.start && at.end <= around.end && at.start <= at.end,
        JSON.stringify([at, around, value]),
      );
      inner = at;
      const name: unknown = Reflect.get(value, "name");
      const kind: unknown = Reflect.get(value, "kind");
      if (
        (kind === "name" || kind === "bind") &&
        typeof name === "string" &&
        /^\w+$/u.test(name) &&
        at.end - at.start === name.length
      ) {
        assert.equal(text.slice(at.start, at.end), name);
      }
      const header: unknown = Reflect.get(value, "header");
      if (isSpan(header)) assert.ok(header.start >= at.start && header.end <= at.end);
    }
    const run: unknown = Reflect.get(value, "text");
    const start: unknown = Reflect.get(value, "start");
    if (typeof run === "string" && typeof start === "number" && !("length" in value)) {
      if (text[start] !== "\\" && text[start] !== "\r") {
        assert.equal(text.slice(start, start + run.length), run);
      }
    }
    for (const child of Object.values(value)) visit(child, inner);
  };
  visit(module.body, { start: 0, end: text.length });
}

function isSpan(value: unknown): value is { start: number; end: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "start" in value &&
    "end" in value &&
    typeof value.start === "number" &&
    typeof value.end === "number"
  );
}

// Literals.
check("1; 1_000; 0x1f; 1.5e3; 10n; 017", "1", "1000", "31", "1500", "10", "15");
check("123456789012345678901234567890n", "<number>");
check("null; undefined; true; false", "null", "undefined", "true", "false");
check(
  String.raw`'a"b'; "a\"b\n\t\x41B\u{1F600}\q\0"`,
  String.raw`"a\"b"`,
  JSON.stringify('a"b\n\tAB😀q\0'),
);
check('"a\\\nb"', '"ab"');
check("`a`; `a${b}c${d.e}`; `\\`\\${x}`", '"a"', "`a${b}c${d.e}`", '"`${x}"');
check("`a\r\nb`", '"a\\nb"');
check("`SELECT ${a} FROM ${`b${c}`}`", "`SELECT ${a} FROM ${`b${c}`}`");
check("sql`a${b}`; a.b`c`; sql<T>`d`", "sql`a${b}`", "a.b`c`", "sql`d`");
check(
  "const r = await tx.$queryRaw<\n  { id: string; 'b': Map<'>', () => A[]> }[]\n>`SELECT ${a}`.b(c)",
  "const r = await tx.$queryRaw`SELECT ${a}`.b(c)",
);
check(
  "f(a<b>(c), d<E | null>`x<${f}>`, `a<${g} and h>`, 'i<j>`')",
  'f(a<b>(c), d`x<${f}>`, `a<${g} and h>`, "i<j>`")',
);
check("a < b; c > `d`; e<F[]>`g`;", "(a < b)", '(c > "d")', "e`g`");

check("/a'b/g", `"/a'b/g"`);
check("// only\n/* comments */");

// Names, members, calls.
check(
  "a.b.c; a?.b; a[0]; a?.[b]; this.x; super.y; a.#p",
  "a.b.c",
  "a?.b",
  "a[0]",
  "a?.[b]",
  "this.x",
  "super.y",
  "a.#p",
);
check(
  "f(); f?.(a, ...b); a.b(c)(d); f<T, U<V>>(x)",
  "f()",
  "f?.(a, ...b)",
  "a.b(c)(d)",
  "f<T, U<V>>(x)",
);
check("new A; new A.B<C>(d)", "new A()", "new A.B<C>(d)");
check(
  "import('x'); import.meta.env; new.target",
  'import("x")',
  "<meta property>.env",
  "<meta property>",
);
check("(await a.b()).c", "await a.b().c");

// Operators.
check("a + b * c; a === b && c || (d ?? e)", "(a + (b * c))", "(((a === b) && c) || (d ?? e))");
check(
  "!a; -b; typeof c; void 0; delete d.e; ~f",
  "(! a)",
  "(- b)",
  "(typeof c)",
  "(void 0)",
  "(delete d.e)",
  "(~ f)",
);
check("a instanceof B; 'c' in d; #e in f", "(a instanceof B)", '("c" in d)', "(#e in f)");
check("a ? b : c ? d : e", "(a ? b ? (c ? d ? e))");
check(
  "a = b; a += 1; a ||= b; a.b = c; a[0] -= 1; a **= 2",
  "a = b",
  "a += 1",
  "a ||= b",
  "a.b = c",
  "a[0] -= 1",
  "a **= 2",
);
check("a++; --b; c.d--", "a++", "--b", "c.d--");
check("a, b, c", "(a, b, c)");
check(
  "a as B; <C>d; e!; f satisfies G; h as const; i as unknown as J",
  "<B>a",
  "<C>d",
  "<>e",
  "<G>f",
  "<const>h",
  "<J><unknown>i",
);

// Objects and arrays.
check(
  "x = {a, b: 1, 'c d': 2, 3: 4, [e]: 5, ...f, ['g']: 6}",
  "x = {a: a, b: 1, c d: 2, 3: 4, [e]: 5, ...f, g: 6}",
);
check(
  "x = {async f(a) { return a }, get b() { return 1 }}",
  "x = {f: function f(a) {return a}, b: <accessor: function b() {return 1}>}",
);
check("[a, , ...b, ]; []; [,]", "[a, undefined, ...b]", "[]", "[undefined]");
check("x = {f: () => 1, g: function () {}}", "x = {f: f() => {return 1}, g: function g() {}}");

// Patterns.
check(
  "const {a, b: c, d = 1, e: {f} = {}, [g]: h, 'i-j': k, ...l} = m",
  "const {a: a, b: c, d: d = 1, e: {f: f} = {}, [g]: h, i-j: k, ...l} = m",
);
check("let [a, , b = 2, [c], ...d] = e, f: T", "let [a, , b = 2, [c], ...d] = e", "let f: T");
check(
  "[a.b, c] = [c, a.b]; ({d: e.f, g = 1} = h)",
  "[a.b, c] = [c, a.b]",
  "{d: e.f, g: g = 1} = h",
);

// Functions.
check(
  "function f(a: number, b?: string, c = 1, ...d: T[]): U { return a }",
  "function f(a: number, b: string, c = 1, ...d: T[]): U {return a}",
);
check("async function* f() { yield 1; yield* g() }", "function* f() {<yield: 1>; <yield: g()>}");
check(
  "const f = async ({ a }: P, [b] = []) => a; x => x",
  "const f = f({a: a}: P, [b] = []) => {return a}",
  "(x) => {return x}",
);
check("function f(this: T, a) {}", "function f(a) {}");
check("function f(a: string): void; function f(a: any) {}", "function f(a: any) {}");
check(
  "exports.f = () => 1; A.prototype.g = function () {}",
  "const exports.f = f() => {return 1}",
  "A.prototype.g = function g() {}",
  "export exports.f as f",
);

// Statements.
check("if (a) b(); else if (c) { d() } else e()", "if (a) {b()} else {if (c) {d()} else {e()}}");
check(
  "for (let i = 0, j = 1; i < n; i++, j--) f(i)",
  "for (let i = 0; let j = 1; (i < n); i++, j--) {f(i)}",
);
check("for (;;) break", "for (; ; ) {break}");
check(
  "for (const [a, b] of c) d(); for await (const e of f) {} for (k in o);",
  "for ([a, b] of c) {d()}",
  "for (e of f) {}",
  "for (k in o) {}",
);
check("while (a) b(); do c(); while (d)", "while (a) {b()}", "do {c()} while (d)");
check("l: for (;;) { continue l } m: { break m }", "l: for (; ; ) {continue l}", "m: {break m}");
check(
  "switch (a) { case 1: case 2: b(); break; default: { c() } }",
  "switch (a) {case 1: ; case 2: b(); break; default: {c()}}",
);
check(
  "try { a() } catch (e: unknown) { b() } finally { c() }",
  "try {a()} catch (e) {b()} finally {c()}",
);
check(
  "try { a() } catch { } try { b() } finally { c() }",
  "try {a()} catch () {}",
  "try {b()} finally {c()}",
);
check(
  "function f() { return; throw new E(); debugger; ; }",
  "function f() {return; throw new E()}",
);
check("{ a; { b } }", "{a; {b}}");
check("with (a) b", "<with statement: a, b>");

// Classes.
check(
  "class A<T> extends B.C<T> implements D, E.F<G> { x = 1; static readonly y: Y; declare z; #p?: P; }",
  "class A extends B.C implements D, E.F {x = 1; static final y: Y; z; #p: P}",
);
check(
  "class A implements D, E.F<G> { private m() {} static async n() {} #o() {} get p() { return 1 } set p(v) {} ['q']() {} [r]() {} }",
  "class A implements D, E.F {private method function m() {}; static method function n() {}; private method function #o() {}; get function p() {return 1}; set function p(v) {}; method function q() {}; method function [r]() {}}",
);
check(
  "class A { constructor(private readonly a: A, public b = 1, c: C) { super(a) } }",
  "class A {final a: A; b; constructor function constructor(a: A, b = 1, c: C) {super(a)}}",
);
check(
  "abstract class A { abstract m(): void; n(): void; [k: string]: X; o() {} }",
  "class A {method function o() {}}",
);
check("class A { static { f() } }", "class A {static final  = () => {f()}()}");
check(
  "const a = class {}; b(class C extends D {})",
  "const a = class a {}",
  "b(class C extends D {})",
);
check(
  "@A @B.C(1, {d: 2}) class E { @F() g: G; @H() async i(@J('k') l: M) {} @N static o = 1 }",
  '@A @B.C(1, {d: 2}) class E {@F g: G; @N static o = 1; method @H function i(@J("k") l: M) {}}',
);
check("@A() export class B {}", "@A class B {}", "export B as B");
check("export default @A class B {}", "@A class B {}", "export B as default");
check(
  "export class A { f = () => this.x }",
  "class A {f = f() => {return this.x}}",
  "export A as A",
);

// Syntax that TypeScript alone has.
check(
  "interface A { b: C } type D = E; declare function f(): void; declare module 'x' {}",
  "type A = { b: C }",
  "type D = E",
);
check("declare const a: A; declare let b: B", "const a: A", "let b: B");
check(
  "enum A { B, C, D = 5, E, F = 'f', G = D << 1, H }",
  'const A = {B: 0, C: 1, D: 5, E: 6, F: "f", G: (D << 1), H: <enum member>}',
);
check("export const enum A { 'b-c' = 'd' }", 'const A = {b-c: "d"}', "export A as A");
check(
  "namespace A { const b = 1; export function c() { return b } export const d = 2 }",
  "const A = () => {const b = 1; function c() {return b}; const d = 2; return {c: c, d: d}}()",
);
check(
  "namespace A.B { export const c = 1 }",
  "const A = {B: () => {const c = 1; return {c: c}}()}",
);
check("import a = b.c.d", "const a = b.c.d");

// Modules.
check(
  "import 'a'; import b from 'c'; import * as d from 'e'; import f, { g, h as i } from 'j'",
  "import default as b from c",
  "import * as d from e",
  "import default as f from j",
  "import g as g from j",
  "import h as i from j",
);
check(
  "import type { A } from 'b'; import { type C, D } from 'e'; import f = require('g')",
  "import A as A from b",
  "import C as C from e",
  "import D as D from e",
  "import * as f from g",
);
check(
  "export { a, b as c, d as default }; export { e } from 'f'; export * from 'g'; export * as h from 'i'",
  "export a as a",
  "export b as c",
  "export d as default",
  "export e as e from f",
  "export as * from g",
  "export * as h from i",
);
check(
  "export const a = 1, { b, c: [d] } = e; export function f() {} export class G {}",
  "const a = 1",
  "const {b: b, c: [d]} = e",
  "function f() {}",
  "class G {}",
  "export a as a",
  "export b as b",
  "export d as d",
  "export f as f",
  "export G as G",
);
check("export default function f() {}", "function f() {}", "export f as default");
check(
  "export default function () {}",
  "const default = function default() {}",
  "export default as default",
);
check(
  "export default async () => 1",
  "const default = default() => {return 1}",
  "export default as default",
);
check("export default a; export = b", "export a as default", "export b as *");
check("export default { a: 1 }", "const default = {a: 1}", "export default as default");
check(
  "export type { A } from 'b'; export type C = D; export type F = C | D; export interface E extends C {}",
  "type C = D",
  "type F = C | D",
  "type E = C & {}",
  "export A as A from b",
  "export C as C",
  "export F as F",
  "export E as E",
);
checkJavaScript(
  "const a = require('b'); const { c, d: e } = require('f'), g = require('h').i",
  "import * as a from b",
  "import c as c from f",
  "import d as e from f",
  "import i as g from h",
);
checkJavaScript(
  "const a = require('b')(c); const d = require(e); function f() { const g = require('h') }",
  'const a = require("b")(c)',
  "const d = require(e)",
  'function f() {const g = require("h")}',
);
checkJavaScript(
  "module.exports = { a, b: c, d() {}, ...e }",
  "const exports.d = function d() {}",
  "const module.exports = {a: a, b: c, d: exports.d, ...e}",
  "export a as a",
  "export c as b",
  "export exports.d as d",
  "export module.exports as *",
);
checkJavaScript(
  "module.exports = A; exports.b = c; module.exports.d = 1; exports.e = exports.f = void 0",
  "const exports.d = 1",
  "export A as *",
  "export c as b",
  "export exports.d as d",
);
checkJavaScript(
  "#!/usr/bin/env node\n'use strict'; class A extends f(B) { #x = 1; static y() {} @D z() {} }",
  '"use strict"',
  "class A extends f(B) {#x = 1; static method function y() {}; method @D function z() {}}",
);

// JSX keeps the expressions in it.
checkJavaScript(
  "a = <B c='d' {...e} f={g()}>{h}<I/>text</B>",
  'a = <JSX: B, "d", e, g(), h, <JSX: I>>',
);

// A text that cannot be parsed keeps what can be read.
check(
  "const a = await db.query('SELECT 1', [b;\nconst c = 1",
  '<syntax error: "SELECT 1", b>',
  "const a = await db.query",
  "const c = 1",
);
check(
  "class A { m() { this. } n() { return 1 } }",
  "class A {method function m() {<syntax error>; this}; method function n() {return 1}}",
);
check("function f( { if (x", "<syntax error: f, x>");
check("const = 1; f()", "<syntax error>", "1", "f()");

test("errors and comments say where they are", () => {
  const text = "// one\nf(a; /* two */\nconst = 2";
  const module = read(text);
  assert.deepEqual(
    module.comments.map(({ start, end }) => text.slice(start, end)),
    ["// one", "/* two */"],
  );
  assert.ok(module.errors.length >= 2);
});

test("headers end before the body", () => {
  const text =
    "export async function f(a: A): Promise<B> {}\nclass C<D> extends E {\n  @G()\n  async h(i) /* x */ {}\n}\nconst j = async (k) => k;";
  const headers: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const header: unknown = Reflect.get(value, "header");
    if (isSpan(header)) headers.push(text.slice(header.start, header.end));
    Object.values(value).forEach(visit);
  };
  visit(read(text).body);
  assert.deepEqual(headers, [
    "async function f(a: A): Promise<B>",
    "class C<D> extends E",
    "@G()\n  async h(i) /* x */",
    "async (k) =>",
  ]);
});

test("escapes have the length that they have in the file", () => {
  const text = String.raw`x = "a\u0041b\
c"`;
  const [statement] = read(text).body;
  assert.ok(statement?.kind === "expression" && statement.expression.kind === "assign");
  const { value } = statement.expression;
  assert.ok(value.kind === "text");
  assert.deepEqual(value.runs, [
    { text: "a", start: 5 },
    { text: "A", start: 6, length: 6 },
    { text: "b", start: 12 },
    { text: "c", start: 15 },
  ]);
});

test("nesting of any depth is read up to a bound", () => {
  const deep = [
    `x = ${"[".repeat(5000)}1${"]".repeat(5000)}`,
    `x = ${"(".repeat(5000)}1${")".repeat(5000)}`,
    `${"{".repeat(5000)}${"}".repeat(5000)}`,
    `${"if (a) ".repeat(5000)}b()`,
    `x = ${"a + ".repeat(5000)}b`,
    `x = a${".b()".repeat(5000)}`,
    `x = ${"() => ".repeat(5000)}1`,
    `x = ${"{a: ".repeat(5000)}1${"}".repeat(5000)}`,
    `const ${"[".repeat(5000)}a${"]".repeat(5000)} = b`,
    `${"class A { m() { ".repeat(2000)}${"} }".repeat(2000)}`,
    `x = ${"`${".repeat(2000)}1${"}`".repeat(2000)}`,
    `x = ${"a ? b : ".repeat(3000)}c`,
    `${"a: ".repeat(3000)}b`,
    `x = ${"<A>".repeat(2000)}`,
    `namespace A {${"namespace B {".repeat(3000)}`,
    "(".repeat(50_000),
    "`${".repeat(20_000),
  ];
  for (const text of deep) {
    for (const language of ["typescript", "tsx"] as const) {
      const module = read(text, language);
      assert.ok(module.body.length > 0, text.slice(0, 40));
    }
  }
});
