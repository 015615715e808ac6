// The fields of a Prisma model: columns with their types and defaults, and relations, whose links are found later.
import type { Dialect } from "../../../program/dialect";
import type { Expression, ValueType } from "../../../program/expression";
import { takesOf, type Takes } from "../../../program/takes";
import { dictionary } from "../../../protocol/dictionary";
import { argument, firstOf, textOf } from "./attributes";
import type { PrismaEnum, PrismaField, PrismaScalar } from "./model";
import type { FieldSyntax, PrismaValue } from "./syntax";
import type { ModelBlock, Say } from "./modelBlock";

interface Around {
  readonly blocks: ReadonlyMap<string, ModelBlock>;
  readonly enums: ReadonlyMap<string, PrismaEnum>;
  readonly dialect: Dialect | undefined;
  readonly say: Say;
}

/** The fields of a model by name. A type that nothing declares is noted, and the field is hidden. */
export function readFields(draft: ModelBlock, around: Around): ReadonlyMap<string, PrismaField> {
  const { block, at } = draft;
  const fields = new Map<string, PrismaField>();
  for (const syntax of block.fields) {
    const { text: name } = syntax.name;
    if (fields.has(name)) {
      const message = `"${block.name.text}" has two fields "${name}"; the first one counts.`;
      around.say("error", message, at(syntax.name));
      continue;
    }
    const other = around.blocks.get(syntax.type.text);
    if (other === undefined || other.block.kind === "type") {
      fields.set(name, scalar(syntax, draft, around));
    } else {
      const { isList, isOptional } = syntax;
      const model = syntax.type.text;
      fields.set(name, {
        kind: "relation",
        name,
        model,
        isList,
        isOptional,
        source: at(syntax.name),
      });
    }
  }
  return fields;
}

const TYPES = dictionary<ValueType>({
  Int: "int",
  BigInt: "int",
  Float: "decimal",
  Decimal: "decimal",
  String: "text",
  Boolean: "bool",
  DateTime: "time",
  Json: "json",
  Bytes: "bytes",
  Unsupported: "other",
});

function scalar(syntax: FieldSyntax, { block, at }: ModelBlock, around: Around): PrismaScalar {
  const { name, type: written, isList, isOptional, attributes } = syntax;
  const has = (attribute: string): boolean => attributes.some((each) => each.name === attribute);
  const map = attributes.find((each) => each.name === "map");
  const mapName = map && argument(map, "name");
  const isEnum = around.enums.has(written.text);
  const base = isEnum ? "text" : TYPES[written.text];
  const isComposite = around.blocks.get(written.text)?.block.kind === "type";
  if (base === undefined && !isComposite) {
    const message = `Nothing declares the type "${written.text}"; the field "${name.text}" of "${block.name.text}" is left out of the client.`;
    around.say("error", message, at(written));
  }
  const type = isList ? "other" : (base ?? "other");
  const isUpdatedAt = has("updatedAt");
  const given = attributes.find((each) => each.name === "default");
  const value = given && argument(given, "value");
  const id = `${block.name.text}.${name.text}`;
  const initial = value
    ? defaultOf(value, { type, id, values: around.enums.get(written.text)?.values })
    : isUpdatedAt
      ? fresh("now", "time")
      : isList && around.dialect === "postgres"
        ? unknown(id, type, "an empty list")
        : undefined;
  const takes = isList ? undefined : takesOfField(syntax, around.enums.get(written.text));
  return {
    kind: "scalar",
    name: name.text,
    column: (mapName && textOf(mapName)) ?? name.text,
    type,
    written: written.text,
    ...(takes && { takes }),
    isList,
    isOptional,
    ...(initial && { default: initial }),
    isUpdatedAt,
    isHidden: has("ignore") || base === undefined || written.text === "Unsupported",
    source: at(name),
  };
}

/** Enumerations, and types of the database: `@db.Uuid`, `@db.Char(2)`. */
function takesOfField(
  { attributes }: FieldSyntax,
  enumeration: PrismaEnum | undefined,
): Takes | undefined {
  if (enumeration) return { kind: "labels", labels: [...enumeration.values.values()] };
  const native = attributes.find(({ name }) => name.startsWith("db."));
  const sizes = (native?.arguments ?? []).flatMap(({ value }) =>
    value.kind === "number" ? [Number(value.text)] : [],
  );
  return native && takesOf(native.name.slice("db.".length).toLowerCase(), { sizes });
}

interface Target {
  readonly type: ValueType;
  /** `Model.field`. */
  readonly id: string;
  /** Those of an enumeration. */
  readonly values: PrismaEnum["values"] | undefined;
}

function defaultOf(value: PrismaValue, target: Target): Expression {
  const { type, id, values } = target;
  if (value.kind === "number") return { kind: "literal", value: Number(value.text), type };
  if (value.kind === "text") return { kind: "literal", value: value.text, type };
  if (value.kind === "name" && value.arguments === undefined) {
    if (value.text === "true" || value.text === "false") {
      return { kind: "literal", value: value.text === "true", type: "bool" };
    }
    return { kind: "literal", value: values?.get(value.text) ?? value.text, type };
  }
  if (value.kind === "name") {
    switch (value.text) {
      case "autoincrement":
      case "sequence":
        return fresh("sequence", "int");
      case "uuid":
      case "cuid":
      case "ulid":
      case "nanoid":
      case "auto":
        return fresh("uuid", "text");
      case "now":
        return fresh("now", "time");
      case "dbgenerated": {
        const inner = firstOf(value.arguments);
        return generatedBy((inner && textOf(inner)) ?? "", target);
      }
      default:
        return unknown(id, type, `the default ${value.text}()`);
    }
  }
  return unknown(id, type, "a list as a default");
}

/** A default that the database computes from SQL. */
function generatedBy(sql: string, { type, id }: Target): Expression {
  const bare = sql.trim().replace(/::[\w\s[\]"]+$/, "");
  if (/\b(gen_random_uuid|uuid_generate_v\w+|uuid|newid|newsequentialid)\s*\(/i.test(bare)) {
    return fresh("uuid", "text");
  }
  if (/^nextval\s*\(|^unique_rowid\s*\(/i.test(bare)) return fresh("sequence", "int");
  if (/^(now\s*\(|current_timestamp\b|getdate\s*\(|sysdatetime\s*\()/i.test(bare)) {
    return fresh("now", "time");
  }
  const text = /^'((?:[^']|'')*)'$/.exec(bare)?.[1];
  if (text !== undefined) return { kind: "literal", value: text.replaceAll("''", "'"), type };
  if (/^-?\d+(\.\d+)?$/.test(bare)) return { kind: "literal", value: Number(bare), type };
  return unknown(id, type, `the default ${sql === "" ? "of the database" : sql}`);
}

type Fresh = Extract<Expression, { readonly kind: "fresh" }>;

function fresh(why: Fresh["why"], type: ValueType): Expression {
  return { kind: "fresh", id: "default", type, why };
}

function unknown(id: string, type: ValueType, why: string): Expression {
  return { kind: "unknown", id, type, dependsOn: [], why };
}
