// The texts of EXECUTE, as far as the routine determines them: literals, format(), quote_literal(), `||`, and variables assigned such a
// text once. A quoted value in the text stays a value.
import type { Node } from "libpg-query";
import type { Expression } from "../../../../program/expression";
import { pieceOf } from "../../routine/body";
import { hoistQueries } from "../../routine/hoist";
import { find } from "../../routine/names";
import type { Span } from "../../text/split";
import { constantOf, lastName, stringsOf } from "../ast";
import { lowerExpression } from "../recursion";
import { NO_SOURCES } from "../scope";
import { startWork } from "../statement";
import { parsePlBody } from "./parser";
import { contextFor, type State } from "./state";
import { assignedNames, type Block } from "./tree";

/** A text with placeholders for values, by their numbers. */
export interface DynamicText {
  readonly sql: string;
  /** The values of the placeholders after those of USING. */
  readonly values: readonly Expression[];
  /** The text with a literal for each value and an identifier for each unknown name: enough to recognise the kind of statement. */
  readonly shape: string;
  /** True if some names in it are unknown. */
  readonly isOpen: boolean;
}

type Part =
  | { readonly kind: "text"; readonly text: string }
  /** A quoted value, with its place in the routine. */
  | { readonly kind: "value"; readonly node: Node; readonly span: Span }
  /** A quoted unknown name. */
  | { readonly kind: "name" };

interface Reading {
  readonly state: State;
  readonly span: Span;
  /** True inside of a variable's text: only immutable values are the same there and here. */
  readonly isKept: boolean;
  readonly depth: number;
}

const DEEPEST = 8;

/**
 * The text of an expression of the routine, with placeholders from `first` on; undefined if a part is unknown. Linear in the expression
 * and, for variables, in the routine.
 */
export function dynamicText(state: State, command: Span, first: number): DynamicText | undefined {
  const parts = partsAt(command, { state, span: command, isKept: false, depth: 0 });
  if (parts === undefined) return undefined;
  const values: Expression[] = [];
  const write = (part: Part): string => {
    if (part.kind === "text") return part.text;
    if (part.kind === "name") return SOME_NAME;
    values.push(valueOf(state, part.node, part.span));
    return `$${String(first + values.length - 1)}`;
  };
  const isOpen = parts.some(({ kind }) => kind === "name");
  const shape = parts.map((part) => (part.kind === "value" ? "'x'" : shapeOf(part))).join("");
  const sql = isOpen ? shape : parts.map(write).join("");
  return { sql, values, shape, isOpen };
}

const SOME_NAME = '"some name"';
const shapeOf = (part: Exclude<Part, { kind: "value" }>): string =>
  part.kind === "text" ? part.text : SOME_NAME;

function valueOf(state: State, node: Node, span: Span): Expression {
  const piece = pieceOf(state.body, span, { before: "SELECT " });
  const work = startWork(contextFor(state, piece, span));
  const lowered = lowerExpression(node, NO_SOURCES, work);
  const [value = lowered] = hoistQueries(state, [lowered], { piece, taint: work.taint, span });
  return value;
}

function partsAt(span: Span, reading: Reading): readonly Part[] | undefined {
  const { state, depth } = reading;
  if (depth > DEEPEST) return undefined;
  const parsed = state.shared.parser.parse(pieceOf(state.body, span, { before: "SELECT " }).sql);
  const node = parsed.ok ? parsed.statements[0]?.node : undefined;
  if (node === undefined || !("SelectStmt" in node)) return undefined;
  const { targetList = [], fromClause } = node.SelectStmt;
  const [target] = targetList;
  if (fromClause !== undefined || target === undefined || !("ResTarget" in target))
    return undefined;
  const { val } = target.ResTarget;
  return val === undefined ? undefined : partsOf(val, { ...reading, span });
}

function partsOf(node: Node, reading: Reading): readonly Part[] | undefined {
  if ("A_Const" in node) {
    const value = constantOf(node.A_Const);
    return typeof value === "string" || typeof value === "number" ? text(String(value)) : undefined;
  }
  if ("TypeCast" in node) {
    const { arg, typeName } = node.TypeCast;
    const isText = /^(text|varchar|bpchar)$/.test(lastName(typeName?.names));
    return isText && arg !== undefined ? partsOf(arg, reading) : undefined;
  }
  if ("A_Expr" in node) {
    const { name, lexpr, rexpr } = node.A_Expr;
    if (lastName(name) !== "||" || lexpr === undefined || rexpr === undefined) return undefined;
    return all([lexpr, rexpr].map((each) => partsOf(each, reading)));
  }
  if ("FuncCall" in node)
    return partsOfCall(lastName(node.FuncCall.funcname), node.FuncCall.args, reading);
  if ("ColumnRef" in node) return partsOfVariable(stringsOf(node.ColumnRef.fields), reading);
  return undefined;
}

