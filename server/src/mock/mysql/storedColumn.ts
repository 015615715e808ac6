// Columns of results that are columns of tables, as MySQL's clients are told of them: drivers decide by their keys whether
// rows can be changed in place.
import type { Catalog } from "../../sqlstore/catalog";
import { shownColumn } from "../../sqlstore/mysql/spelling";
import { indexesOf } from "../../sqlstore/system/objects";
import type { ResultColumn, StoredColumn } from "../session";
import { COLUMN_FLAGS } from "./replies";

/** The column of a table that a column of a result is; undefined where it is none. */
export function storedColumn(
  catalog: Catalog,
  { origin }: ResultColumn,
  database: string,
): StoredColumn | undefined {
  const table = origin?.table === undefined ? undefined : catalog.tables.get(origin.table);
  const at = (origin?.position ?? 0) - 1;
  const column = table?.columns[at];
  if (table === undefined || column === undefined) return undefined;
  const keys = indexesOf(table).filter(({ key }) => key.columns[0] === at);
  const isPrimary = table.keys.some(({ primary, columns }) => primary && columns.includes(at));
  const isUnique = keys.some(({ unique, key }) => unique && key.columns.length === 1);
  const isPart = indexesOf(table).some(({ key }) => key.columns.includes(at));
  const hasDefault = column.default !== undefined || column.automatic !== undefined;
  const flags =
    (column.notNull ? COLUMN_FLAGS.notNull : 0) |
    (isPrimary ? COLUMN_FLAGS.primaryKey : 0) |
    (!isPrimary && isUnique ? COLUMN_FLAGS.uniqueKey : 0) |
    (!isPrimary && !isUnique && keys.length > 0 ? COLUMN_FLAGS.multipleKey : 0) |
    (isPart ? COLUMN_FLAGS.partOfKey : 0) |
    (column.automatic === undefined ? 0 : COLUMN_FLAGS.automatic) |
    (column.notNull && !hasDefault ? COLUMN_FLAGS.noDefault : 0);
  return { name: shownColumn(catalog, table, column.name), database, flags };
}
