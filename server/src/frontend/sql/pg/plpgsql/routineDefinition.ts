// CREATE FUNCTION and CREATE PROCEDURE as definitions: name, arguments, language and the body's place.
import type { CreateFunctionStmt, DefElem, FunctionParameter, Node, TypeName } from "libpg-query";
import type { ValueType, Query } from "../../../../program/expression";
import type { Table } from "../../../../program/schema";
import type { SourceRange } from "../../../../protocol/source";
import { linesIn, schemasOfPath } from "../../text/currentSchema";
import { rangeOf, type LineIndex } from "../../text/lines";
import type { Span } from "../../text/split";
import { tokensOf, type Token } from "../../text/tokens";
import { plainBody, type Body } from "../../routine/body";
import { constantOf, itemsOf, lastName, schemaOf, stringOf, stringsOf, typeText } from "../ast";
import type { PgParser } from "../pgParser";
import { ownTypeName } from "../schema/typeNames";
import { valueTypeOf } from "../valueType";
import type { Note } from "../../../../program/program";
import { bodyOf } from "./body";

/** A CREATE FUNCTION, CREATE PROCEDURE or DO statement in a file. */
export interface RoutineText extends Span {
  readonly lines: LineIndex;
}

export interface Argument {
  readonly name: string;
  readonly type: TypeName | undefined;
  readonly isInput: boolean;
  readonly isOutput: boolean;
  /** The default argument. */
  readonly value: Node | undefined;
}

export interface RoutineDefinition {
  readonly name: string;
  /** Undefined for an unqualified name, whose schema is unknown. */
  readonly schema: string | undefined;
  readonly isProcedure: boolean;
  readonly arguments: readonly Argument[];
  /** In lower case: `sql`, `plpgsql`, ... */
  readonly language: string;
  readonly body: Body;
  /** BEGIN ATOMIC ... END, or RETURN expression. */
  readonly isAtomic: boolean;
  readonly returns: TypeName | undefined;
  readonly isTrigger: boolean;
  /** RETURNS NULL ON NULL INPUT. */
  readonly isStrict: boolean;
  /** STABLE or IMMUTABLE: it reads the snapshot of the calling statement. */
  readonly readsOneSnapshot: boolean;
  readonly lines: LineIndex;
  readonly span: Span;
  readonly header: SourceRange;
  readonly source: SourceRange;
}

export type DefinitionResult =
  | { readonly ok: true; readonly definition: RoutineDefinition }
  | { readonly ok: false; readonly message: string; readonly source: SourceRange };

/** Reads the statement without its body, which stays text. */
export function readDefinition(routine: RoutineText, parser: PgParser): DefinitionResult {
  const { lines, start, end } = routine;
  const parsed = parser.parse(lines.text.slice(start, end));
  const fail = (message: string, at: number): DefinitionResult => {
    return { ok: false, message, source: rangeOf(lines, at, at + 1) };
  };
  if (!parsed.ok) return fail(parsed.message, start + parsed.offset);
  const node = parsed.statements[0]?.node;
  if (node !== undefined && "CreateFunctionStmt" in node) {
    return functionOf(node.CreateFunctionStmt, routine) ?? fail("it has no body", start);
  }
  if (node !== undefined && "DoStmt" in node) {
    return blockOf(node.DoStmt.args ?? [], routine) ?? fail("it has no body", start);
  }
  return fail("it is no routine", start);
}

function functionOf(node: CreateFunctionStmt, routine: RoutineText): DefinitionResult | undefined {
  const { lines, start, end } = routine;
  const tokens = tokensOf(lines.text, start, end);
  const language = optionText(node.options, "language") ?? (node.sql_body ? "sql" : "");
  const own = linesIn(lines, searchPathOf(node.options));
  const found = bodyIn(own, tokens, node.sql_body !== undefined);
  if (found === undefined) return undefined;
  const definition: RoutineDefinition = {
    name: lastName(node.funcname),
    schema: schemaOf(node.funcname),
    isProcedure: node.is_procedure === true,
    arguments: argumentsOf(node.parameters),
    language: language.toLowerCase(),
    body: found,
    isAtomic: node.sql_body !== undefined,
    returns: node.returnType,
    isTrigger: /^(event_)?trigger$/.test(typeText(node.returnType)),
    isStrict: (node.options ?? []).some(isStrict),
    readsOneSnapshot: ["stable", "immutable"].includes(
      optionText(node.options, "volatility")?.toLowerCase() ?? "",
    ),
    lines,
    span: { start, end },
    header: rangeOf(lines, start, headerEnd(tokens, end)),
    source: rangeOf(lines, start, end),
  };
  return { ok: true, definition };
}

