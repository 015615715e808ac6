// Java sources and what is read from them: what each construct becomes, and that every node has its place.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { CodeParsers } from "../../../../../server/src/frontend/code/workspace/codeParsers";
import type { HirModule, TextRun } from "../../../../../server/src/frontend/code/hir";
import { readJava } from "../../../../../server/src/frontend/code/java/readJava";
import { loadCodeParsers } from "../../../../../server/src/engine/treeSitter";
import { printHir, printStatement } from "../../../../support/printHir";

let parsers: CodeParsers;
before(async () => {
  parsers = await loadCodeParsers();
});

function read(text: string): HirModule {
  const tree = parsers.parse("java", text);
  assert.ok(tree);
  return readJava(tree);
}

/** A file's imports and classes; classes alone are exported. */
function bodyOf(module: HirModule): string {
  return printHir({ ...module, exports: [] });
}

/** The HIR of a method's statements. */
function check(statements: string, expected: string): void {
  const module = read(`class C { void m(int a, int b, Object o, String s) { ${statements} } }`);
  const [only] = module.body;
  assert.equal(only?.kind, "class");
  const body = only.class.methods[0]?.function.body ?? [];
  assert.equal(body.map(printStatement).join("; "), expected, statements);
  assert.deepEqual(module.errors, []);
}

/** The HIR of a file. */
function checkFile(text: string, expected: string): void {
  assert.equal(bodyOf(read(text)), expected, text);
}

/** The HIR of a class's members. */
function checkClass(members: string, expected: string): void {
  checkFile(`class C { ${members} }`, `class C {${expected}}`);
}

describe("statements of Java", () => {
  test("variables", () => {
    check("int x = a;", "let x: int = a");
    check("final int x = a, y[] = {1, 2};", "const x: int = a; const y: int[] = [1, 2]");
    check("var x = a; x = 2; x += b;", "let x = a; x = 2; x += b");
    check("long n; n++; --n;", "let n: long; n++; --n");
  });

  test("branches and loops", () => {
    check("if (a > 1) return; else b = 2;", "if ((a > 1)) {return} else {b = 2}");
    check(
      "if (a > 1) { } else if (b != 2) { b = 3; }",
      "if ((a > 1)) {} else {if ((b !== 2)) {b = 3}}",
    );
    check(
      "for (int i = 0, j = 1; i < a; i++, j--) { continue; }",
      "for (let i: int = 0; let j: int = 1; (i < a); i++, j--) {continue}",
    );
    check("for (;;) break;", "for (; ; ) {break}");
    check("for (final String each : o.names()) s = each;", "for (each of o.names()) {s = each}");
    check("while (a < b) a++;", "while ((a < b)) {a++}");
    check("do { a++; } while (a < b);", "do {a++} while ((a < b))");
    check("out: while (true) { break out; }", "out: while (true) {break out}");
    check("{ int x = 1; } ;", "{let x: int = 1}");
    check("synchronized (o) { a = 1; }", "{a = 1}");
    check("assert a > 1 : s; a = 1;", "a = 1");
  });

  test("errors and resources", () => {
    check(
      "try { a = 1; } catch (A | b.B e) { throw e; } catch (final X x) {} finally { b = 2; }",
      "try {a = 1} catch (A b.B e) {throw e} catch (X x) {} finally {b = 2}",
    );
    check(
      "try (var x = o.open(); X y = x.next()) { y.use(); }",
      "try (const x = o.open(); const y: X = x.next()) {y.use()}",
    );
    check('throw new X("a");', 'throw new X("a")');
  });

  test("switch: groups fall through, arrows do not", () => {
    check(
      "switch (a) { case 1: case 2: b = 1; break; default: b = 2; }",
      "switch (a) {case 1: ; case 2: b = 1; break; default: b = 2}",
    );
    check(
      "switch (a) { case 1, 2 -> b = 1; case 3 -> { b = 2; } default -> throw new X(); }",
      "switch (a) {case 1, 2: b = 1; break; case 3: b = 2; break; default: throw new X()}",
    );
    check(
      "switch (a) { case 1: int x = 2; break; default: x = 3; b = x; }",
      "switch (a) {case 1: let x: int = 2; break; default: x = 3; b = x}",
    );
  });

  test("switch over an enum's constants", () => {
    check(
      "Color c = o.color(); switch (c) { case RED: a = 1; }",
      "let c: Color = o.color(); switch (c) {case Color.RED: a = 1}",
    );
  });

  test("switch as an expression", () => {
    check(
      "int x = switch (a) { case 1, 2 -> 3; case 4 -> { b = 1; yield 5; } default -> throw new X(); };",
      "let x: int = choose (a) {case 1, 2: 3; case 4: b = 1; 5; default: throw new X()}",
    );
    check(
      "int x = switch (a) { case 1: b = 1; case 2: yield 2; default: yield 3; };",
      "let x: int = choose (a) {case 1: b = 1; 2; case 2: 2; default: 3}",
    );
    check(
      "int x = switch (a) { default -> { if (b > 1) yield 1; yield 2; } };",
      "let x: int = choose (a) {default: () => {if ((b > 1)) {return 1}; return 2}()}",
    );
  });

  test("switch over patterns compares true with tests", () => {
    check(
      "switch (o) { case String t when t.isEmpty() -> a = 1; case null, default -> a = 2; }",
      "let t: String; switch (true) {case (((o instanceof String) && (t = <String>o, true)) && t.isEmpty()): a = 1; break; default: a = 2; break}",
    );
    check(
      "int x = switch (o.f()) { case R(int y, var z) -> y; case Q q -> 1; default -> 2; };",
      "let #switch61; let y: int; let z; let q: Q; let x: int = choose (true) {case (#switch61 = o.f(), (((#switch61 instanceof R) && (y = <int><component of a record: #switch61>, true)) && (z = <component of a record: #switch61>, true))): y; case ((#switch61 instanceof Q) && (q = <Q>#switch61, true)): 1; default: 2}",
    );
  });
});

