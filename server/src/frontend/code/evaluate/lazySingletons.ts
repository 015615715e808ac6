// Lazily made singletons, kept where nobody looks into: in a cache, in a slot of a global object, in a variable of a
// module. Where nothing else is ever put there, it is what was made, whoever came first.
import { ofNode } from "../../../query/nodes";
import type { Expression } from "../../../program/expression";
import { walkCommand, walkExpression } from "../../sql/walk";
import type { HirExpression, HirPattern, HirStatement } from "../hir";
import { isNode, visit } from "../nodes";
import { constantText, unknown, type Cell, type Scope, type Value } from "../values";
import { isInput } from "../roots/provenance";
import { heldBy, someWithin } from "./values/subvalues";
import type { Path } from "./fork";
import { readsOf } from "./values/convert";
import { livedIn } from "./values/moduleState";
import { write, type State } from "./state";

type Of<Kind extends HirExpression["kind"]> = Extract<HirExpression, { kind: Kind }>;

/** The key of a cached place, as it is written: `cache<"key">` for what is asked for and set by calls. */
function textOf(hir: HirExpression): string | undefined {
  const within = (object: HirExpression, by: (of: string) => string): string | undefined => {
    const of = textOf(object);
    return of === undefined ? undefined : by(of);
  };
  switch (hir.kind) {
    case "name":
      return hir.name;
    case "this":
      return "this";
    case "literal":
      return JSON.stringify(hir.value);
    case "text":
      return JSON.stringify(hir.runs.map(({ text }) => text).join(""));
    case "typed":
    case "await":
      return textOf(hir.operand);
    case "member":
      return within(hir.object, (of) => `${of}.${hir.property}`);
    case "index":
      return within(hir.object, (of) => within(hir.index, (index) => `${of}[${index}]`) ?? "");
    case "call":
      return textOfCall(hir);
    default:
      return undefined;
  }
}

function textOfCall(hir: Of<"call">): string | undefined {
  const { callee, arguments: args } = hir;
  const kept = placeOfCall(hir);
  // A container that something was put into.
  if (kept && SETS.test(kept.method)) return textOf(kept.object);
  const of = kept ? textOf(kept.object) : textOf(callee);
  const keys = (kept ? args.slice(0, 1) : args).map(({ value }) => textOf(value));
  if (of === undefined || keys.includes(undefined)) return undefined;
  return kept ? `${of}<${keys.join()}>` : `${of}(${keys.join()})`;
}

const ASKS = /^(?:get|has)$/u;
const SETS = /^(?:set|put)$/u;

/** `cache.get(key)`, `cache.has(key)`, `cache.set(key, value)`. */
function placeOfCall({
  callee,
  arguments: args,
}: Of<"call">): { readonly object: HirExpression; readonly method: string } | undefined {
  if (callee.kind !== "member") return undefined;
  const { object, property: method } = callee;
  const isPlace = ASKS.test(method) ? args.length === 1 : SETS.test(method) && args.length === 2;
  return isPlace ? { object, method } : undefined;
}

function putBy(hir: Of<"call">): string | undefined {
  const place = placeOfCall(hir);
  const [key] = hir.arguments;
  const of = place && SETS.test(place.method) ? textOf(place.object) : undefined;
  const at = key && textOf(key.value);
  return of === undefined || at === undefined ? undefined : `${of}<${at}>`;
}

/** The cell of a place: of the function where its first name is one of the function's own. */
function cellOf(state: State, scope: Scope, text: string): Cell | undefined {
  const key = keyOf(state, scope, text);
  if (key === undefined) return undefined;
  const known = state.kept.get(key);
  if (known) return known;
  const cell = { value: unknown(`what ${text} holds is not known`), birth: 0 };
  state.kept.set(key, cell);
  return cell;
}

/** Undefined where callers may put something there, too, or where it is not known which place it is. */
function keyOf(state: State, scope: Scope, text: string): string | undefined {
  const [root = ""] = /^[\w$]+/u.exec(text) ?? [];
  const own = boundCell(scope, root);
  if (own?.value?.kind === "input") return undefined;
  const keys: string[] = [];
  for (const [, key = ""] of text.matchAll(/[[<(]([^[\]<>()]*)[\]>)]/gu)) {
    const isPlain = key === "" || /^["\d]/u.test(key) || !boundCell(scope, key);
    const known = isPlain ? key : constantText(boundCell(scope, key)?.value);
    if (known === undefined) return undefined;
    keys.push(known);
  }
  const at = own ? numberOf(own) : root === "this" ? state.frame.key : scope.module.file;
  return [at, text, ...keys].join(" ");
}

let count = 0;

/** The mark that tells a variable from others of its name. */
const numberOf = ofNode((_cell: Cell) => String((count += 1)));

/** The value that the code put at a place, as far as it is known. */
function heldAt(state: State, scope: Scope, text: string | undefined): Value | undefined {
  const key = text === undefined ? undefined : keyOf(state, scope, text);
  const held = key === undefined ? undefined : state.kept.get(key)?.value;
  return held?.kind === "unknown" ? undefined : held;
}

function boundCell(scope: Scope, name: string): Cell | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const cell = at.bindings.get(name);
    if (cell) return cell;
  }
  return undefined;
}

