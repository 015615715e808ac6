// Types of SQL as both dialects have them here: names from declarations and casts, families, and what is wider.
import { unsupported } from "../sqlError";

/** Types of PostgreSQL whose values are kept as their canonical texts (`others.ts`). */
export const OTHER_TYPES = [
  "inet",
  "cidr",
  "macaddr",
  "bit",
  "varbit",
  "money",
  "timetz",
  "xml",
  "point",
  "tsvector",
  "int4range",
  "int8range",
  "numrange",
  "tsrange",
  "tstzrange",
  "daterange",
] as const;

export type OtherType = (typeof OTHER_TYPES)[number];

export function isOther(type: string): type is OtherType {
  return OTHER_TYPES.some((each) => each === type);
}

const BASE_TYPES = [
  "bool",
  "int2",
  "int4",
  /** Numbers of the catalogue's objects, without a sign. */
  "oid",
  "int8",
  /** BIGINT UNSIGNED of MySQL, and all that is computed from unsigned columns. */
  "uint8",
  "numeric",
  "float4",
  "float8",
  "text",
  "varchar",
  "bpchar",
  /** Names of the catalogue's objects. */
  "name",
  /** One byte, written "char": kinds of the catalogue's objects. */
  "char",
  "bytea",
  "uuid",
  /** One of a list of labels. */
  "enum",
  "date",
  "time",
  "timestamp",
  "timestamptz",
  "interval",
  "json",
  "jsonb",
  "record",
  /** Lists of the catalogue, counted from zero. */
  "int2vector",
  "oidvector",
  ...OTHER_TYPES,
  /** A literal or parameter of which the context has not said what it is. */
  "unknown",
  "void",
] as const;

export type BaseType = (typeof BASE_TYPES)[number];

export type SqlType = BaseType | `${BaseType}[]`;

/** A type with what limits its values: a length, or digits and scale. */
export interface DeclaredType {
  readonly type: SqlType;
  /** The most characters of texts. */
  readonly length?: number;
  /** The digits of decimals. */
  readonly precision?: number;
  readonly scale?: number;
  /** The smallest and largest whole number, where they are not those of the type. */
  readonly range?: readonly [number, number];
  readonly labels?: readonly string[];
  /** Name of the domain that it is, and that of the elements of an array. */
  readonly domain?: string;
  readonly elementDomain?: string;
  /** The table whose rows it holds. */
  readonly row?: string;
  /** The members of MySQL's SET, whose values are some of them with commas between. */
  readonly members?: readonly string[];
  /** MySQL's DATETIME and TIMESTAMP have no fraction unless it is declared. */
  readonly seconds?: number;
  /**
   * How a type is listed that is another one here: `tinyint(1)`, `int unsigned`, `mediumtext` of MySQL, `oid`, `name` of
   * PostgreSQL.
   */
  readonly listed?: string;
}

/** The type of the elements of an array; undefined for what is no array. */
export function elementOf(type: SqlType): BaseType | undefined {
  if (type === "int2vector") return "int2";
  if (type === "oidvector") return "oid";
  return type.endsWith("[]") ? BASE_TYPES.find((base) => type === `${base}[]`) : undefined;
}

export function arrayOf(type: SqlType): SqlType {
  const base = BASE_TYPES.find((each) => each === type);
  return base === undefined ? type : `${base}[]`;
}

const NUMBERS: readonly SqlType[] = [
  "int2",
  "int4",
  "oid",
  "int8",
  "uint8",
  "numeric",
  "float4",
  "float8",
];

const WHOLES: readonly SqlType[] = ["int2", "int4", "oid", "int8", "uint8"];

export function isNumeric(type: SqlType): boolean {
  return NUMBERS.includes(type);
}

export function isInteger(type: SqlType): boolean {
  return WHOLES.includes(type);
}

export function isFloat(type: SqlType): boolean {
  return type === "float4" || type === "float8";
}

export function isText(type: SqlType): boolean {
  return TEXTS.includes(type);
}

const TEXTS: readonly SqlType[] = ["text", "varchar", "bpchar", "name", "char"];

export function isTemporal(type: SqlType): boolean {
  return type === "date" || type === "time" || type === "timestamp" || type === "timestamptz";
}

export function isJson(type: SqlType): boolean {
  return type === "json" || type === "jsonb";
}

/** The type to which two of one family are brought; undefined where there is none. */
export function widest(left: SqlType, right: SqlType): SqlType | undefined {
  if (left === right || right === "unknown") return left;
  if (left === "unknown") return right;
  if (isNumeric(left) && isNumeric(right)) {
    return NUMBERS[Math.max(NUMBERS.indexOf(left), NUMBERS.indexOf(right))];
  }
  if (isText(left) && isText(right)) return "text";
  if (isDay(left) && isDay(right)) {
    return left === "timestamptz" || right === "timestamptz" ? "timestamptz" : "timestamp";
  }
  if (isJson(left) && isJson(right)) return "jsonb";
  const [leftElement, rightElement] = [elementOf(left), elementOf(right)];
  if (leftElement === undefined || rightElement === undefined) return undefined;
  const element = widest(leftElement, rightElement);
  return element === undefined ? undefined : arrayOf(element);
}

