// Effects of repeating a part of a function, besides sending its statements again: nothing of it may outlast a rollback,
// and no handler inside may keep the server's refusal from whoever repeats it.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import { textOf } from "./columnValue";
import { throwsAlways } from "./handlers";
import { nodesIn } from "./syntax";

/** A part of a text, with the places in it where statements of the transaction are sent. */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly sites: readonly { readonly start: number; readonly end: number }[];
  /** The variable of the connection, if it is declared in the part. */
  readonly connection: string | undefined;
}

/** The reason why a part of a function is not repeated; undefined if there is none. Linear in the function's nodes. */
export function objectionToRepetition(
  tree: CodeTree,
  owner: SyntaxNode,
  { start, end, sites, connection }: Part,
): string | undefined {
  const nodes = nodesIn(owner).filter((node) => start <= node.start && node.end <= end);
  const own = new Set(nodes.flatMap((node) => bindingsOf(tree, node)));
  const handles = new Set([connection, ...nodes.flatMap((node) => parametersOf(tree, node))]);
  const isOwn = (node: SyntaxNode): boolean => own.has(rootOf(tree, node));
  for (const node of nodes) {
    if (keepsError(tree, node)) return "a handler in it keeps the server's error";
    const outer = effectOf(tree, node, (call) => {
      const called = childOf(call, "function") ?? call;
      return (
        sites.some((site) => call.start <= site.start && site.end <= call.end) ||
        isOwn(called) ||
        TAKING.test(textOf(tree, called)) ||
        namedChildren(childOf(call, "arguments") ?? call).some((each) =>
          handles.has(textOf(tree, each)),
        )
      );
    });
    if (outer && (outer.isAlways || !isOwn(outer.node)))
      return `${textOf(tree, outer.node)} would be repeated as well`;
  }
  return undefined;
}

/** The names that a declaration, a parameter or the head of a loop binds. */
export function bindingsOf(tree: CodeTree, node: SyntaxNode): readonly string[] {
  const isBinding = node.type === "variable_declarator" || node.type === "for_in_statement";
  const bound = isBinding && (childOf(node, "name") ?? childOf(node, "left"));
  return bound ? namesIn(tree, bound) : parametersOf(tree, node);
}

function parametersOf(tree: CodeTree, node: SyntaxNode): readonly string[] {
  const given = node.type === "formal_parameters" ? node : childOf(node, "parameter");
  return given ? namesIn(tree, given) : [];
}

function namesIn(tree: CodeTree, node: SyntaxNode): readonly string[] {
  return nodesIn(node)
    .filter(({ type }) => /^(?:shorthand_property_)?identifier(?:_pattern)?$/u.test(type))
    .map((each) => textOf(tree, each));
}

/** True for handlers that go on, or that throw another error than the server's. */
function keepsError(tree: CodeTree, node: SyntaxNode): boolean {
  const handler = node.type === "try_statement" ? childOf(node, "handler") : undefined;
  const tried = childOf(node, "body");
  const body = handler && childOf(handler, "body");
  if (!body || !tried || !nodesIn(tried).some(({ type }) => type === "await_expression"))
    return false;
  const caught = childOf(handler, "parameter");
  const [thrown] = namedChildren(namedChildren(body).at(-1) ?? body);
  const isSame = caught && thrown && textOf(tree, caught) === textOf(tree, thrown);
  return !isSame || !throwsAlways(body);
}

interface Effect {
  readonly node: SyntaxNode;
  /** Whoever declares what it begins with. */
  readonly isAlways: boolean;
}

/** The effect of a node beside the database, if it has one: a variable or list, or whatever a call may reach. */
function effectOf(
  tree: CodeTree,
  node: SyntaxNode,
  isInside: (call: SyntaxNode) => boolean,
): Effect | undefined {
  const target = /^(?:augmented_assignment|update)_expression$/u.test(node.type)
    ? (childOf(node, "left") ?? childOf(node, "argument"))
    : undefined;
  if (target) return { node: target, isAlways: false };
  const [waited] = node.type === "await_expression" ? namedChildren(node) : [];
  const call = waited ?? node;
  const called = call.type === "call_expression" ? childOf(call, "function") : undefined;
  if (!called) return undefined;
  const property = childOf(called, "property") ?? called;
  const name = textOf(tree, property);
  if (EFFECT.test(name) || (waited && !isInside(call))) return { node: called, isAlways: true };
  return CHANGE.test(name) ? { node: called, isAlways: false } : undefined;
}

/** Calls whose effects a rollback leaves, by the names that people give them. */
const EFFECT = /^(?:(?:send|mail|notify|publish|emit|enqueue|charge|dispatch)\w*|fetch)$/u;
/** Methods that change a list by each call. */
const CHANGE = /^(?:push|pop|shift|unshift|splice)$/u;
/** Calls that take a connection. */
const TAKING = /connect|acquire|QueryRunner/iu;

/** The variable that a path of properties and calls begins with. */
function rootOf(tree: CodeTree, node: SyntaxNode): string {
  const inner = childOf(node, "object") ?? childOf(node, "function") ?? namedChildren(node)[0];
  return inner ? rootOf(tree, inner) : textOf(tree, node);
}