describe("expressions of Java", () => {
  test("operators", () => {
    check(
      "boolean x = a == b && !(a != 1) || o instanceof String;",
      "let x: boolean = (((a === b) && (! (a !== 1))) || (o instanceof String))",
    );
    check("a = -a + ~b % 3 << 1 >>> 2;", "a = ((((- a) + ((~ b) % 3)) << 1) >>> 2)");
    check("a = b > 1 ? a : b;", "a = ((b > 1) ? a ? b)");
    check("a = b = 3;", "a = b = 3");
    check("o = (String) o;", "o = <String>o");
    check("a = (int) 2.5;", "a = Math.trunc(2.5)");
    check("a = (int) (b + 1L);", "a = <int>(b + 1)");
  });

  test("division of whole numbers cuts off, others do not", () => {
    check("a = b / 2;", "a = (b div 2)");
    check("a = b / 2.0;", "a = (b / 2)");
    check("double d = 1; d = a / d;", "let d: double = 1; d = (a / d)");
    check("a /= 2;", "a div= 2");
    check("a = s.length() / 2;", "a = (s.length() div 2)");
    check("a = o.x() / 2;", "a = <division of numbers whose type is not known: o.x(), 2>");
    check(
      "int[] xs = {1}; a = xs[0] / Math.max(a, b);",
      "let xs: int[] = [1]; a = (xs[0] div Math.max(a, b))",
    );
  });

  test("numbers", () => {
    check("a = 0x1F + 0b11 + 017 + 1_000 + 'a';", 'a = ((((31 + 3) + 15) + 1000) + "a")');
    check("a = 0xFFFFFFFF;", "a = -1");
    check("long x = 9007199254740993L;", "let x: long = <number beyond what is exact>");
    check("double d = 1.5e3f + .5 + 2d;", "let d: double = ((1500 + 0.5) + 2)");
  });

  test("sums with a text join", () => {
    check('s = "a" + b + "c" + 1;', "s = `a${b}c${1}`");
    check('s = a + "b";', "s = `${a}b`");
    check('s = "a" + "b";', 's = "ab"');
    check('s = a + b + "c";', 's = ((a + b) + "c")');
    check('s += "x";', 's += "x"');
  });

  test("calls and creations", () => {
    check("o.f(a, b).g();", "o.f(a, b).g()");
    check("m(1); this.m(2); C.m(3); super.m(4);", "this.m(1); this.m(2); C.m(3); super.m(4)");
    check("o.<String>f(a);", "o.f<String>(a)");
    check("o = new ArrayList<String>(a);", "o = new ArrayList<String>(a)");
    check("o = new int[a][b]; o = new int[] {1, a};", "o = new Array<int>(a, b); o = [1, a]");
    check("o = new a.b.D<>();", "o = new a.b.D()");
    check("a = java.sql.Connection.X; a = s.length;", "a = java.sql.Connection.X; a = s.length");
    check("o = String.class; o = o.x[1].y;", "o = String.class; o = o.x[1].y");
  });

  test("functions", () => {
    check("o = (x, y) -> x + y;", "o = (x, y) => {return (x + y)}");
    check("o = (int x) -> { return x; };", "o = (x: int) => {return x}");
    check("o = x -> -x;", "o = (x) => {return (- x)}");
    check("o = () -> {};", "o = () => {}");
    check("o = this::m;", "o = (#0, #1, #2, #3) => {return this.m(#0, #1, #2, #3)}");
    check("o = s::concat;", "o = (...#) => {return s.concat(...#)}");
    check("o = User::getId;", "o = (#0) => {return #0.getId()}");
    check("o = Integer::parseInt;", "o = (...#) => {return Integer.parseInt(...#)}");
    check(
      "o = User::new; o = int[]::new;",
      "o = (...#) => {return new User(...#)}; o = (...#) => {return new Array<int>(...#)}",
    );
  });

  test("patterns declare their variable before the statement", () => {
    check(
      "if (o instanceof String t && t.isEmpty()) return;",
      "let t: String; if ((((o instanceof String) && (t = <String>o, true)) && t.isEmpty())) {return}",
    );
    check(
      "if (!(o instanceof String t)) return; t.trim();",
      "let t: String; if ((! ((o instanceof String) && (t = <String>o, true)))) {return}; t.trim()",
    );
    check(
      "o = x -> x instanceof A y && y.b();",
      "o = (x) => {let y: A; return (((x instanceof A) && (y = <A>x, true)) && y.b())}",
    );
  });
});