/** A date, alone or with a time. */
function isDay(type: SqlType): boolean {
  return type === "date" || type === "timestamp" || type === "timestamptz";
}

/** True if a value of one type is taken where another is expected, without a cast. */
export function isImplicit(from: SqlType, to: SqlType): boolean {
  if (from === to || from === "unknown") return true;
  if (isNumeric(from) && isNumeric(to)) return NUMBERS.indexOf(from) <= NUMBERS.indexOf(to);
  if (isText(from) && isText(to)) return true;
  if (from === "enum" && isText(to)) return true;
  if (isDay(from) && isDay(to)) return DAYS.indexOf(from) <= DAYS.indexOf(to);
  const [fromElement, toElement] = [elementOf(from), elementOf(to)];
  return fromElement !== undefined && toElement !== undefined && isImplicit(fromElement, toElement);
}

const DAYS: readonly SqlType[] = ["date", "timestamp", "timestamptz"];

const RANGES: ReadonlyMap<SqlType, readonly [number, number]> = new Map([
  ["int2", [-32768, 32767]],
  ["int4", [-2147483648, 2147483647]],
  ["oid", [0, 4294967295]],
]);

/** The range of whole numbers of a type that has fewer than 64 bits. */
export function rangeOf(type: SqlType): readonly [number, number] | undefined {
  return RANGES.get(type);
}

/** The type that a declaration or a cast of PostgreSQL names. Types of the user's own are found by `own`. */
export function postgresType(
  name: TypeName,
  own: (name: string) => DeclaredType | undefined,
): DeclaredType {
  const type = POSTGRES.get(name.name);
  if (type === undefined) {
    const found = own(name.name);
    if (found === undefined) throw unsupported(`the type ${name.name}`);
    if (!name.array) return found;
    const { type: element, labels, domain } = found;
    return {
      type: arrayOf(element),
      ...(labels && { labels }),
      ...(domain !== undefined && { elementDomain: domain }),
    };
  }
  if (name.array) return { type: arrayOf(type) };
  const [first, second] = name.modifiers;
  if (LISTED_APART.has(name.name)) return { type, listed: name.name };
  if (type === "bit" || type === "varbit") {
    const length = first ?? (type === "bit" ? 1 : undefined);
    return length === undefined ? { type } : { type, length };
  }
  if (type === "numeric" && first !== undefined) {
    return { type, precision: first, scale: second ?? 0 };
  }
  if (type === "bpchar") {
    return name.name === "bpchar" && first === undefined ? { type } : { type, length: first ?? 1 };
  }
  if (type === "char") return { type, length: 1 };
  if (type === "varchar" && first !== undefined) return { type, length: first };
  if ((type === "timestamp" || type === "timestamptz" || type === "time") && first !== undefined) {
    return { type, seconds: first };
  }
  return { type };
}

function each(type: BaseType, names: string): readonly (readonly [string, BaseType])[] {
  return names.split(" ").map((name) => [name, type] as const);
}

const POSTGRES: ReadonlyMap<string, BaseType> = new Map([
  ...each("bool", "bool boolean"),
  ...each("int2", "int2 smallint smallserial serial2"),
  ...each("int4", "int4 int integer serial serial4 regclass"),
  ...each("oid", "oid xid"),
  ...each("int8", "int8 bigint bigserial serial8"),
  ...each("numeric", "numeric decimal"),
  ...each("float4", "float4 real"),
  ...each("float8", "float8 float"),
  ...each("text", "text citext"),
  ...each("name", "name"),
  ...each("varchar", "varchar"),
  ...each("bpchar", "bpchar"),
  // CHAR(n) is bpchar for PostgreSQL's parser: this name stood in quotes.
  ...each("char", "char"),
  ...each("bytea", "bytea"),
  ...each("uuid", "uuid"),
  ...each("date", "date"),
  ...each("time", "time"),
  ...each("timestamp", "timestamp"),
  ...each("timestamptz", "timestamptz"),
  ...each("interval", "interval"),
  ...each("json", "json"),
  ...each("jsonb", "jsonb"),
  ...OTHER_TYPES.map((type) => [type, type] as const),
]);

/** Types that clients see as their own, while their values are those of others. */
const LISTED_APART: ReadonlySet<string> = new Set(["xid"]);

/** The type that a declaration or a cast of MySQL or MariaDB names; `unsigned` stands among the name's words. */
export function mysqlType(name: TypeName, labels?: readonly string[]): DeclaredType {
  return { ...mysqlMeaning(name, labels), listed: listedType(name, labels) };
}

