// DECLARE: variables, records, cursors and aliases with their initial values.
import type { ValueType } from "../../../../program/expression";
import type { Table } from "../../../../program/schema";
import { dictionary } from "../../../../protocol/dictionary";
import { literal } from "../../expressions";
import { nameOf, tokensOf } from "../../text/tokens";
import { copyRecord } from "../../routine/assign";
import { declare, declareRecord, declareVariable, find, type Names } from "../../routine/names";
import { assign, lossAt } from "../../routine/state";
import { ownTypeName, writtenTypeKey } from "../schema/typeNames";
import { valueTypeOf } from "../valueType";
import { expressionAt } from "./expression";
import type { State } from "./state";
import type { Declaration } from "./tree";

/** Declares in order, so that a default may use earlier names. */
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
  // The default may use a name of the enclosing block, so it is read before the declaration.
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
  const [token, ...more] = tokensOf(text, span.start, span.end);
  if (token === undefined || more.length > 0) return undefined;
  const binding = find(names, [nameOf(text, token)])?.binding;
  return binding?.kind === "record" ? binding : undefined;
}

interface TypeText {
  /** Its key, see `typeKey`, with [] for an array. */
  readonly name: string;
  /** The names before % in t%ROWTYPE and t.c%TYPE. */
  readonly path: readonly string[];
  readonly percent: "type" | "rowtype" | undefined;
}

/** Parses a type: `numeric(10, 2)`, `t.c%TYPE`, `double precision`, `int[]`. */
function readType(text: string): TypeText {
  const tokens = tokensOf(text, 0, text.length);
  const path: string[] = [];
  let percent: TypeText["percent"];
  const isWord = tokens[0]?.kind === "word";
  const isDotted = tokens.some(({ word }) => word === ".");
  for (const [at, token] of tokens.entries()) {
    if (token.word === "(" || token.word === "[") break;
    if (token.word === "%") {
      percent = tokens[at + 1]?.word === "rowtype" ? "rowtype" : "type";
      break;
    }
    if (token.kind === "word" || token.kind === "name") path.push(nameOf(text, token));
  }
  const spelled = isWord && !isDotted ? SPELLED[path[0] ?? ""] : undefined;
  const name = spelled ?? writtenTypeKey(isDotted ? path : path.slice(0, 1), !isWord);
  const isArray = tokens.some(
    ({ kind, word }) => kind !== "name" && (word === "[" || word === "array"),
  );
  return { name: isArray ? `${name}[]` : name, path, percent };
}

const SPELLED = dictionary<string | undefined>({
  double: "float8",
  character: "text",
  timestamp: "timestamp",
  time: "time",
});

/** The columns of a row type: t%ROWTYPE, or a table's name as a type. */
function rowColumns(
  type: TypeText,
  table: (name: string) => Table | undefined,
): readonly { readonly name: string; readonly type: ValueType }[] | undefined {
  if (type.percent === "type") return undefined;
  if (type.percent === "rowtype") return table(type.path.at(-1) ?? "")?.columns ?? [];
  const name = ownTypeName(type.name);
  return name === undefined ? undefined : table(name)?.columns;
}

function scalarType(type: TypeText, table: (name: string) => Table | undefined): ValueType {
  if (type.percent !== "type") return valueTypeOf(type.name);
  const [relation = "", column] = type.path.slice(-2);
  return table(relation)?.columns.find((each) => each.name === column)?.type ?? "other";
}
