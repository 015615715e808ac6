// The syntax tree of a schema.prisma, with places; readSchema.ts interprets it.
import type { Span } from "../../sql/text/split";
import { tokensOf, type PrismaToken } from "./tokens";

export interface PrismaName extends Span {
  readonly text: string;
}

export type PrismaValue = Span &
  (
    | { readonly kind: "text" | "number"; readonly text: string }
    /** A field, an enumeration's value, `true`, `Cascade`; with its call, `autoincrement()` or `name(sort: Desc)`. */
    | {
        readonly kind: "name";
        readonly text: string;
        readonly arguments?: readonly PrismaArgument[];
      }
    | { readonly kind: "list"; readonly items: readonly PrismaValue[] }
    | { readonly kind: "record"; readonly entries: readonly PrismaArgument[] }
  );

export interface PrismaArgument extends Span {
  readonly name?: string;
  readonly value: PrismaValue;
}

export interface PrismaAttribute extends Span {
  /** Without `@`: `id`, `db.VarChar`. */
  readonly name: string;
  readonly arguments: readonly PrismaArgument[];
}

export interface FieldSyntax extends Span {
  readonly name: PrismaName;
  readonly type: PrismaName;
  readonly isList: boolean;
  readonly isOptional: boolean;
  readonly attributes: readonly PrismaAttribute[];
}

export interface EnumValueSyntax extends Span {
  readonly name: PrismaName;
  readonly attributes: readonly PrismaAttribute[];
}

export interface PrismaSetting extends Span {
  readonly key: PrismaName;
  readonly value: PrismaValue;
}

interface BlockBase extends Span {
  readonly name: PrismaName;
  /** From the keyword to the name. */
  readonly header: Span;
  /** Those of the block itself (`@@map`). */
  readonly attributes: readonly PrismaAttribute[];
}

export type PrismaBlock =
  | (BlockBase & {
      readonly kind: "model" | "view" | "type";
      readonly fields: readonly FieldSyntax[];
    })
  | (BlockBase & { readonly kind: "enum"; readonly values: readonly EnumValueSyntax[] })
  | (BlockBase & {
      readonly kind: "datasource" | "generator";
      readonly settings: readonly PrismaSetting[];
    });

export interface PrismaProblem extends Span {
  readonly message: string;
}

export interface PrismaSyntax {
  readonly blocks: readonly PrismaBlock[];
  readonly problems: readonly PrismaProblem[];
}

/** Parses a schema.prisma in linear time. An unreadable line is a problem; the rest is read. */
export function parsePrisma(text: string): PrismaSyntax {
  const reader = createReader(text);
  const blocks: PrismaBlock[] = [];
  for (;;) {
    reader.skipLines();
    const token = reader.peek();
    if (token === undefined) return { blocks, problems: reader.problems };
    const kind = BLOCKS.find((each) => each === token.text);
    if (kind === undefined || token.kind !== "name") {
      const found = token.text.slice(0, 40);
      reader.fail(
        token,
        `"${found}" begins no block: expected model, view, enum, type, datasource or generator`,
      );
      reader.skipToBlock();
    } else {
      const block = readBlock(kind, reader);
      if (block !== undefined) blocks.push(block);
    }
  }
}

const BLOCKS = ["model", "view", "type", "enum", "datasource", "generator"] as const;

/** Nesting limit of values. */
const DEEPEST = 50;

interface Reader {
  readonly problems: PrismaProblem[];
  peek(ahead?: number): PrismaToken | undefined;
  next(): PrismaToken | undefined;
  /** Consumes the next token if it is that sign. */
  take(sign: string): PrismaToken | undefined;
  skipLines(): void;
  /** Skips to the end of the line, or to the `}` that ends it. */
  skipLine(): void;
  /** Skips to the next block, or to the end. */
  skipToBlock(): void;
  /** The end of the last consumed token. */
  end(): number;
  fail(at: Span | undefined, message: string): void;
  /** True if the next token begins a block on a new line. */
  isAtBlock(): boolean;
}

