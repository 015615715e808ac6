// A guarded UPDATE in application code: computed from the row itself, with what was checked before it as its condition, and
// the count of changed rows checked behind it.
import type { SyntaxNode } from "../../../frontend/code/workspace/codeParsers";
import type { SelectStatement, UpdateStatement } from "../../../program/statement";
import type { TextEdit } from "../candidate";
import { codeGuardsBetween } from "../idioms/codeGuards";
import { codeUpdate } from "../idioms/codeUpdate";
import { plainKey, sharedFunction, textOf, type CodeColumn } from "../idioms/columnValue";
import type { GuardedColumn } from "../idioms/updateIdiom";
import type { Site, Workshop } from "../workshop";

interface Guarded {
  readonly edits: readonly TextEdit[];
  readonly isChecked: boolean;
}

/** The edits, or why there are none. Read and UPDATE are of one row. */
export function guardedInCode(
  workshop: Workshop,
  read: Site & { readonly statement: SelectStatement },
  update: Site & { readonly statement: UpdateStatement },
): Guarded | string {
  const tree = workshop.treeOf(read.file);
  if (!tree || tree.language === "java")
    return "values that Java code computes are not moved into an UPDATE";
  const owner = sharedFunction(tree, read, update);
  if (!owner) return "the read and the UPDATE stand in different functions";
  const { outputs } = read.statement.query;
  const { set, relation } = update.statement;
  const names = new Map<string, Set<string>>();
  for (const { name, value } of outputs) {
    if (value.kind !== "column") continue;
    const known = names.get(value.column) ?? new Set([plainKey(value.column)]);
    names.set(value.column, known.add(plainKey(name)));
  }
  const columns: GuardedColumn[] = [];
  for (const [column, own] of names) {
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

/** How code writes the column: the name of the first property that is it. */
function keyIn({ tree, owner, names }: CodeColumn): string | undefined {
  const found: SyntaxNode[] = [];
  const open = [owner];
  for (let next = open.pop(); next; next = open.pop()) {
    if (KEYS.has(next.type) && names.has(plainKey(textOf(tree, next)))) found.push(next);
    open.push(...next.children);
  }
  const [first] = found.sort((a, b) => a.start - b.start);
  return first && textOf(tree, first).replaceAll(/["'`]/gu, "");
}

const KEYS: ReadonlySet<string> = new Set([
  "property_identifier",
  "shorthand_property_identifier",
  "shorthand_property_identifier_pattern",
]);
