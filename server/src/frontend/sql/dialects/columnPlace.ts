// The position of a column in MySQL's ALTER TABLE, which matters to inserts without column names.

/** FIRST, or AFTER another column. */
export type ColumnPlace = { readonly after: string | undefined };

/** The columns with one moved to its position; unchanged if there is none, or if the other column is missing. */
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