describe("names of Java", () => {
  test("fields get their receiver, variables hide them", () => {
    checkClass(
      "int x; static int y; void f(int z) { x = y + z; int x = 1; x = 2; }",
      "x: int; static y: int; method function f(z: int): void {this.x = (C.y + z); let x: int = 1; x = 2}",
    );
    checkClass(
      "int x; void f() { run(() -> x + 1); g(); h(); } static void g() {}",
      "x: int; method function f(): void {this.run(() => {return (this.x + 1)}); C.g(); this.h()}; static method function g(): void {}",
    );
  });

  test("of an outer class through its `this`", () => {
    checkClass(
      "int x; void g() {} class D { int y; void f() { x = y; g(); C.this.x = 1; D.this.y = 2; } }",
      "x: int; method function g(): void {}; class D {y: int; method function f(): void {C.this.x = this.y; C.this.g(); C.this.x = 1; this.y = 2}}",
    );
    checkClass(
      "int x; Object f(int v) { return new R() { int z; int g() { return x + v + z; } }; }",
      "x: int; method function f(v: int): Object {return new R() class  extends R {z: int; method function g(): int {return ((C.this.x + v) + this.z)}}}",
    );
  });

  test("what must be inherited is a member of this", () => {
    checkFile(
      "class C extends B { void f() { limit = MAX + Other.N; g(); } }",
      "class C extends B {method function f(): void {this.limit = (this.MAX + Other.N); this.g()}}",
    );
    checkFile(
      "class B { static int n; int v; } class C extends B { int f() { return n + v; } }",
      "class B {static n: int; v: int}\nclass C extends B {method function f(): int {return (C.n + this.v)}}",
    );
  });

  test("static imports", () => {
    checkFile(
      "package p.q; import static a.B.X; import static a.B.f; import a.*; import static a.D.*; class C extends E { int y = X + f(); }",
      "package p.q\nimport static X as X from a.B\nimport static f as f from a.B\nimport * as * from a\nimport static * as * from a.D\nclass C extends E {y: int = (X + f())}",
    );
    assert.equal(read("package p.q; class C {}").package, "p.q");
  });
});