/** True if it is something of the code's own that does something, and made of nothing that was read. */
export function doesSomething(value: Value | undefined): value is Value {
  if (value === undefined) return false;
  return someWithin(value, (each) => {
    if (!readsOf(each).every(isInput)) return false;
    if (each.kind === "function" || each.kind === "handle") return true;
    return (
      each.kind === "object" && each.isMap !== true && (each.class !== undefined || heldBy(each))
    );
  });
}

/** A value from elsewhere, of which nothing is known. */
function isForeign({ kind }: Value): boolean {
  return kind === "input" || kind === "unknown" || kind === "external" || kind === "builtin" || kind === "scalar"; // prettier-ignore
}

/** The value that was put at a place before; the value that was found there in all other cases. */
export function orSingleton(state: State, scope: Scope, hir: HirExpression, value: Value): Value {
  if (state.kept.size === 0 || !isForeign(value)) return value;
  return heldAt(state, scope, textOf(hir)) ?? value;
}

/** Notes what is put at a place of which nothing else is known. */
export function keep(state: State, scope: Scope, hir: HirExpression, value: Value): void {
  const text = hir.kind === "call" ? putBy(hir) : textOf(hir);
  const key = text === undefined ? undefined : keyOf(state, scope, text);
  if (text === undefined || key === undefined) return;
  const isOwn = doesSomething(value);
  const before = state.kept.get(key)?.value;
  if (!isOwn && (before === undefined || before.kind === "unknown")) return;
  const own = value.kind === "object" && value.class ? livedIn(state, value, text) : value;
  const cell = cellOf(state, scope, text);
  if (cell) write(state, cell, isOwn ? own : unknown(`what ${text} holds is not known`, readsOf(value))); // prettier-ignore
}

/** True if a path does more than to make something. */
export function runsStatements({ commands }: Path): boolean {
  let runs = false;
  walkCommand(
    { kind: "sequence", commands },
    {
      statement: () => {
        runs = true;
      },
    },
  );
  return runs;
}

/** True if `left ?? right` keeps what it makes where it finds nothing, so that it is that in any case. */
export function keepsWhatItMakes(
  state: State,
  scope: Scope,
  { left: hir, right: by }: Of<"binary">,
  left: Value,
  right: Value,
): boolean {
  if (!isForeign(left) || !readsOf(left).every(isInput)) return false;
  const text = textOf(hir);
  if (text === undefined || keyOf(state, scope, text) === undefined) return false;
  const isPut = by.kind === "call" && putBy(by) === text;
  return (isPut || doesSomething(right)) && isOnlyPut(state, text, [hir, by]);
}

/** The result of `left ?? cache.set(key, made)`: what was made. */
export function putThere(state: State, scope: Scope, by: HirExpression, value: Value): Value {
  return heldAt(state, scope, by.kind === "call" ? putBy(by) : undefined) ?? value;
}

/** True if a branch makes what was not found and keeps it, so that it is there behind the branch in any case. */
export function keepsInBranch(
  state: State,
  scope: Scope,
  { condition, then, otherwise }: Extract<HirStatement, { kind: "if" }>,
  asked: Expression,
  path: Path,
): boolean {
  // The first who comes alone does the rest of it.
  if (path.left || otherwise.length > 0 || runsStatements(path)) return false;
  const place = missing(condition);
  const text = place && textOf(place);
  if (text === undefined || isOfDatabase(asked)) return false;
  const own = boundCell(scope, text);
  if (!own) {
    const cell = cellOf(state, scope, text);
    const isMade = cell !== undefined && doesSomething(path.written.get(cell));
    return isMade && isOnlyPut(state, text, then);
  }
  // A name of what was found: what is made is put where that was asked for.
  const puts = writesIn(then).filter((each) => each.text !== text);
  return (
    doesSomething(path.written.get(own)) && puts.some((put) => isOnlyPut(state, put.text, then))
  );
}

/**
 * True if a statement returns what was found at a place where nothing is ever put but an object that the code makes, as
 * it does further on: what it makes is what it would have found.
 */
