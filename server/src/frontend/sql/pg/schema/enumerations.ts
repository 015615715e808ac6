// Looks of values of a type: labels of enumerations as definitions make and change them, lengths, uuids.
import type { AlterEnumStmt, CreateEnumStmt, RenameStmt, TypeName } from "libpg-query";
import { takesOf, type Takes } from "../../../../program/takes";
import { constantOf, lastName, stringsOf, typeText } from "../ast";
import type { State } from "./schemaState";
import { ownTypeKey } from "./typeNames";

/** CREATE TYPE ... AS ENUM. */
export function defineEnumeration({ typeName, vals }: CreateEnumStmt, state: State): void {
  const name = ownTypeKey(lastName(typeName));
  state.types.set(name, "text");
  state.takes.set(name, { kind: "labels", labels: stringsOf(vals) });
}

/** ALTER TYPE ... ADD VALUE or RENAME VALUE: columns that have the type take the new labels as well. */
export function changeEnumeration(statement: AlterEnumStmt, state: State): void {
  const name = ownTypeKey(lastName(statement.typeName));
  const { oldVal, newVal } = statement;
  const before = state.takes.get(name);
  if (before?.kind !== "labels" || newVal === undefined) return;
  const others = before.labels.filter((label) => label !== newVal);
  const labels =
    oldVal === undefined || oldVal === ""
      ? [...others, newVal]
      : before.labels.map((label) => (label === oldVal ? newVal : label));
  const after: Takes = { kind: "labels", labels };
  state.takes.set(name, after);
  for (const table of state.tables.values()) {
    if (!table.columns.some(({ takes }) => takes === before)) continue;
    const columns = table.columns.map((column) =>
      column.takes === before ? { ...column, takes: after } : column,
    );
    state.tables.set(table.name, { ...table, columns });
  }
}

/** ALTER TYPE ... RENAME TO. */
export function renameEnumeration({ object, newname }: RenameStmt, state: State): void {
  const names = object !== undefined && "List" in object ? object.List.items : undefined;
  const from = ownTypeKey(lastName(names));
  const to = newname === undefined ? undefined : ownTypeKey(newname);
  const type = state.types.get(from);
  if (to === undefined || type === undefined) return;
  const takes = state.takes.get(from);
  state.types.set(to, type);
  if (takes) state.takes.set(to, takes);
  else state.takes.delete(to);
}

/** The form of values of a type, as it is written. */
export function takesOfType(type: TypeName | undefined, state: State): Takes | undefined {
  const name = typeText(type);
  const sizes = (type?.typmods ?? []).flatMap((node) => {
    const value = "A_Const" in node ? constantOf(node.A_Const) : undefined;
    return typeof value === "number" ? [value] : [];
  });
  return state.takes.get(name) ?? takesOf(name, { sizes });
}
