// The headers of CREATE PROCEDURE, CREATE FUNCTION, CREATE TRIGGER and BEGIN NOT ATOMIC of MySQL and MariaDB.
import type { Dialect } from "../../../program/dialect";
import type { ValueType } from "../../../program/expression";
import type { Table } from "../../../program/schema";
import type { SourceRange } from "../../../protocol/source";
import type { WrittenName } from "../relationNames";
import { linesIn } from "../text/currentSchema";
import { rangeOf, type LineIndex } from "../text/lines";
import { plainBody, type Body } from "../routine/body";
import {
  atEnd,
  endOf,
  isName,
  openCursor,
  peek,
  spanOverCase,
  startOf,
  take,
  takeAll,
  takeName,
  word,
  type Cursor,
} from "../routine/cursor";
import type { Span } from "../text/split";
import { readType, type TypeText } from "./types";

export interface Argument {
  readonly name: string;
  readonly type: TypeText;
  readonly isInput: boolean;
  readonly isOutput: boolean;
}

export interface RoutineDefinition {
  readonly name: string;
  /** The database that its definition names, which is that of its names. */
  readonly schema?: string | undefined;
  readonly isProcedure: boolean;
  readonly arguments: readonly Argument[];
  readonly returns: TypeText | undefined;
  readonly dialect: Dialect;
  readonly body: Body;
  readonly lines: LineIndex;
  readonly span: Span;
  readonly header: SourceRange;
  readonly source: SourceRange;
}

export type DefinitionResult =
  | { readonly kind: "routine"; readonly definition: RoutineDefinition }
  | {
      readonly kind: "trigger";
      readonly name: string;
      readonly table: WrittenName;
      /** BEFORE or AFTER, INSERT, UPDATE or DELETE. */
      readonly moment: readonly string[];
      readonly beside?: { readonly where: "behind" | "before"; readonly name: string };
      /** Its body, as of a procedure without arguments. */
      readonly definition: RoutineDefinition;
      readonly source: SourceRange;
    }
  /** Code that the database runs by itself. */
  | { readonly kind: "event"; readonly name: string; readonly source: SourceRange }
  | { readonly kind: "unreadable"; readonly message: string; readonly source: SourceRange };

/** The routine in `[start, end)` of a canonical text. Never fails. */
export function readDefinition(lines: LineIndex, slice: Span, dialect: Dialect): DefinitionResult {
  const { start, end } = slice;
  const cursor = openCursor(lines.text.slice(start, end));
  const at = (offset: number): number => start + offset;
  const fail = (message: string): DefinitionResult => {
    const token = peek(cursor) ?? cursor.tokens.at(-1);
    const source = rangeOf(lines, at(token?.start ?? 0), at(token?.end ?? 1));
    return { kind: "unreadable", message, source };
  };
  const define = (
    rest: Pick<RoutineDefinition, "name" | "schema" | "isProcedure" | "arguments" | "returns">,
    isTrigger = false,
  ) => {
    const headerEnd = endOf(cursor);
    if (!isTrigger) takeCharacteristics(cursor);
    // Oracle mode's keywords before the body.
    if (!isTrigger && !take(cursor, "is")) take(cursor, "as");
    const own = linesIn(lines, rest.schema === undefined ? undefined : [rest.schema]);
    const body = plainBody(own, { start: at(startOf(cursor)), end });
    const definition: RoutineDefinition = {
      ...rest,
      dialect,
      body,
      lines,
      span: slice,
      header: rangeOf(lines, start, at(headerEnd)),
      source: rangeOf(lines, start, end),
    };
    return { kind: "routine", definition } as const;
  };
  if (word(cursor) === "begin") {
    return define({ name: "block", isProcedure: true, arguments: [], returns: undefined });
  }
  takePrefix(cursor);
  const what = word(cursor);
  cursor.at++;
  takeAll(cursor, "if", "not", "exists");
  if (what === "trigger" || what === "event") {
    const named = takeQualified(cursor);
    if (what === "event") {
      const { name } = named;
      return { kind: "event", name, source: rangeOf(lines, start, at(endOf(cursor))) };
    }
    return trigger(named);
  }
  if (what !== "procedure" && what !== "function") return fail("it is no routine");
  const named = takeQualified(cursor);
  if (named.name === "") return fail("its name is missing");
  if (!take(cursor, "(")) return fail("its arguments are missing");
  const args = takeArguments(cursor, what === "procedure");
  if (!take(cursor, ")")) return fail("its arguments are not closed");
  const returns =
    take(cursor, "returns") || take(cursor, "return") ? takeReturns(cursor) : undefined;
  return define({ ...named, isProcedure: what === "procedure", arguments: args, returns });

  function trigger({ name, schema }: WrittenName): DefinitionResult {
    const moment: string[] = [];
    while (!atEnd(cursor) && !take(cursor, "on")) {
      moment.push(word(cursor));
      cursor.at++;
    }
    const on = takePath(cursor);
    const table = { name: on.name, schema: on.schema?.toLowerCase() ?? schema };
    const source = rangeOf(lines, start, at(endOf(cursor)));
    takeAll(cursor, "for", "each", "row");
    const where = take(cursor, "follows")
      ? ("behind" as const)
      : take(cursor, "precedes")
        ? ("before" as const)
        : undefined;
    const beside = where && { where, name: takeName(cursor)?.toLowerCase() ?? "" };
    const what = { name, schema, isProcedure: true, arguments: [], returns: undefined };
    const { definition } = define(what, true);
    return { kind: "trigger", name, table, moment, definition, source, ...(beside && { beside }) };
  }
}

