// Texts of clients that write values into their statements, and differ in nothing else: literals that stand where a parameter
// would mean the same are taken out, so that such texts share one tree and one plan.
import { ownEntry } from "../../protocol/dictionary";
import { Literal } from "../literal";
import type { ParsedStatement } from "../parseMemo";
import { asSqlFailure, SqlFailure } from "../sqlError";
import { parseDecimal } from "../values/decimal";
import { whole } from "../values/wholes";

export interface LiteralTexts {
  /** The statement that the text shares with others; undefined where it is read for itself. */
  readonly read: (sql: string) => ParsedStatement | undefined;
}

/** A text in parts, with a literal behind each but the last. */
interface Scanned {
  readonly parts: readonly string[];
  readonly literals: readonly Literal[];
  /** As the text has them. */
  readonly sources: readonly string[];
}

/** Texts that differ in literals alone. */
interface Shape {
  /** Which literals mean more than their values, as that of LIMIT does. */
  readonly fixed: ReadonlySet<number>;
  /** By those literals. */
  readonly statements: Map<string, ParsedStatement>;
}

/** Characters of the shapes that are kept. */
const MOST_CHARACTERS = 1_000_000;
const LONGEST_TEXT = 1_000_000;
/** Plans of a shape: pages of a list have one for each offset. */
const MOST_VARIANTS = 100;

/** Remembers shapes of texts; `parse` reads one that is new. */
export function createLiteralTexts(
  parse: (sql: string) => readonly ParsedStatement[],
): LiteralTexts {
  const shapes = new Map<string, Shape | "once" | "none">();
  let characters = 0;

  function keep(name: string, shape: Shape | "once" | "none"): void {
    if (!shapes.has(name)) characters += name.length;
    shapes.set(name, shape);
    for (const oldest of shapes.keys()) {
      if (characters <= MOST_CHARACTERS) break;
      shapes.delete(oldest);
      characters -= oldest.length;
    }
  }

  return {
    read(sql) {
      const scanned = sql.length > LONGEST_TEXT ? undefined : scan(sql);
      if (scanned === undefined || scanned.literals.length === 0) return undefined;
      const name = scanned.parts.join("?");
      const known = shapes.get(name);
      // Most texts come once.
      if (known === undefined) keep(name, "once");
      if (known === undefined || known === "none") return undefined;
      const shape = known === "once" ? learnt(sql, scanned, parse) : known;
      if (known === "once") keep(name, shape ?? "none");
      if (shape === undefined) return undefined;
      const { literals } = scanned;
      const variant = literals.filter((_, at) => shape.fixed.has(at));
      const key = variant.map(({ type, written }) => `${type} ${written}`).join("\n");
      const statement = shape.statements.get(key) ?? variantOf(sql, scanned, shape.fixed, parse);
      if (statement === undefined) return undefined;
      if (shape.statements.size >= MOST_VARIANTS) shape.statements.clear();
      shape.statements.set(key, statement);
      return {
        ...statement,
        text: sql.trim(),
        literals: literals.filter((_, at) => !shape.fixed.has(at)),
      };
    },
  };
}

/** Strings without escapes, names, words, numbers, and what makes a text one that is read for itself. */
const TOKEN =
  /'[^'\\]*(?:''[^'\\]*)*'|`[^`]*`|[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*|-?\d+(?:\.\d+)?(?![\w$.\u0080-\uffff])|--|[\d"\\@?#/:{}[\]';]/g;
const NUMBER = /^-?\d/;
/** A sign behind these belongs to its number. */
const BEFORE_SIGN = "(,=";

/** The literals of a text; undefined for one with comments, escapes, parameters, or several statements. */
function scan(sql: string): Scanned | undefined {
  const parts: string[] = [];
  const literals: Literal[] = [];
  const sources: string[] = [];
  let from = 0;
  for (const { 0: token, index } of sql.matchAll(TOKEN)) {
    const isText = token.length > 1 && token.startsWith("'");
    if (!isText && !NUMBER.test(token)) {
      if (/^[A-Za-z_$`\u0080-\uffff]/.test(token)) continue;
      if (token === ";" && sql.slice(index + 1).trim() === "") continue;
      return undefined;
    }
    const isSigned = token.startsWith("-");
    const hasSign = isSigned && BEFORE_SIGN.includes(sql[index - 1] ?? " ");
    const written = isSigned && !hasSign ? token.slice(1) : token;
    const literal = isText ? textLiteral(token) : numberLiteral(written);
    if (literal === undefined) return undefined;
    const start = index + token.length - written.length;
    parts.push(sql.slice(from, start));
    literals.push(literal);
    sources.push(written);
    from = index + token.length;
  }
  parts.push(sql.slice(from));
  return { parts, literals, sources };
}

