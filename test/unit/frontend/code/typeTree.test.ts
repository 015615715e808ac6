// Types as trees: what TypeScript and Java write, and text that is neither.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { declaredType } from "../../../../server/src/frontend/code/evaluate/values/convert";
import { typeTree, type Type } from "../../../../server/src/frontend/code/typeTree";

/** A tree in short: what is not understood as `?`. */
function short(type: Type): string {
  switch (type.kind) {
    case "name":
      return type.name + (type.arguments.length > 0 ? `<${type.arguments.map(short).join()}>` : "");
    case "literal":
      return JSON.stringify(type.value);
    case "typeof":
      return `typeof ${type.path}`;
    case "union":
    case "intersection":
    case "tuple":
      return `${type.kind}(${type.parts.map(short).join()})`;
    case "array":
      return `${short(type.of)}[]`;
    case "record":
      return `{${[...type.members].map(([name, each]) => `${name}${each.isOptional ? "?" : ""}:${short(each.type)}`).join()}${type.isOpen ? ",..." : ""}}`;
    case "function":
      return `(${type.parameters.map((each) => (each ? short(each) : "")).join()})=>`;
    default:
      return "?";
  }
}

for (const [text, tree] of Object.entries({
  "A.B<C, D[]> | undefined": "union(A.B<C,D[]>,undefined)",
  "| A\n | B & C": "union(A,intersection(B,C))",
  "\"a|b\" | 'c' | -1 | true | null": 'union("a|b","c",-1,true,null)',
  "(A | B)[]": "union(A,B)[]",
  "readonly [A, B]": "tuple(A,B)",
  "Omit<typeof a.b, 'x' | 'y'>": 'Omit<typeof a.b,union("x","y")>',
  "<T>(a: A, work?: (b: B) => T) => Promise<C>": "(A,(B)=>)=>",
  "{ a: string; readonly 'b'?: { c: 1 }, d(): void }": "{a:string,b?:{c:1}}",
  "{\n  a: A // the first;\n  /* b: B */ c: X |\n    Y\n  [key: string]: Z\n}":
    "{a:A,c:union(X,Y),...}",
  "{ a: A extends B ? C : D; b: keyof E; f: (x) => y is Z }": "{a:?,b:?,f:()=>}",
  "Map<String, List<? extends Foo>>": "Map<String,List<?>>",
  "String...": "String...",
  "A extends B ? C : D": "?",
  "A |": "?",
  "{ a: (": "{a:?}",
  "": "?",
})) {
  it(`reads ${JSON.stringify(text)}`, () => {
    assert.equal(short(typeTree(text)), tree);
  });
}

it("tells a bar within a type from one between types", () => {
  assert.equal(declaredType('"a|b" | undefined'), "text");
  assert.equal(declaredType("{ a: string | null }[] | null"), "other");
  assert.equal(declaredType('string | { kind: "a" | "b" }'), undefined);
});

it("gives each part as it is written", () => {
  const tree = typeTree(" Partial< A & { b: C } > | D ");
  assert.ok(tree.kind === "union");
  assert.deepEqual(
    tree.parts.map(({ text }) => text),
    ["Partial< A & { b: C } >", "D"],
  );
});

it("reads any text, however deep", () => {
  const pieces = fc.constantFrom(..."{}()[]<>|&;:,?'\"`=\n.", "a", "=>", "readonly ", "new ", "typeof ", "/*", "//"); // prettier-ignore
  fc.assert(fc.property(fc.string({ unit: pieces, maxLength: 40 }), (text) => typeTree(text).text.length <= text.length)); // prettier-ignore
  for (const each of ["(", "{a:", "[", "<", "readonly ", "new ", "A<", "'", "("])
    assert.ok(typeTree(each.repeat(5000)));
});