const text = (written: string): readonly Part[] => [{ kind: "text", text: written }];

function all(lists: readonly (readonly Part[] | undefined)[]): readonly Part[] | undefined {
  return lists.every((each) => each !== undefined) ? lists.flat() : undefined;
}

function partsOfCall(
  name: string,
  args: readonly Node[] = [],
  reading: Reading,
): readonly Part[] | undefined {
  const [first, ...others] = args;
  if (first === undefined) return undefined;
  switch (name) {
    case "format":
      return formatted(constantText(first, reading), others, reading);
    case "concat":
      return all(args.map((each) => partsOf(each, reading)));
    case "quote_ident":
      return quotedName(first, reading);
    case "quote_literal":
    case "quote_nullable":
      return quotedValue(first, reading);
    default:
      return undefined;
  }
}

/** `format('... %I ... %L', name, value)`; widths, as in `%-10s`, are not supported. */
function formatted(
  pattern: string | undefined,
  args: readonly Node[],
  reading: Reading,
): readonly Part[] | undefined {
  if (pattern === undefined) return undefined;
  let next = 0;
  const pieces = pattern.split(/(%(?:\d+\$)?[A-Za-z%-])/);
  const lists = pieces.map((piece, at): readonly Part[] | undefined => {
    if (at % 2 === 0) return text(piece);
    if (piece === "%%") return text("%");
    const position = /^%(\d+)\$/.exec(piece)?.[1];
    if (position !== undefined) next = Number(position) - 1;
    const arg = args[next++];
    if (arg === undefined) return undefined;
    if (piece.endsWith("I")) return quotedName(arg, reading);
    if (piece.endsWith("L")) return quotedValue(arg, reading);
    return piece.endsWith("s") ? partsOf(arg, reading) : undefined;
  });
  return all(lists);
}

function constantText(node: Node, reading: Reading): string | undefined {
  const parts = partsOf(node, reading);
  if (parts === undefined || parts.some(({ kind }) => kind !== "text")) return undefined;
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

function quotedName(node: Node, reading: Reading): readonly Part[] {
  const name = constantText(node, reading);
  return name === undefined
    ? [{ kind: "name" }]
    : text(/^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
}

function quotedValue(node: Node, reading: Reading): readonly Part[] | undefined {
  const known = constantText(node, reading);
  if (known !== undefined) return text(`'${known.replaceAll("'", "''")}'`);
  if (reading.isKept && !isFixed(node, reading)) return undefined;
  return [{ kind: "value", node, span: reading.span }];
}

/** True for an argument that the routine never assigns. */
function isFixed(node: Node, { state }: Reading): boolean {
  if (!("ColumnRef" in node)) return false;
  return find(state.names, stringsOf(node.ColumnRef.fields))?.binding.kind === "value";
}

/** A variable that is assigned exactly once, unconditionally and before; or an argument with a known value. */
function partsOfVariable(path: readonly string[], reading: Reading): readonly Part[] | undefined {
  const { state, span } = reading;
  const [name = "", ...others] = path;
  const binding = find(state.names, path)?.binding;
  if (binding?.kind === "value") {
    const { value } = binding;
    return value.kind === "literal" && typeof value.value === "string"
      ? text(value.value)
      : undefined;
  }
  if (binding?.kind !== "variable" || others.length > 0) return undefined;
  const { block } = parsePlBody(state.body.text);
  const [only, ...more] = block === undefined ? [] : assignmentsTo(block, name);
  if (only === undefined || more.length > 0 || only.end > span.start) return undefined;
  return partsAt(only, { ...reading, isKept: true, depth: reading.depth + 1 });
}

/** The values assigned to a variable; a conditional one, or one that is no expression, is an empty span at the end. */
function assignmentsTo(block: Block, name: string): readonly Span[] {
  const other: Span = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  const given: Span[] = [];
  const assigns = (body: Block["body"]): boolean =>
    assignedNames({ ...block, declarations: [], body, handlers: [] }).has(name);
  for (const each of block.declarations)
    if (each.name === name) given.push(...(each.value === undefined ? [] : [each.value]));
  for (const each of block.body) {
    if (each.kind === "block") given.push(...assignmentsTo(each.block, name));
    else if (each.kind === "assign" && each.target.path.join(".") === name)
      given.push(each.target.part ? other : each.value);
    else if (assigns([each])) given.push(other);
  }
  if (block.handlers.some(({ body }) => assigns(body))) given.push(other);
  return given;
}