function textLiteral(token: string): Literal | undefined {
  // Characters with which the reader marks what it has replaced.
  if (/[\ud800-\uffff]/.test(token)) return undefined;
  const value = token.slice(1, -1).replaceAll("''", "'");
  return new Literal("text", value, value);
}

const LARGEST = 2n ** 63n - 1n;

function numberLiteral(written: string): Literal | undefined {
  if (written.includes(".")) {
    const value = parseDecimal(written);
    return value && new Literal("numeric", value, written);
  }
  const value = written.length < 16 ? Number(written) : whole(BigInt(written));
  return value > LARGEST || value < -LARGEST ? undefined : new Literal("int8", value, written);
}

function learnt(
  sql: string,
  scanned: Scanned,
  parse: (sql: string) => readonly ParsedStatement[],
): Shape | undefined {
  const fixed = new Set<number>();
  return compared(sql, scanned, fixed, fixed, parse) && { fixed, statements: new Map() };
}

function variantOf(
  sql: string,
  scanned: Scanned,
  fixed: ReadonlySet<number>,
  parse: (sql: string) => readonly ParsedStatement[],
): ParsedStatement | undefined {
  const more = new Set<number>();
  const statement = compared(sql, scanned, fixed, more, parse);
  return more.size === 0 ? statement : undefined;
}

const KINDS: readonly string[] = ["insert", "update", "delete", "select"];

/** The text with parameters in place of its literals, if it reads the same; those that mean more go into `more`. */
function compared(
  sql: string,
  { parts, literals, sources }: Scanned,
  fixed: ReadonlySet<number>,
  more: Set<number>,
  parse: (sql: string) => readonly ParsedStatement[],
): ParsedStatement | undefined {
  const taken = literals.filter((_, at) => !fixed.has(at));
  const places = literals.flatMap((_, at) => (fixed.has(at) ? [] : [at]));
  const open = parts
    .map((part, at) => part + (fixed.has(at) ? sources[at] : at < literals.length ? "?" : ""))
    .join("");
  const [own, ...others] = parse(sql);
  const [shared] = parsedOrNone(open, parse);
  if (own === undefined || shared === undefined || others.length > 0) return undefined;
  const { kind } = own.statement;
  if (!KINDS.includes(kind)) return undefined;
  const isSame = (one: unknown, other: unknown, isOpen: boolean): boolean => {
    if (isNode(other) && other["kind"] === "parameter") {
      const number = Number(other["number"]) - 1;
      const literal = taken[number];
      if (literal === undefined || !isWritten(one, literal)) return false;
      if (!isOpen) more.add(places[number] ?? 0);
      return true;
    }
    if (Array.isArray(one))
      return (
        Array.isArray(other) &&
        one.length === other.length &&
        one.every((each, at) => isSame(each, other[at], isOpen))
      );
    if (!isNode(one) || !isNode(other)) return one === other;
    const names = Object.keys(one);
    if (names.length !== Object.keys(other).length) return false;
    return names.every((name) =>
      isSame(ownEntry(one, name), ownEntry(other, name), isOpenBelow(one, name, isOpen, kind)),
    );
  };
  return isSame(own.statement, shared.statement, false) ? shared : undefined;
}

/** Operators of which a parameter may be an operand as well as a literal. */
const OPERATORS: readonly unknown[] = [
  ..."=<>+-*",
  "<=",
  ">=",
  "<>",
  "!=",
  "<=>",
  "and",
  "or",
  "not",
];

/** True where a literal means its value and nothing else: a value of a new row, what is assigned, and parts of conditions. */
function isOpenBelow(parent: Node, name: string, isOpen: boolean, statement: string): boolean {
  switch (parent["kind"]) {
    case "values":
      return name === "rows" && statement === "insert";
    case "unary":
    case "binary":
      return isOpen && OPERATORS.includes(parent["operator"]);
    case "in":
    case "between":
    case "is":
      return isOpen;
    case undefined:
      // An assignment, and what happens to a row that is there.
      return isOpen || name === "set";
    default:
      return name === "where" || name === "set" || name === "on";
  }
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

function isWritten(tree: unknown, { type, written }: Literal): boolean {
  if (!isNode(tree)) return false;
  const { kind, text, value, operator, operand } = tree;
  if (kind === "string") return type === "text" && value === written;
  if (type === "text") return false;
  if (kind === "number") return text === written;
  return (
    kind === "unary" &&
    operator === "-" &&
    isNode(operand) &&
    written === `-${String(operand["text"])}`
  );
}

function parsedOrNone(
  sql: string,
  parse: (sql: string) => readonly ParsedStatement[],
): readonly ParsedStatement[] {
  try {
    return parse(sql);
  } catch (error) {
    if (!(asSqlFailure(error) instanceof SqlFailure)) throw error;
    return [];
  }
}
