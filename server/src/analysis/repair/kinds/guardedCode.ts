// A guarded UPDATE in application code: computed from the row itself, with the earlier check as its condition, and a check of the row count
// after it.
import type { TextEdit } from "../candidate";
import { codeGuardsBetween } from "../idioms/codeGuards";
import { codeUpdate } from "../idioms/codeUpdate";
import { keyIn, namesOf, sharedFunction, type CodeColumn } from "../idioms/columnValue";
import { guardedInJava } from "../idioms/javaUpdate";
import { NO_TEXT } from "../idioms/reasons";
import type { GuardedColumn } from "../idioms/updateIdiom";
import type { ReadSite, UpdateSite } from "../pairs";
import type { Workshop } from "../workshop";

interface Guarded {
  readonly edits: readonly TextEdit[];
  readonly isChecked: boolean;
}

/** The edits, or the reason why there are none. Read and UPDATE concern the same row. */
export function guardedInCode(
  workshop: Workshop,
  read: ReadSite,
  update: UpdateSite,
): Guarded | string {
  const tree = workshop.treeOf(read.file);
  if (!tree) return NO_TEXT;
  if (tree.language === "java") return guardedInJava(tree, read, update);
  const owner = sharedFunction(tree, read, update);
  if (!owner) return "the read and the UPDATE stand in different functions";
  const { set, relation } = update.statement;
  const columns: GuardedColumn[] = [];
  for (const [column, own] of namesOf(read.statement)) {
    const held: CodeColumn = { tree, owner, names: own };
    const guards = codeGuardsBetween(held, read.end, update);
    if (typeof guards === "string") return guards;
    if (guards.length > 0 || set.some((each) => each.column === column))
      columns.push({ column, key: keyIn(held) ?? column, held, guards });
  }
  const exits = columns.flatMap(({ guards }) => guards.flatMap(({ exit }) => exit ?? []));
  const missing = exits[0] ?? `throw new Error("${relation.table} changed meanwhile");`;
  const written = codeUpdate(workshop, update, columns, missing);
  if (typeof written === "string") return written;
  const isChecked = columns.some(({ guards }) => guards.length > 0);
  return written.computed.length === 0 && !isChecked
    ? "the UPDATE does not compute from what was read by adding to it"
    : { edits: written.edits, isChecked };
}