/** CREATE [OR REPLACE] [DEFINER = user] [AGGREGATE], up to the kind of the routine. */
function takePrefix(cursor: Cursor): void {
  while (!atEnd(cursor) && !KINDS.has(word(cursor))) cursor.at++;
}

const KINDS = new Set(["procedure", "function", "trigger", "event"]);

/** `database.name` in lower case: routine names are case-insensitive. */
function takeQualified(cursor: Cursor): WrittenName {
  const { name, schema } = takePath(cursor);
  return { name: name.toLowerCase(), schema: schema?.toLowerCase() };
}

/** `database.name`, as it is written. */
function takePath(cursor: Cursor): WrittenName {
  let name = takeName(cursor) ?? "";
  let schema: string | undefined;
  while (take(cursor, ".")) {
    schema = name;
    name = takeName(cursor) ?? name;
  }
  return { name, schema };
}

const MODES = new Set(["in", "out", "inout"]);

function takeArguments(cursor: Cursor, mayHaveModes: boolean): readonly Argument[] {
  const found: Argument[] = [];
  while (!atEnd(cursor) && word(cursor) !== ")") {
    const isMode = MODES.has(word(cursor)) && isName(peek(cursor, 1));
    const mode = isMode ? word(cursor) : "in";
    if (isMode) cursor.at++;
    const name = takeName(cursor);
    const type = spanOverCase(cursor, ",", "closing");
    if (name !== undefined) {
      found.push({
        name: name.toLowerCase(),
        type: readType(cursor.text.slice(type.start, type.end)),
        isInput: !mayHaveModes || mode !== "out",
        isOutput: mayHaveModes && mode !== "in",
      });
    }
    if (!take(cursor, ",")) break;
  }
  return found;
}

/** Keywords of the characteristics between the arguments and the body. */
const CHARACTERISTICS = new Set(
  "comment language not deterministic contains no reads modifies sql data security definer invoker charset collate character set aggregate".split(
    " ",
  ),
);

function takeReturns(cursor: Cursor): TypeText {
  const start = startOf(cursor);
  cursor.at++;
  for (;;) {
    const next = word(cursor);
    if (next === "(") {
      cursor.at++;
      spanOverCase(cursor, "closing");
      take(cursor, ")");
    } else if (/^(unsigned|zerofill|varying|precision|binary)$/.test(next)) {
      cursor.at++;
    } else {
      break;
    }
  }
  return readType(cursor.text.slice(start, endOf(cursor)));
}

function takeCharacteristics(cursor: Cursor): void {
  while (!atEnd(cursor)) {
    const token = peek(cursor);
    const isWord = CHARACTERISTICS.has(word(cursor));
    const afterWord = ["comment", "language", "charset", "collate", "set"].includes(
      word(cursor, -1),
    );
    const isLiteral = token?.kind === "string" || (afterWord && isName(token));
    if (word(cursor) === "set" && word(cursor, -1) !== "character") return;
    if (!isWord && !isLiteral) return;
    cursor.at++;
  }
}

/** The AR's type for a declared one; TYPE OF `t.c` is the type of that column. */
export function typeOfText(
  type: TypeText | undefined,
  table: (name: string) => Table | undefined,
): ValueType {
  if (type?.column === undefined) return type?.type ?? "other";
  const { table: relation, column } = type.column;
  return table(relation)?.columns.find((each) => each.name === column)?.type ?? "other";
}