function blockOf(args: readonly Node[], routine: RoutineText): DefinitionResult | undefined {
  const { lines, start, end } = routine;
  const body = tokensOf(lines.text, start, end).find((token) => token.kind === "string");
  if (body === undefined) return undefined;
  const definition: RoutineDefinition = {
    name: "do",
    schema: undefined,
    isProcedure: true,
    arguments: [],
    language: (optionText(args, "language") ?? "plpgsql").toLowerCase(),
    body: bodyOf(lines, body),
    isAtomic: false,
    returns: undefined,
    isTrigger: false,
    isStrict: false,
    readsOneSnapshot: false,
    lines,
    span: { start, end },
    header: rangeOf(lines, start, start + 2),
    source: rangeOf(lines, start, end),
  };
  return { ok: true, definition };
}

/** The type names as one text: equal if PostgreSQL takes them for the same. */
export function typesText(types: readonly (TypeName | undefined)[]): string {
  const names = types.map((type) => [type?.names ?? null, (type?.arrayBounds ?? []).length > 0]);
  return JSON.stringify(names).replaceAll(/,?"location":\d+/g, "");
}

function isStrict(node: Node): boolean {
  if (!("DefElem" in node) || node.DefElem.defname !== "strict") return false;
  const { arg } = node.DefElem;
  return arg !== undefined && "Boolean" in arg && arg.Boolean.boolval === true;
}

function optionText(options: readonly Node[] | undefined, name: string): string | undefined {
  const found = (options ?? []).flatMap((node): readonly DefElem[] =>
    "DefElem" in node && node.DefElem.defname === name ? [node.DefElem] : [],
  );
  const value = found[0]?.arg;
  return stringOf(value) ?? stringOf(itemsOf(value)[0]);
}

/** The schemas of the routine's own `SET search_path`. */
function searchPathOf(options: readonly Node[] = []): readonly string[] | undefined {
  for (const node of options) {
    if (!("DefElem" in node) || node.DefElem.defname !== "set") continue;
    const { arg } = node.DefElem;
    if (arg === undefined || !("VariableSetStmt" in arg)) continue;
    const { name, args = [] } = arg.VariableSetStmt;
    const path = args.map((each) => `'${constantText(each)}'`).join(",");
    if (name === "search_path") return schemasOfPath(path);
  }
  return undefined;
}

function constantText(node: Node): string {
  return "A_Const" in node ? String(constantOf(node.A_Const) ?? "") : "";
}

/** The literal after AS, or the text of BEGIN ATOMIC ... END and RETURN ... */
function bodyIn(lines: LineIndex, tokens: readonly Token[], isAtomic: boolean): Body | undefined {
  if (!isAtomic) {
    const literal = tokens.find(
      (token, at) => token.kind === "string" && tokens[at - 1]?.word === "as",
    );
    return literal === undefined ? undefined : bodyOf(lines, literal);
  }
  const atomic = tokens.findIndex((token) => token.word === "atomic");
  const last = tokens.at(-1);
  if (atomic >= 0) {
    const from = tokens[atomic]?.end ?? 0;
    return plainBody(lines, { start: from, end: last?.start ?? from });
  }
  const back = tokens.find((token) => token.word === "return");
  if (back === undefined || last === undefined) return undefined;
  return plainBody(lines, { start: back.start, end: last.end });
}

/** The end of `CREATE FUNCTION name(arguments)`. */
function headerEnd(tokens: readonly Token[], end: number): number {
  let depth = 0;
  for (const token of tokens) {
    if (token.word === "(") depth++;
    if (token.word === ")" && --depth === 0) return token.end;
  }
  return tokens[2]?.end ?? end;
}

function argumentsOf(nodes: readonly Node[] | undefined): readonly Argument[] {
  let inputs = 0;
  return (nodes ?? []).flatMap((node): readonly Argument[] => {
    if (!("FunctionParameter" in node)) return [];
    const parameter: FunctionParameter = node.FunctionParameter;
    const { mode } = parameter;
    const isInput = mode !== "FUNC_PARAM_OUT" && mode !== "FUNC_PARAM_TABLE";
    if (isInput) inputs++;
    return [
      {
        name: parameter.name ?? `$${inputs}`,
        type: parameter.argType,
        isInput,
        isOutput: !isInput || mode === "FUNC_PARAM_INOUT",
        value: parameter.defexpr,
      },
    ];
  });
}

/** The table of a row type. */
export function tableOfType(
  type: TypeName | undefined,
  table: (name: string) => Table | undefined,
): Table | undefined {
  const name = ownTypeName(typeText(type));
  return name === undefined ? undefined : table(name);
}

/** The AR's type for a declared one; `t.c%TYPE` is the type of that column. */
export function declaredType(
  type: TypeName | undefined,
  table: (name: string) => Table | undefined,
): ValueType {
  if (type?.pct_type !== true) return valueTypeOf(typeText(type));
  const [relation = "", column] = stringsOf(type.names).slice(-2);
  return table(relation)?.columns.find((each) => each.name === column)?.type ?? "other";
}

/** Shared parts of all routines of a reading. */
export interface RoutineContext {
  readonly parser: PgParser;
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  /** The routine that a call of that name means; undefined when there is none, or several. */
  readonly routine: (name: string, count: number, schema?: string) => RoutineDefinition | undefined;
  readonly note: (note: Note) => void;
}
