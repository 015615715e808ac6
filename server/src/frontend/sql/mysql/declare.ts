// DECLARE of variables and cursors, and arguments of row types.
import type { ValueType } from "../../../program/expression";
import { literal } from "../expressions";
import { declare, declareRecord, declareVariable, find } from "../routine/names";
import { assign } from "../routine/state";
import { typeOfText } from "./definition";
import { valueAt } from "./run";
import { assignVariable, loopDepth, type State } from "./state";
import type { Declaration } from "./tree";
import { readType, type TypeText } from "./types";

/** Declares in order, so that a default may use earlier names. */
export function declareAll(state: State, declarations: readonly Declaration[]): void {
  for (const declaration of declarations) {
    if (declaration.kind === "cursor") {
      const { name, query, parameters } = declaration;
      declare(state.names, name, { kind: "cursor", query, parameters });
    } else if (declaration.kind === "variables") {
      declareVariables(state, declaration);
    }
  }
}

function declareVariables(
  state: State,
  declaration: Extract<Declaration, { readonly kind: "variables" }>,
): void {
  const { names, value, span } = declaration;
  const type = readType(declaration.type);
  const row = rowColumns(state, type);
  // The default may use a name of the enclosing block, so it is read before the declaration.
  const first = value === undefined ? undefined : valueAt(state, value, span);
  for (const name of names) {
    if (row !== undefined) {
      declareRecord(state.names, name, row);
      continue;
    }
    const variable = declareVariable(state.names, name, typeOfText(type, state.shared.table));
    state.declaredAt.set(variable, loopDepth(state));
    if (first !== undefined) assignVariable(state, variable, first, span);
    else if (loopDepth(state) > 0 || state.callers.length > 0)
      assign(state, variable, literal(null), span);
  }
}

/** The columns of ROW TYPE OF a table or cursor, and of ROW (...). */
function rowColumns(
  state: State,
  type: TypeText,
): readonly { readonly name: string; readonly type: ValueType }[] | undefined {
  if (type.fields !== undefined) return type.fields;
  if (type.rowOf === undefined) return undefined;
  const isCursor = find(state.names, [type.rowOf])?.binding.kind === "cursor";
  return isCursor ? [] : (state.shared.table(type.rowOf)?.columns ?? []);
}
