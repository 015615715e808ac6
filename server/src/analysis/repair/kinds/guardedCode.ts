// A guarded UPDATE in application code: computed from the row itself, with the earlier check as its condition, and a check of the row count
// after it.
import type { Expression } from "../../../program/expression";
import { conjunctsOf } from "../../../program/operands";
import { codeGuardsBetween, exitWithoutRow, type CodeGuard } from "../idioms/codeGuards";
import { codeUpdate } from "../idioms/codeUpdate";
import { keyIn, namesOf, sharedFunction, type CodeColumn } from "../idioms/columnValue";
import { guardedInJava } from "../idioms/javaUpdate";
import { NO_TEXT } from "../idioms/reasons";
import type { GuardedColumn, GuardedEdits } from "../idioms/updateIdiom";
import type { ReadSite, UpdateSite } from "../pairs";
import type { Workshop } from "../workshop";

/** The conditions of a read on a column that the UPDATE then changes: `used_by IS NULL`, `status = 'open'`. */
function searchedBy({ statement: { query } }: ReadSite, column: string): readonly CodeGuard[] {
  return conjunctsOf(query.where).flatMap((each): readonly CodeGuard[] => {
    const isNegated = each.kind === "not";
    const test = isNegated ? each.operand : each;
    if (test.kind === "isNull" && isColumn(test.operand, column))
      return [{ comparison: isNegated ? "is not" : "is", value: "null" }];
    if (each.kind !== "comparison" || !isColumn(each.left, column)) return [];
    const { operator, right } = each;
    return right.kind === "literal" && right.value !== null
      ? [{ comparison: operator, value: JSON.stringify(right.value) }]
      : [];
  });
}

function isColumn(expression: Expression, column: string): boolean {
  return expression.kind === "column" && expression.column === column;
}

/** The edits, or the reason why there are none. Read and UPDATE concern the same row. */
export function guardedInCode(
  workshop: Workshop,
  read: ReadSite,
  update: UpdateSite,
): GuardedEdits | string {
  const tree = workshop.treeOf(read.file);
  if (!tree) return NO_TEXT;
  if (tree.language === "java") return guardedInJava(tree, read, update);
  const owner = sharedFunction(tree, read, update);
  if (!owner) return "the read and the UPDATE stand in different functions";
  const { set, relation } = update.statement;
  const table = workshop.program.schema.tables.find(({ name }) => name === relation.table);
  const columns: GuardedColumn[] = [];
  for (const [column, own] of namesOf(read.statement)) {
    const held: CodeColumn = { tree, owner, names: own };
    const declared = table?.columns.find(({ name }) => name === column);
    const guards = codeGuardsBetween({ ...held, ...(declared && { declared }) }, read.end, update);
    if (typeof guards === "string") return guards;
    const isSet = set.some((each) => each.column === column);
    const searched = isSet ? searchedBy(read, column) : [];
    if (isSet || guards.length > 0)
      columns.push({ column, key: keyIn(held) ?? column, held, guards: [...searched, ...guards] });
  }
  const exits = columns.flatMap(({ guards }) => guards.flatMap(({ exit }) => exit ?? []));
  const missing =
    exits[0] ??
    exitWithoutRow(tree, owner, read, update) ??
    `throw new Error("${relation.table} changed meanwhile");`;
  const written = codeUpdate(workshop, update, columns, missing);
  if (typeof written === "string") return written;
  const isChecked = columns.some(({ guards }) => guards.length > 0);
  return written.computed.length === 0 && !isChecked
    ? "the UPDATE does not compute from what was read by adding to it"
    : { edits: written.edits, isChecked, isComputed: written.computed.length > 0 };
}