function createReader(text: string): Reader {
  const tokens = tokensOf(text);
  const problems: PrismaProblem[] = [];
  let at = 0;
  const peek: Reader["peek"] = (ahead = 0) => tokens[at + ahead];
  const isAtBlock = (): boolean => {
    const [keyword, name, open] = [peek(), peek(1), peek(2)];
    const isFirst = at === 0 || tokens[at - 1]?.kind === "newline" || tokens[at - 1]?.text === "}";
    const isBlock = BLOCKS.some((each) => each === keyword?.text) && name?.kind === "name";
    return isFirst && isBlock && open?.kind === "sign" && open.text === "{";
  };
  const skipLine = (): void => {
    const isLast = (): boolean => peek(1) === undefined || peek(1)?.kind === "newline";
    while (at < tokens.length && peek()?.kind !== "newline") {
      if (peek()?.text === "}" && peek()?.kind === "sign" && isLast()) return;
      at++;
    }
  };
  return {
    problems,
    peek,
    isAtBlock,
    skipLine,
    next: () => tokens[at++],
    take: (sign) => (peek()?.kind === "sign" && peek()?.text === sign ? tokens[at++] : undefined),
    skipLines: () => {
      while (peek()?.kind === "newline") at++;
    },
    skipToBlock: () => {
      at++;
      while (at < tokens.length && !isAtBlock()) at++;
    },
    end: () => tokens[at - 1]?.end ?? 0,
    fail: (span, message) => {
      const { start, end } = span ?? { start: text.length, end: text.length };
      problems.push({ start, end, message });
    },
  };
}

function readBlock(kind: PrismaBlock["kind"], reader: Reader): PrismaBlock | undefined {
  const keyword = reader.next();
  const name = reader.peek();
  if (keyword === undefined || name?.kind !== "name") {
    reader.fail(name, `a name is expected after "${kind}"`);
    reader.skipToBlock();
    return undefined;
  }
  reader.next();
  const header = { start: keyword.start, end: name.end };
  if (reader.take("{") === undefined) {
    reader.fail(reader.peek(), `"{" is expected after "${kind} ${name.text}"`);
    reader.skipToBlock();
    return undefined;
  }
  const attributes: PrismaAttribute[] = [];
  const fields: FieldSyntax[] = [];
  const values: EnumValueSyntax[] = [];
  const settings: PrismaSetting[] = [];
  for (;;) {
    reader.skipLines();
    const token = reader.peek();
    if (token === undefined || reader.isAtBlock()) {
      reader.fail(header, `"${kind} ${name.text}" has no closing "}"`);
      break;
    }
    if (reader.take("}") !== undefined) break;
    const before = reader.problems.length;
    if (reader.take("@@") !== undefined) {
      const attribute = readAttribute(token.start, reader);
      if (attribute !== undefined) attributes.push(attribute);
    } else if (kind === "enum") {
      const value = readEnumValue(reader);
      if (value !== undefined) values.push(value);
    } else if (kind === "datasource" || kind === "generator") {
      const setting = readSetting(reader);
      if (setting !== undefined) settings.push(setting);
    } else {
      const field = readField(reader);
      if (field !== undefined) fields.push(field);
    }
    const rest = reader.peek();
    if (rest === undefined || rest.kind === "newline" || rest.text === "}") continue;
    if (reader.problems.length === before) {
      reader.fail(rest, `"${rest.text}" is not expected here`);
    }
    reader.skipLine();
  }
  const common = { name: nameOf(name), header, attributes, start: header.start, end: reader.end() };
  if (kind === "enum") return { kind, ...common, values };
  if (kind === "datasource" || kind === "generator") return { kind, ...common, settings };
  return { kind, ...common, fields };
}

function nameOf({ text, start, end }: PrismaToken): PrismaName {
  return { text, start, end };
}

function readName(reader: Reader, what: string): PrismaName | undefined {
  const token = reader.peek();
  if (token?.kind !== "name") {
    reader.fail(token, `${what} is expected here`);
    return undefined;
  }
  reader.next();
  return nameOf(token);
}

function readField(reader: Reader): FieldSyntax | undefined {
  const name = readName(reader, "the name of a field");
  if (name === undefined) return undefined;
  // The old syntax `name: Type` is accepted as well.
  reader.take(":");
  const type = readName(reader, `the type of "${name.text}"`);
  if (type === undefined) return undefined;
  // Unsupported("circle")
  if (reader.peek()?.text === "(") readArguments(reader, 0);
  const isList = reader.take("[") !== undefined && reader.take("]") !== undefined;
  const isOptional = reader.take("?") !== undefined;
  reader.take("!");
  const attributes = readAttributes(reader);
  return { name, type, isList, isOptional, attributes, start: name.start, end: reader.end() };
}

