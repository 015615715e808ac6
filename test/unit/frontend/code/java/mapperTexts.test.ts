// Texts of mapper files: what MyBatis itself makes of the same file for the same parameters, as it was recorded.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sqlOf } from "../../../../../server/src/frontend/code/libraries/java/mybatis/dynamicSql";
import {
  isMapperFile,
  partNamed,
  readMapperFiles,
} from "../../../../../server/src/frontend/code/libraries/java/mybatis/mapperFiles";
import { readXml } from "../../../../../server/src/frontend/code/libraries/java/mybatis/xml";
import type { Tools } from "../../../../../server/src/frontend/code/libraries/library";
import { constant, constantScalar, constantText, textOf, type Value } from "../../../../../server/src/frontend/code/values"; // prettier-ignore

const FOLDER = new URL("../../../../data/mybatis/", import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), "utf8");
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Parameters as values, and what is asked of these. */
function valuesOf(parameters: Json) {
  const lists = new Map<Value, readonly Value[]>();
  const records = new Map<Value, ReadonlyMap<string, Value>>();
  const valueOf = (of: Json | undefined): Value => {
    if (of === undefined) return constant(null);
    if (typeof of === "string") return textOf(of);
    if (of === null || typeof of !== "object") return constant(of);
    const value: Value = { kind: "external", name: "a parameter" };
    if (Array.isArray(of)) lists.set(value, of.map(valueOf));
    else records.set(value, new Map(Object.entries(of).map(([name, each]) => [name, valueOf(each)]))); // prettier-ignore
    return value;
  };
  const given = valueOf(parameters);
  const member = (value: Value, name: string): Value =>
    records.get(value)?.get(name) ?? constant(null);
  // The parts of a text that are made of values that are known ask for nothing else.
  const tools = { items: (list: Value) => lists.get(list), member } as unknown as Tools;
  return { tools, lookup: (path: string) => path.split(".").reduce(member, given) };
}

const files = readMapperFiles([read("mapper.xml")]);
const NAMESPACE = "app.AccountMapper";

function made(id: string, parameters: Json) {
  const found = partNamed(files, NAMESPACE, "statements", id);
  assert.ok(found, id);
  const tell = (): void => undefined;
  return sqlOf(found.element, { files, namespace: NAMESPACE, ...valuesOf(parameters), tell, depth: 0 }); // prettier-ignore
}

/** Without blanks that mean nothing. */
function plain(sql: string): string {
  return sql.replace(/\s+/gu, " ").replace(/\s*([(),])\s*/gu, "$1").trim(); // prettier-ignore
}

test("with known parameters a text is the one that MyBatis makes", () => {
  const calls = JSON.parse(read("calls.json")) as readonly (readonly [string, Json])[];
  const expected = JSON.parse(read("texts.json")) as readonly { readonly sql: string; readonly values: readonly Json[] }[]; // prettier-ignore
  assert.equal(calls.length, expected.length);
  for (const [at, [id, parameters]] of calls.entries()) {
    const sql = made(id, parameters);
    const values = sql?.values.map((each) => constantText(each) ?? constantScalar(each));
    assert.deepEqual(
      [id, plain(sql?.text ?? ""), values],
      [id, plain(expected[at]?.sql ?? ""), expected[at]?.values],
    );
  }
});

test("a document's comments, types, entities and closed elements are read", () => {
  const root = readXml(
    `<?xml version="1.0"?><!DOCTYPE a><a b='x &gt; "y"'><!-- <c/> --><d/>1 &lt; <![CDATA[2 < 3]]></a><e/>`,
  );
  assert.deepEqual(
    [root?.name, root?.attributes.get("b"), root?.children],
    ["a", 'x > "y"', [{ name: "d", attributes: new Map(), children: [] }, "1 < ", "2 < 3"]],
  );
  assert.equal(readXml("no element"), undefined);
  assert.equal(readXml("<a><b><c></a>")?.name, "a");
});

test("mapper files are told by their names and those of their folders", () => {
  const names = ["src/OrderMapper.xml", "a/mappers/Order.xml", "dao/x.xml", "pom.xml", "log4j2.xml", "mapper/a.txt"]; // prettier-ignore
  assert.deepEqual(names.filter(isMapperFile), names.slice(0, 3));
});
