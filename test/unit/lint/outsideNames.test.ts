// The lint rule against lookups by names from outside: what it reports, and what it leaves alone.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Linter } from "eslint";
import tseslint from "typescript-eslint";
import ts from "typescript";
import { outsideNames } from "../../lint/outsideNames.mjs";

const ROOT = path.join(__dirname, "../../..");

const DECLARED = `
import { dictionary, type Dictionary } from "./server/src/protocol/dictionary";
declare const name: string;
declare const known: "a" | "b";
declare const branded: string & { readonly brand: "column" };
declare const place: number;
declare const record: Record<string, number>;
declare const whole: { readonly a: number; readonly b: number };
declare const perhaps: Record<string, number> | undefined;
declare const plain: Dictionary<number>;
declare const list: readonly number[];
declare const pair: readonly [number, number];
declare const map: ReadonlyMap<string, number>;
const TABLE = dictionary<number>({ a: 1 });
`;

const WRONG = [
  "record[name];",
  "record[`${name}.length`];",
  "record[branded];",
  "perhaps?.[name];",
  "record[name] = 1;",
  "record[name] ??= 1;",
  "delete record[name];",
  "record[name.toLowerCase()]?.toFixed();",
  "const { [name]: one } = record;",
  "name in record;",
  "name in whole;",
  "name in list;",
  "whole[name as keyof typeof whole & string]; record[name as string | number];",
  "function at<Name extends string>(given: Record<Name, number>, key: Name) { return given[key]; }",
  "({ ...TABLE })[name];",
  "(plain as Record<string, number>)[name];",
  "({ a: 1 } as any)[name];",
  "(name === 'a' ? TABLE : record)[name];",
];

const RIGHT = [
  "TABLE[name];",
  "plain[name] ?? 0;",
  "name in TABLE;",
  "const { [name]: one } = TABLE;",
  "whole[known];",
  "record['a'];",
  "record.a;",
  "list[place]; pair[1]; list.at(place);",
  "'a' in whole;",
  "known in whole;",
  "map.get(name);",
  "Object.hasOwn(record, name);",
  "const { a, ...rest } = record;",
  "const made = { [name]: 1 };",
];

const file = (text: string, at: number): readonly [string, string] => [
  path.join(ROOT, `case${String(at)}.ts`),
  `${DECLARED}${text}\nexport {};\n`,
];

const files = new Map([...WRONG, ...RIGHT].map(file));
const program = programOf(files);

for (const [at, text] of [...WRONG, ...RIGHT].entries()) {
  const expected = WRONG.includes(text) ? 1 : 0;
  test(`${expected === 1 ? "is reported" : "stays"}: ${text}`, () => {
    const [name, whole] = file(text, at);
    const messages = new Linter({ cwd: ROOT }).verify(
      whole,
      {
        files: ["**/*.ts"],
        languageOptions: {
          parser: tseslint.parser,
          parserOptions: { programs: [program] },
        },
        plugins: { isolens: { rules: { "outside-names": outsideNames } } },
        rules: { "isolens/outside-names": "error" },
      },
      name,
    );
    assert.equal(messages.length, expected, JSON.stringify(messages));
    for (const { ruleId } of messages) assert.equal(ruleId, "isolens/outside-names");
  });
}

function programOf(texts: ReadonlyMap<string, string>): ts.Program {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
    types: [],
  };
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile, fileExists, readFile } = host;
  return ts.createProgram({
    rootNames: [...texts.keys()],
    options,
    host: {
      ...host,
      fileExists: (name) => texts.has(name) || fileExists(name),
      readFile: (name) => texts.get(name) ?? readFile(name),
      getSourceFile: (name, target) => {
        const text = texts.get(name);
        return text === undefined
          ? getSourceFile(name, target)
          : ts.createSourceFile(name, text, target, true);
      },
    },
  });
}