describe("classes of Java", () => {
  test("heads", () => {
    checkFile(
      "public abstract class A<T extends B> extends x.D<T> implements I, J.K<String> { abstract void f(); private static int g(String... s) { return 1; } }",
      "class A extends x.D implements I, J.K {abstract method function f(): void {}; static private method function g(...s: String[]): int {return 1}}",
    );
    checkFile(
      "interface I extends J, K { int N = 1; void f(); default void g() {} }",
      "interface I implements J, K {static final N: int = 1; abstract method function f(): void {}; method function g(): void {}}",
    );
  });

  test("annotations", () => {
    checkFile(
      '@A @b.B("x") @D(a = 1, c = {X.Y, "s"}) class C { @E final @F int x = 1; @G void f(@H int p) {} }',
      '@A @b.B("x") @D({a: 1, c: [X.Y, "s"]}) class C {@E @F final x: int = 1; method @G function f(@H p: int): void {}}',
    );
  });

  test("constructors and initialisers", () => {
    checkFile(
      "class C extends B { int x = 1; { x = 2; } C() { super(3); x = 4; } C(int y) { this(); } }",
      "class C extends B {x: int = 1; constructor function C() {super(3); this.x = 2; this.x = 4}; constructor function C(y: int) {this()}}",
    );
    checkClass("{ f(); }", "constructor function <init>() {this.f()}");
    checkClass("static final int X; static { X = 1; }", "static final X: int = 1");
    checkClass(
      "static final int X; static { int y = 1; X = y; }",
      "static final X: int; static private method function <clinit>() {let y: int = 1; C.X = y}",
    );
  });

  test("enums", () => {
    checkFile(
      "enum E { A(1) { int f() { return 1; } }, B; private int v; E(int v) { this.v = v; } }",
      "class E {static final A: E = new E(1) class  extends E {method function f(): int {return 1}}; static final B: E = new E(); v: int; constructor function E(v: int) {this.v = v}}",
    );
  });

  test("records", () => {
    checkFile(
      "record R(int x, String y) { int x() { return -x; } }",
      "class R {final x: int; final y: String; constructor function R(x: int, y: String) {this.x = x; this.y = y}; method function y(): String {return this.y}; method function x(): int {return (- this.x)}}",
    );
    checkFile(
      "record R(int x) { R { if (x < 0) throw new E(); } }",
      "class R {final x: int; method function x(): int {return this.x}; constructor function R(x: int) {if ((x < 0)) {throw new E()}; this.x = x}}",
    );
    check(
      "record P(int x, int y) {} if (o instanceof P(int q, var r)) a = q + r;",
      "class P {final x: int; final y: int; constructor function P(x: int, y: int) {this.x = x; this.y = y}; method function x(): int {return this.x}; method function y(): int {return this.y}}; let q: int; let r; if ((((o instanceof P) && (q = <int>o.x, true)) && (r = o.y, true))) {a = (q + r)}",
    );
  });
});