function listedType({ name, modifiers }: TypeName, labels: readonly string[] = []): string {
  const [word = "", ...attributes] = name.split(" ");
  const base = LISTED.get(word) ?? word;
  const [first, second] = modifiers;
  const suffix = attributes.includes("unsigned") || word === "serial" ? " unsigned" : "";
  const sizes = (): readonly number[] => {
    if (base === "tinyint") return word.startsWith("bool") || first === 1 ? [1] : [];
    if (/^(small|medium|big)?int$/.test(base)) return [];
    if (base === "decimal") return [first ?? 10, second ?? 0];
    if (/^(char|binary|bit)$/.test(base)) return [first ?? 1];
    return first === undefined || first === 0 ? [] : [first];
  };
  const shown = /^(enum|set)$/.test(base)
    ? labels.map((each) => `'${each.replaceAll("'", "''")}'`).join(",")
    : sizes().join(",");
  return (shown === "" ? base : `${base}(${shown})`) + suffix;
}

const LISTED: ReadonlyMap<string, string> = new Map([
  ...["bool", "boolean", "int1"].map((word) => [word, "tinyint"] as const),
  ...["integer", "int4"].map((word) => [word, "int"] as const),
  ...["int8", "serial"].map((word) => [word, "bigint"] as const),
  ...["dec", "numeric", "fixed"].map((word) => [word, "decimal"] as const),
  ...(["nchar char", "nvarchar varchar", "real double", "int2 smallint"] as const).map((pair) => {
    const [word = "", own = ""] = pair.split(" ");
    return [word, own] as const;
  }),
  ["int3", "mediumint"],
]);

function mysqlMeaning(name: TypeName, labels?: readonly string[]): DeclaredType {
  const [word = "", ...attributes] = name.name.split(" ");
  const isUnsigned = attributes.includes("unsigned") || word === "unsigned" || word === "serial";
  const range = MYSQL_RANGES.get(word);
  if (range !== undefined) {
    const [bits] = range;
    return isUnsigned
      ? { type: "uint8", range: [0, 2 ** bits - 1] }
      : { type: bits <= 16 ? "int2" : "int4", range: [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] };
  }
  const type = MYSQL.get(word);
  if (type === undefined) throw unsupported(`the type ${word}`);
  const [first, second] = name.modifiers;
  // Of more than 24 bits it has the size of a double.
  if (word === "float" && second === undefined && (first ?? 0) > 24) return { type: "float8" };
  if (word === "bit") return { type, range: [0, 2 ** (first ?? 1) - 1] };
  if (word === "set") return { type, members: labels ?? [] };
  if (word === "binary" || word === "varbinary") return { type, length: first ?? 1 };
  if (type === "int8") return { type: isUnsigned ? "uint8" : type };
  if (type === "numeric") return { type, precision: first ?? 10, scale: second ?? 0 };
  if (type === "enum") return { type, labels: labels ?? [] };
  if (type === "varchar" || type === "bpchar") {
    return { type, length: first ?? (type === "bpchar" ? 1 : 65535) };
  }
  if (type === "text") return word === "tinytext" ? { type, length: 255 } : { type };
  if (type === "timestamp" || type === "time") return { type, seconds: first ?? 0 };
  return { type };
}

const MYSQL_RANGES: ReadonlyMap<string, readonly [number]> = new Map([
  ["tinyint", [8]],
  ["bool", [8]],
  ["boolean", [8]],
  ["int1", [8]],
  ["smallint", [16]],
  ["int2", [16]],
  ["year", [16]],
  ["mediumint", [24]],
  ["int3", [24]],
  ["int", [32]],
  ["integer", [32]],
  ["int4", [32]],
]);

const MYSQL: ReadonlyMap<string, BaseType> = new Map([
  ...each("int8", "bigint int8 signed unsigned serial"),
  ...each("numeric", "decimal dec numeric fixed"),
  ...each("float8", "double real"),
  ...each("float4", "float"),
  ...each("text", "text tinytext mediumtext longtext"),
  ...each("varchar", "varchar nvarchar"),
  ...each("bpchar", "char nchar"),
  ...each("bytea", "binary varbinary blob tinyblob mediumblob longblob"),
  ...each("uuid", "uuid"),
  ...each("enum", "enum"),
  ...each("varchar", "set"),
  ...each("uint8", "bit"),
  ...each("date", "date"),
  ...each("time", "time"),
  ...each("timestamp", "datetime timestamp"),
  ...each("json", "json"),
]);

/** How PostgreSQL's messages call a type. */
export function postgresName(type: SqlType): string {
  const element = elementOf(type);
  if (element !== undefined) return `${postgresName(element)}[]`;
  return LONG_NAMES.get(type) ?? type;
}

const LONG_NAMES: ReadonlyMap<SqlType, string> = new Map([
  ["bool", "boolean"],
  ["char", '"char"'],
  ["varbit", "bit varying"],
  ["timetz", "time with time zone"],
  ["int2", "smallint"],
  ["int4", "integer"],
  ["int8", "bigint"],
  ["float4", "real"],
  ["float8", "double precision"],
  ["varchar", "character varying"],
  ["bpchar", "character"],
  ["time", "time without time zone"],
  ["timestamp", "timestamp without time zone"],
  ["timestamptz", "timestamp with time zone"],
]);

/** A type as it is written: folded name, and what stands in parentheses. */
export interface TypeName {
  readonly name: string;
  readonly modifiers: readonly number[];
  readonly array: boolean;
  /** The labels of ENUM(...) in MySQL. */
  readonly labels?: readonly string[];
}
