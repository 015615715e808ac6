// The place of a column in ALTER TABLE of MySQL, which rows without names of columns go by.

/** FIRST, or AFTER another column. */
export type ColumnPlace = { readonly after: string | undefined };

/** The columns with one of them at its place; as they are where it has none, or stands after one that there is not. */
export function inPlace<C extends { readonly name: string }>(
  columns: readonly C[],
  name: string,
  place: ColumnPlace | undefined,
): readonly C[] {
  const column = columns.find((each) => each.name === name);
  if (place === undefined || column === undefined) return columns;
  const others = columns.filter((each) => each !== column);
  const before = others.findIndex((each) => each.name === place.after);
  if (before < 0 && place.after !== undefined) return columns;
  return others.toSpliced(before + 1, 0, column);
}