export function returnsSingleton(
  state: State,
  scope: Scope,
  { condition, then, otherwise }: Extract<HirStatement, { kind: "if" }>,
  asked: Expression,
): boolean {
  const [only, ...others] = then;
  if (only?.kind !== "return" || !only.value || others.length + otherwise.length > 0) return false;
  const name = textOf(condition);
  if (name === undefined || textOf(only.value) !== name || isOfDatabase(asked)) return false;
  const module = state.workspace.modules.moduleOf(state.frame.file);
  if (!module) return false;
  const { start, end } = state.frame.span;
  const lets = letsIn(module.body).filter(
    ({ value: { span } }) => span.start >= start && span.end <= end,
  );
  const isOwn = boundCell(scope, name) !== undefined;
  const places = isOwn ? lets.filter((each) => each.name === name) : [];
  const texts = new Set(isOwn ? places.map(({ value }) => textOf(value)) : [name]);
  const puts = writesIn(module.body).filter(
    (each) => texts.has(each.text) && !isNothing(each.value),
  );
  const isNew = (hir: HirExpression): boolean => {
    if (hir.kind === "typed") return isNew(hir.operand);
    if (hir.kind === "name") {
      const made = lets.filter((each) => each.name === hir.name);
      return made.length > 0 && made.every(({ value }) => value.kind !== "name" && isNew(value));
    }
    return hir.kind === "new" && state.evaluator.expression(state, scope, hir.callee).kind === "class"; // prettier-ignore
  };
  return puts.length > 0 && puts.every(({ value }) => isNew(value));
}

function letsIn(part: object): readonly { readonly name: string; readonly value: HirExpression }[] {
  const found: { readonly name: string; readonly value: HirExpression }[] = [];
  visit(part, (node) => {
    if (!("kind" in node) || node.kind !== "let") return;
    const { pattern, value } = node as Extract<HirStatement, { kind: "let" }>; // of this kind
    if (pattern.kind === "bind" && value) found.push({ name: pattern.name, value });
  });
  return found;
}

function isOfDatabase(asked: Expression): boolean {
  let isRead = false;
  walkExpression(asked, [], {
    expression: ({ kind }) =>
      (isRead ||= kind === "field" || kind === "size" || kind === "affected"),
  });
  return isRead;
}

/** The place that a condition says is empty. */
function missing(hir: HirExpression): HirExpression | undefined {
  if (hir.kind === "unary" && hir.operator === "!") return hir.operand;
  if (hir.kind !== "binary" || !/^={2,3}$/u.test(hir.operator)) return undefined;
  const { right } = hir;
  const isNothing =
    (right.kind === "literal" && (right.value === null || right.value === undefined)) ||
    (right.kind === "name" && right.name === "undefined");
  return isNothing ? hir.left : undefined;
}

interface Written {
  readonly text: string;
  readonly value: HirExpression;
}

/** The values that a part of the code puts somewhere. Linear in it. */
function writesIn(part: object): readonly Written[] {
  const found: Written[] = [];
  visit(part, (node) => {
    if (!("kind" in node) || !("span" in node)) return;
    if (node.kind === "assign" && "target" in node && "value" in node) {
      // Nodes of these kinds are of these types.
      const { target, value } = node as { target: HirPattern; value: HirExpression };
      const text = target.kind === "bind" ? target.name : target.kind === "place" ? textOf(target.place) : undefined; // prettier-ignore
      if (text !== undefined) found.push({ text, value });
    } else if (node.kind === "call") {
      const call = node as Of<"call">;
      const text = SETS.test(placeOfCall(call)?.method ?? "") ? putBy(call) : undefined;
      const value = call.arguments[1]?.value;
      if (text !== undefined && value) found.push({ text, value });
    }
  });
  return found;
}

/** True if a module puts nothing at a place but what stands in `own`, or nothing at all. */
function isOnlyPut(state: State, text: string, own: readonly object[]): boolean {
  const module = state.workspace.modules.moduleOf(state.frame.file);
  if (!module) return false;
  const writes = writesIn(module.body).filter(
    (each) => each.text === text && !isNothing(each.value),
  );
  const inside = new Set<unknown>();
  visit(own, (node) => inside.add(startOf(node)));
  const places = new Set(own.map(startOf));
  const names = new Set<string>();
  for (const { name, value } of letsIn(module.body)) {
    let holds = false;
    visit(value, (each) => (holds ||= places.has(startOf(each))));
    if (holds) names.add(name);
  }
  return (
    writes.length > 0 &&
    writes.every(
      ({ value }) => inside.has(startOf(value)) || (value.kind === "name" && names.has(value.name)),
    )
  );
}

function startOf(node: object): unknown {
  const span = "span" in node && isNode(node.span) ? node.span : undefined;
  return span && "start" in span && "end" in span
    ? `${String(span.start)}-${String(span.end)}`
    : node;
}

function isNothing(hir: HirExpression): boolean {
  return (
    (hir.kind === "literal" && (hir.value === null || hir.value === undefined)) ||
    (hir.kind === "name" && hir.name === "undefined")
  );
}