describe("places in Java", () => {
  /** The characters of the file that each run stands for. */
  function runs(literal: string): readonly [string, string][] {
    const text = `class C { String s = ${literal}; }`;
    const [only] = read(text).body;
    const value = only?.kind === "class" ? only.class.fields[0]?.value : undefined;
    assert.equal(value?.kind, "text");
    assert.equal(text.slice(value.span.start, value.span.end), literal);
    return value.runs.map((run: TextRun) => [
      run.text,
      text.slice(run.start, run.start + (run.length ?? run.text.length)),
    ]);
  }

  test("characters of strings", () => {
    assert.deepEqual(runs('"abc"'), [["abc", "abc"]]);
    assert.deepEqual(runs('""'), []);
    assert.deepEqual(runs(String.raw`"a\tb\u0041\101\\"`), [
      ["a", "a"],
      ["\t", String.raw`\t`],
      ["b", "b"],
      ["A", String.raw`\u0041`],
      ["A", String.raw`\101`],
      ["\\", String.raw`\\`],
    ]);
  });

  test("lines of text blocks, without indentation and trailing blanks", () => {
    assert.deepEqual(runs('"""\n    select a  \n      from b\n    """'), [
      ["select a", "select a"],
      ["\n", "  \n    "],
      ["  from b", "  from b"],
      ["\n", "\n"],
    ]);
    assert.deepEqual(runs('"""\r\n  a\r\n\r\n  b"""'), [
      ["a", "a"],
      ["\n", "\r\n"],
      ["\n", "\r\n  "],
      ["b", "b"],
    ]);
    assert.deepEqual(runs('"""\n  a \\\n  b\\n\\"""c\n"""'), [
      ["  a ", "  a "],
      ["  b", "  b"],
      ["\n", "\\n"],
      ['"', '\\"'],
      ['""c', '""c'],
      ["\n", "\n"],
    ]);
  });

  test("headers end before the body", () => {
    const text = "class C { /** d */ @A public <T> int f(int x)\n  throws E { return x; } }";
    const module = read(text);
    const [only] = module.body;
    assert.equal(only?.kind, "class");
    const [method] = only.class.methods;
    const slice = (span?: { start: number; end: number }): string =>
      span ? text.slice(span.start, span.end) : "";
    assert.equal(slice(method?.function.header), "@A public <T> int f(int x)\n  throws E");
    assert.equal(slice(method?.function.parameters[0]?.span), "int x");
    assert.equal(slice(only.class.header), "class C");
    assert.deepEqual(module.comments.map(slice), ["/** d */"]);
  });
});

describe("Java that cannot be parsed", () => {
  test("errors stay local", () => {
    const module = read("class C { void f() { int x = ; g(1); } void h() { k(); } }");
    const printed = bodyOf(module);
    assert.ok(printed.includes("this.g(1)"), printed);
    assert.ok(printed.includes("function h(): void {this.k()}"), printed);
    assert.ok(module.errors.length > 0);
  });

  test("a class without an end keeps its methods", () => {
    const printed = bodyOf(
      read("class C extends B { int x; void f() { g(); } void h() { if (a) {"),
    );
    assert.ok(printed.includes("class C"), printed);
    assert.ok(printed.includes("function f(): void {this.g()}"), printed);
  });

  test("anything is read", () => {
    for (const text of [
      "",
      "}",
      "class",
      "class {",
      "/*",
      '"',
      "import ;",
      "package",
      "@",
      "a.b.c(",
      "\0\u{1F600}",
    ]) {
      read(text);
    }
  });

  test("any beginning of a file", () => {
    const text =
      'package a; import b.C; @T class D extends E { static final String S = """\n  x\n  """; int f(int a) { switch (a) { case 1 -> { return 2; } default -> {} } try (X x = y()) { for (var i : z) i.g(h -> 1 + "s"); } catch (E e) { throw e; } return 0; } record R(int q) {} }';
    for (let end = 0; end <= text.length; end += 1) read(text.slice(0, end));
  });

  test("deep nesting is cut, not followed", () => {
    for (const inner of [
      "(".repeat(20_000),
      `${"(".repeat(3000)}1${")".repeat(3000)}`,
      `${"x(".repeat(3000)}1${")".repeat(3000)}`,
      `a${".b()".repeat(5000)}`,
      `1${" - 2".repeat(5000)}`,
      `"a"${' + "b" + c'.repeat(3000)}`,
      "x -> ".repeat(3000) + "1",
    ]) {
      read(`class C { Object f = ${inner}; }`);
    }
    read(`class C { void f() { ${"if (a) { ".repeat(3000)} ${"}".repeat(3000)} } }`);
    read("class C { ".repeat(3000));
    read("class C { ".repeat(2000) + "}".repeat(2000));
  });
});
