// `x = ANY($1)` and `x <> ALL($1)` of an argument that is nothing but a list: as in code, two of its items stand for all.
import { elementName } from "../../../program/arrays";
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { mapSharing } from "../dialectDetection/sharedParts";
import { walkCommand } from "../walk";

type Call = Extract<Expression, { readonly kind: "call" }>;

/** Two rows take part in a dependency. */
const ITEMS = [1, 2];

/** The command with the items of such lists, and the names of these by the list's. Linear in the command. */
export function withListItems(command: Command): {
  readonly command: Command;
  readonly items: ReadonlyMap<string, readonly string[]>;
} {
  const uses = new Map<string, number>();
  const asList = new Map<string, number>();
  walkCommand(command, {
    expression: (each) => {
      if (each.kind === "parameter") count(uses, each.name);
      const list = listOf(each);
      if (list !== undefined) count(asList, list);
    },
  });
  const items = new Map(
    [...asList]
      .filter(([name, times]) => uses.get(name) === times)
      .map(([name]) => [name, ITEMS.map((at) => elementName(name, at))] as const),
  );
  if (items.size === 0) return { command, items };
  const change = (part: object): object =>
    (isExpression(part) ? membership(part, items) : undefined) ?? part;
  return { command: mapSharing(command, change), items };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function isExpression(part: object): part is Expression {
  return "kind" in part && part.kind === "call";
}

/** The argument that a call asks as a list. */
function listOf(expression: Expression): string | undefined {
  if (expression.kind !== "call" || !isAsked(expression)) return undefined;
  const [, list] = expression.arguments;
  return list?.kind === "parameter" ? list.name : undefined;
}

function isAsked({ name }: Call): boolean {
  return name === "=-any" || name === "<>-all";
}

function membership(
  expression: Expression,
  items: ReadonlyMap<string, readonly string[]>,
): Expression | undefined {
  const names = items.get(listOf(expression) ?? "");
  if (expression.kind !== "call" || names === undefined) return undefined;
  const [operand] = expression.arguments;
  if (operand === undefined) return undefined;
  const values = names.map((name): Expression => ({ kind: "parameter", name }));
  const among: Expression = { kind: "in", operand, values };
  return expression.name === "=-any" ? among : { kind: "not", operand: among };
}
