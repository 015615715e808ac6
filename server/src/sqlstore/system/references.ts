// PostgreSQL's types whose values are objects of the catalogue: numbers that are written and shown as names.
import { constant, convertNode, type Compiler, type Node } from "../compile/node";
import { ownType, type Catalog } from "../catalog";
import { failure } from "../sqlError";
import { isNumeric, postgresName, postgresType } from "../values/types";
import { plainText } from "../values/text";
import { typeOfId } from "../pg/typeIds";
import { quotedName } from "./expressionText";
import { NAMESPACES, objectId, OWNER, findRelation, relationOfId } from "./objects";
import { inputFunctions, typeNamedIn, typeNameOf } from "./pgServer";
import { SYSTEM_IDS } from "./systemTables";

const KINDS = [
  "regclass",
  "regtype",
  "regnamespace",
  "regrole",
  "regproc",
  "regprocedure",
] as const;
export type ObjectKind = (typeof KINDS)[number];

/** The kind of objects that a type's values are; undefined for other types. */
export function objectKind(typeName: string): ObjectKind | undefined {
  return KINDS.find((kind) => kind === typeName);
}

/**
 * An expression as an object: a name becomes the object's number, and what is computed is shown as a name again.
 * A name of nothing is an error, or NULL.
 */
export function objectNumber(
  kind: ObjectKind,
  operand: Node,
  compiler: Compiler,
  { missing }: { readonly missing: "error" | "null" },
): Node {
  const { catalog } = compiler;
  const number = isNumeric(operand.type)
    ? convertNode(operand, "int4", compiler)
    : numbered(kind, convertNode(operand, "text", compiler), catalog, missing);
  const shown: Node = {
    type: "text",
    constant: false,
    run: (env) => {
      const value = number.run(env);
      return value === null ? null : nameOf(kind, Number(value), catalog);
    },
  };
  return { type: "int4", constant: number.constant, run: number.run, shown };
}

function numbered(kind: ObjectKind, name: Node, catalog: Catalog, missing: "error" | "null"): Node {
  return {
    ...constant("int4", null),
    constant: false,
    run: (env) => {
      const value = name.run(env);
      if (value === null) return null;
      const written = plainText(value);
      const found = /^\d+$/.test(written) ? Number(written) : numberOf(kind, written, catalog);
      if (found !== undefined || missing === "null") return found ?? null;
      throw kind === "regclass"
        ? failure("noTable", `relation "${written}" does not exist`)
        : failure("noObject", `${WORDS[kind]} "${written}" does not exist`);
    },
  };
}

/** The number of the first function of the server that has one. */
const FIRST_FUNCTION = 1000;

const WORDS: Readonly<Record<ObjectKind, string>> = {
  regclass: "relation",
  regtype: "type",
  regnamespace: "schema",
  regrole: "role",
  regproc: "function",
  regprocedure: "function",
};

function numberOf(kind: ObjectKind, written: string, catalog: Catalog): number | undefined {
  const { schema, name } = parsedName(written);
  switch (kind) {
    case "regclass": {
      const isOwn = schema === undefined || schema === "public";
      return (isOwn ? findRelation(catalog, name)?.id : undefined) ?? SYSTEM_IDS.get(name);
    }
    case "regtype": {
      if (ownType(catalog, name) !== undefined) return objectId(catalog, "type", name);
      return typeNamedIn(name) ?? writtenType(written);
    }
    case "regnamespace":
      return Object.entries(NAMESPACES).find(([own]) => own === name)?.[1];
    case "regrole":
      return OWNER;
    case "regprocedure":
      // Functions of the server have one list of parameters each.
      return numberOf("regproc", written.replace(/\(.*\)$/, ""), catalog);
    case "regproc": {
      const at = inputFunctions().indexOf(name);
      return at < 0 ? undefined : FIRST_FUNCTION + at;
    }
    default:
      return kind satisfies never;
  }
}

/** A type as SQL writes it, with limits and brackets: `decimal(12,2)`, `timestamp(6) without time zone`, `integer[]`. */
function writtenType(written: string): number | undefined {
  const folded = written.toLowerCase().trim();
  const bracket = folded.indexOf("[");
  const isArray = bracket >= 0 && folded.endsWith("]");
  const plain = isArray ? folded.slice(0, bracket).trim() : folded;
  const name = plain.replace(/ ?\([^)]*\)/, "").replaceAll(/\s+/g, " ");
  const short = LONG_TYPES.get(name) ?? name;
  return typeNamedIn(isArray ? `_${short}` : short);
}

const LONG_TYPES: ReadonlyMap<string, string> = new Map([
  ...[
    "int int4",
    "decimal numeric",
    "dec numeric",
    "float float8",
    "char bpchar",
    "time without time zone time",
    "timestamp without time zone timestamp",
    "bit varying varbit",
  ].map((each): readonly [string, string] => [
    each.slice(0, each.lastIndexOf(" ")),
    each.slice(each.lastIndexOf(" ") + 1),
  ]),
  ...[
    "bool",
    "int2",
    "int4",
    "int8",
    "float4",
    "float8",
    "varchar",
    "bpchar",
    "timestamptz",
  ].flatMap((name) => {
    const { type } = postgresType({ name, modifiers: [], array: false }, () => undefined);
    return [[postgresName(type), name] as const];
  }),
]);

function nameOf(kind: ObjectKind, number: number, catalog: Catalog): string {
  switch (kind) {
    case "regclass": {
      const own = relationOfId(catalog, number)?.name;
      if (own !== undefined) return quotedName(own);
      for (const [name, id] of SYSTEM_IDS) if (id === number) return name;
      return number === 0 ? "-" : String(number);
    }
    case "regtype": {
      const type = typeOfId(number);
      if (type !== undefined) return postgresName(type);
      for (const name of [...catalog.enumerations.keys(), ...catalog.domains.keys()])
        if (objectId(catalog, "type", name) === number) return quotedName(name);
      return typeNameOf(number) ?? String(number);
    }
    case "regnamespace":
      return Object.entries(NAMESPACES).find(([, id]) => id === number)?.[0] ?? String(number);
    case "regproc":
    case "regprocedure":
      return inputFunctions()[number - FIRST_FUNCTION] ?? (number === 0 ? "-" : String(number));
    case "regrole":
      return number === 0 ? "-" : String(number);
    default:
      return kind satisfies never;
  }
}

/** The name of an object as a text writes it: without its schema and its quotes, in lower case unless it has some. */
export function nameIn(written: string): string {
  return parsedName(written).name;
}

/** `public."Order"` as its schema and its name. */
function parsedName(written: string): { readonly schema?: string; readonly name: string } {
  const parts = [...written.matchAll(/"((?:[^"]|"")*)"|([^".]+)/g)].map(
    ([, quoted, bare = ""]) => quoted?.replaceAll('""', '"') ?? bare.trim().toLowerCase(),
  );
  const [first = "", second] = parts.slice(-2);
  return second === undefined ? { name: first } : { schema: first, name: second };
}
