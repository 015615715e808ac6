// DECLARE: variables, records, cursors and aliases with their first values.
import type { ValueType } from "../../../program/expression";
import type { Table } from "../../../program/schema";
import { dictionary } from "../../../protocol/dictionary";
import { literal } from "../expressions";
import { nameOf, tokensOf } from "../tokens";
import { copyRecord } from "../routine/assign";
import { declare, declareRecord, declareVariable, find, type Names } from "../routine/names";
import { assign, lossAt } from "../routine/state";
import { expressionAt } from "./plExpression";
import type { State } from "./plState";
import type { Declaration } from "./plTree";
import { valueTypeOf } from "./valueType";

/** Declares in order, so that a default may use what stands before. */
export function declareAll(state: State, declarations: readonly Declaration[]): void {
  for (const declaration of declarations) declareOne(state, declaration);
}

function declareOne(state: State, declaration: Declaration): void {
  const { name, span, alias, cursor, value } = declaration;
  const { names } = state;
  if (alias !== undefined) {
    declareAlias(state, declaration, alias);
    return;
  }
  if (cursor !== undefined) {
    declare(names, name, { kind: "cursor", query: cursor.query, parameters: cursor.parameters });
    return;
  }
  const type = readType(declaration.type);
  if (type.name === "refcursor") {
    declare(names, name, { kind: "cursor", query: undefined, parameters: [] });
    return;
  }
  const row = rowColumns(type, state.shared.table);
  if (type.name === "record" || row !== undefined) {
    const record = declareRecord(names, name, row);
    const from = value === undefined ? undefined : recordIn(names, state.body.text, value);
    if (from !== undefined) copyRecord(state, record, from, span);
    else if (value !== undefined) lossAt(state, "the first value of a record", span);
    return;
  }
  // A name of the block around may stand in the default, so it is read before the new one is declared.
  const first = value === undefined ? undefined : expressionAt(state, value, span);
  const variable = declareVariable(names, name, scalarType(type, state.shared.table));
  if (first !== undefined) assign(state, variable, first, span);
  else if (state.loops.length > 0 || state.callers.length > 0)
    assign(state, variable, literal(null), span);
}

function declareAlias(state: State, declaration: Declaration, path: readonly string[]): void {
  const [first = ""] = path;
  const number = /^\$(\d+)$/.exec(first)?.[1];
  const inputs = state.definition.arguments.filter((each) => each.isInput);
  const target = number === undefined ? path : [inputs[Number(number) - 1]?.name ?? first];
  const found = find(state.names, target);
  if (found === undefined)
    lossAt(state, `${declaration.name} is an alias of nothing`, declaration.span);
  else declare(state.names, declaration.name, found.binding);
}

function recordIn(
  names: Names,
  text: string,
  span: { readonly start: number; readonly end: number },
) {
  const name = text.slice(span.start, span.end).trim().toLowerCase();
  const binding = find(names, [name])?.binding;
  return binding?.kind === "record" ? binding : undefined;
}

interface TypeText {
  /** Without its schema, in lower case, with [] for an array. */
  readonly name: string;
  /** The names before % in t%ROWTYPE and t.c%TYPE. */
  readonly path: readonly string[];
  readonly percent: "type" | "rowtype" | undefined;
}

/** A type as it is written: `numeric(10, 2)`, `t.c%TYPE`, `double precision`, `int[]`. */
function readType(text: string): TypeText {
  const tokens = tokensOf(text, 0, text.length);
  const path: string[] = [];
  let percent: TypeText["percent"];
  for (const [at, token] of tokens.entries()) {
    if (token.word === "(" || token.word === "[") break;
    if (token.word === "%") {
      percent = tokens[at + 1]?.word === "rowtype" ? "rowtype" : "type";
      break;
    }
    if (token.kind === "word" || token.kind === "name") path.push(nameOf(text, token));
  }
  const words = path.join(" ");
  const name =
    words === "double precision" || words.startsWith("character") || words.startsWith("timestamp")
      ? (SPELLED[path[0] ?? ""] ?? "")
      : (path.at(-1) ?? "");
  const isArray = /\[\s*\d*\s*\]|\barray\b/i.test(text);
  return { name: isArray ? `${name}[]` : name, path, percent };
}

const SPELLED = dictionary<string | undefined>({
  double: "float8",
  character: "text",
  timestamp: "timestamp",
});

/** The columns of a row type: t%ROWTYPE, or a table's name as a type. */
function rowColumns(
  type: TypeText,
  table: (name: string) => Table | undefined,
): readonly { readonly name: string; readonly type: ValueType }[] | undefined {
  if (type.percent === "type") return undefined;
  const known = table(type.path.at(-1) ?? "");
  if (known !== undefined && !type.name.endsWith("[]")) return known.columns;
  return type.percent === "rowtype" ? [] : undefined;
}

function scalarType(type: TypeText, table: (name: string) => Table | undefined): ValueType {
  if (type.percent !== "type") return valueTypeOf(type.name);
  const [relation = "", column] = type.path.slice(-2);
  return table(relation)?.columns.find((each) => each.name === column)?.type ?? "other";
}
