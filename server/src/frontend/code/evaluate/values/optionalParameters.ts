// Parameters that callers may leave out though their types do not say so, where TypeScript does not check that: what a
// function asks the presence of may be missing, and what it writes may be left out.
import type { HirExpression, HirFunction, HirParameter } from "../../hir";
import { visit } from "../../nodes";
import type { Value } from "../../values";
import type { State } from "../state";
import { ofNode } from "../../../../query/nodes";

/** A function's parameter, as optional where its types say nothing of that and it asks. Linear in the function, once. */
export function withOptionalParameters(
  state: State,
  { body }: HirFunction,
  parameter: HirParameter,
): HirParameter {
  const { pattern, type, isOptional } = parameter;
  if (pattern.kind !== "bind" || isOptional === true || !PLAIN.test(type?.trim() ?? "")) {
    return parameter;
  }
  if (!state.workspace.untraced.hasLooseTypes(state.frame.file)) return parameter;
  return askedIn(body).has(pattern.name) ? { ...parameter, isOptional: true } : parameter;
}

/** The argument that callers give whom nobody knows, as unchecked where only its type says that it is given. */
export function withUncheckedParameters(
  state: State,
  { type, isOptional, pattern, annotations }: HirParameter,
  value: Value,
): Value {
  if (value.kind !== "input" || value.mayLack === true || isOptional === true) return value;
  const isPlain = PLAIN.test(type?.trim() ?? "") || type?.trim() === "boolean";
  if (!isPlain || pattern.kind !== "bind" || annotations.length > 0) return value;
  const isLoose = state.workspace.untraced.hasLooseTypes(state.frame.file);
  return isLoose ? { ...value, isUnchecked: true } : value;
}

/** The types that asking says something of; truth-values say nothing, and records what is in them. */
const PLAIN = /^(?:string|number|bigint|Date)$/u;

/** The names whose presence is asked anywhere. */
const askedIn = ofNode((body: HirFunction["body"]): ReadonlySet<string> => {
  const names = new Set<string>();
  visit(body, (node) => {
    for (const name of askedBy(node)) names.add(name);
  });
  return names;
});

function askedBy(node: object): readonly string[] {
  if (!("kind" in node)) return [];
  // Statements and expressions with a condition are told by their kinds.
  const { kind, condition, operator, left, right } = node as {
    readonly kind: unknown;
    readonly condition?: HirExpression;
    readonly operator?: string;
    readonly left?: HirExpression;
    readonly right?: HirExpression;
  };
  if ((kind === "if" || kind === "conditional") && condition) return namesAsked(condition);
  if (kind !== "binary" || !left || !right) return [];
  if (LAZY.has(operator ?? "")) return namesAsked(left);
  return COMPARES.has(operator ?? "") ? comparedWithNothing(left, right) : [];
}

const LAZY: ReadonlySet<string> = new Set(["??", "||", "&&"]);
const COMPARES: ReadonlySet<string> = new Set(["==", "!=", "===", "!=="]);

/** `x`, `!x`, and what `&&` and `||` make of them. */
function namesAsked(hir: HirExpression): readonly string[] {
  switch (hir.kind) {
    case "name":
      return [hir.name];
    case "unary":
      return hir.operator === "!" ? namesAsked(hir.operand) : [];
    case "binary":
      return LAZY.has(hir.operator) ? [...namesAsked(hir.left), ...namesAsked(hir.right)] : [];
    default:
      return [];
  }
}

function comparedWithNothing(left: HirExpression, right: HirExpression): readonly string[] {
  const isNothing = (hir: HirExpression): boolean =>
    (hir.kind === "literal" && (hir.value ?? undefined) === undefined) ||
    (hir.kind === "name" && hir.name === "undefined");
  if (isNothing(right)) return namesAsked(left);
  return isNothing(left) ? namesAsked(right) : [];
}