function readEnumValue(reader: Reader): EnumValueSyntax | undefined {
  const name = readName(reader, "a value");
  if (name === undefined) return undefined;
  const attributes = readAttributes(reader);
  return { name, attributes, start: name.start, end: reader.end() };
}

function readSetting(reader: Reader): PrismaSetting | undefined {
  const key = readName(reader, "a setting");
  if (key === undefined) return undefined;
  if (reader.take("=") === undefined) {
    reader.fail(reader.peek(), `"=" is expected after "${key.text}"`);
    return undefined;
  }
  const value = readValue(reader, 0);
  return value && { key, value, start: key.start, end: reader.end() };
}

function readAttributes(reader: Reader): readonly PrismaAttribute[] {
  const attributes: PrismaAttribute[] = [];
  for (;;) {
    const sign = reader.take("@");
    if (sign === undefined) return attributes;
    const attribute = readAttribute(sign.start, reader);
    if (attribute === undefined) return attributes;
    attributes.push(attribute);
  }
}

function readAttribute(start: number, reader: Reader): PrismaAttribute | undefined {
  const first = readName(reader, "the name of an attribute");
  if (first === undefined) return undefined;
  let name = first.text;
  while (reader.take(".") !== undefined) {
    const part = readName(reader, "the name of an attribute");
    if (part === undefined) return undefined;
    name += `.${part.text}`;
  }
  const given = reader.peek()?.text === "(" ? readArguments(reader, 0) : [];
  return { name, arguments: given, start, end: reader.end() };
}

/** The text between parentheses, possibly over several lines. */
function readArguments(reader: Reader, depth: number): readonly PrismaArgument[] {
  return readList(reader, "(", ")", () => readArgument(reader, depth));
}

function readArgument(reader: Reader, depth: number): PrismaArgument | undefined {
  const [token, colon] = [reader.peek(), reader.peek(1)];
  const start = token?.start ?? 0;
  const isNamed = token?.kind === "name" && colon?.kind === "sign" && colon.text === ":";
  if (isNamed) {
    reader.next();
    reader.next();
    reader.skipLines();
  }
  const value = readValue(reader, depth);
  if (value === undefined) return undefined;
  return { ...(isNamed && { name: token.text }), value, start, end: reader.end() };
}

function readList<Item>(
  reader: Reader,
  open: string,
  close: string,
  read: () => Item | undefined,
): readonly Item[] {
  const items: Item[] = [];
  reader.take(open);
  for (;;) {
    reader.skipLines();
    const token = reader.peek();
    if (reader.take(close) !== undefined) return items;
    if (token === undefined || reader.isAtBlock()) {
      reader.fail(token, `"${close}" is missing`);
      return items;
    }
    const item = read();
    if (item === undefined) return items;
    items.push(item);
    reader.skipLines();
    reader.take(",");
  }
}

function readValue(reader: Reader, depth: number): PrismaValue | undefined {
  const token = reader.peek();
  if (token === undefined || depth > DEEPEST) {
    reader.fail(token, "a value is expected here");
    return undefined;
  }
  const { start } = token;
  if (token.kind === "sign" && (token.text === "[" || token.text === "{")) {
    if (token.text === "[") {
      const items = readList(reader, "[", "]", () => readValue(reader, depth + 1));
      return { kind: "list", items, start, end: reader.end() };
    }
    const entries = readList(reader, "{", "}", () => readArgument(reader, depth + 1));
    return { kind: "record", entries, start, end: reader.end() };
  }
  if (token.kind === "text" || token.kind === "number") {
    reader.next();
    return { kind: token.kind, text: token.text, start, end: token.end };
  }
  const name = readName(reader, "a value");
  if (name === undefined) return undefined;
  let { text } = name;
  while (reader.take(".") !== undefined) {
    text += `.${readName(reader, "a name")?.text ?? ""}`;
  }
  if (reader.peek()?.text !== "(") return { kind: "name", text, start, end: reader.end() };
  const given = readArguments(reader, depth + 1);
  return { kind: "name", text, arguments: given, start, end: reader.end() };
}
