// Conflicts that PostgreSQL's SERIALIZABLE detects. An insertion that does nothing since its key is taken looks at the newest rows,
// and no lock tells of that; but before a duplicate is reported, whoever searched for the key is found, as if the insertion wrote it.
import { ownEntry } from "../../../protocol/dictionary";
import type { Term } from "../../operations/operation";
import { columnsIn, conjunctsOf, mentionsRow } from "../../operations/terms";
import { FALSE, TRUE, and, eq, not, or } from "../smt";
import type { Smt } from "../smt";
import { SQL_NULL, asInt } from "../sqlValue";
import { keyHolders } from "./constraints";
import { dependencyOver } from "./edges";
import { EXISTS, catchesDuplicate, mayDoNothing } from "./tuple";
import type { Access, ProductTuple, TupleTable } from "./tuple";
import type { Run, Snapshots } from "./execution";

type Key = readonly string[];

/** The condition that the server detects a dependency over the table that leads from one instance to the other. */
export function detectedDependency(
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  from: number,
  to: number,
  table: TupleTable,
): Smt {
  // Rows of a snapshot were committed before it, whoever detects a conflict.
  const detects = (reader: Access, writer: number): Smt => {
    if (!mayDoNothing(reader.operation)) return TRUE;
    return catchesDuplicate(reader) ? snapshots.sees(writer, reader) : FALSE;
  };
  const own = (instance: number): readonly Access[] =>
    (tuple.accesses[instance] ?? []).filter((each) => each.table === table);
  const attempts = own(to)
    .filter(catchesDuplicate)
    .flatMap((writer) => own(from).map((reader) => conflictOnKey(run, snapshots, reader, writer)));
  const among = and(run.commits[from] ?? TRUE, run.commits[to] ?? TRUE);
  return or(
    dependencyOver(tuple, run, snapshots, from, to, table, detects),
    and(among, or(...attempts)),
  );
}

/** The condition that the reader searched, by a key alone, for a key that the insertion tried to take after the reader's snapshot. */
function conflictOnKey(run: Run, snapshots: Snapshots, reader: Access, writer: Access): Smt {
  const { primaryKey, uniqueKeys } = reader.table.table;
  const { row } = run.done[writer.instance]?.[writer.operation.index] ?? {};
  if (row === undefined) return FALSE;
  // Keys are looked at in this order, up to one that is taken.
  const keys = [primaryKey, ...uniqueKeys];
  const at = keys.findIndex((key) => soughtKey(reader, key) !== undefined);
  const given = soughtKey(reader, keys[at] ?? []);
  if (given === undefined) return FALSE;
  const taken = keys
    .slice(0, at)
    .flatMap((key, index) =>
      index === 0
        ? [run.state(writer, "current", EXISTS, row).value]
        : keyHolders(run, writer, row, key),
    );
  const same = [...given].map(([column, term]) => {
    const tried = ownEntry(writer.operation.set, column) ?? ownEntry(writer.operation.key, column);
    const [sought, has] = [
      run.value(reader.instance, term),
      tried ? run.value(writer.instance, tried) : SQL_NULL,
    ];
    return and(not(sought.isNull), not(has.isNull), eq(asInt(sought), asInt(has)));
  });
  const missed =
    reader.instance < writer.instance ? TRUE : not(snapshots.sees(writer.instance, reader));
  return and(run.exec(reader), run.exec(writer), missed, not(or(...taken)), ...same);
}

/** The value that the search gives for each column of the key, if it names no other column. */
function soughtKey({ operation }: Access, key: Key): ReadonlyMap<string, Term> | undefined {
  const { kind, where, mustFind, mustMiss } = operation;
  if (kind === "insert" || mustFind || mustMiss || key.length === 0) return undefined;
  const given = new Map(Object.entries(operation.key));
  for (const condition of conjunctsOf(where)) {
    if (condition.kind !== "compare" || condition.operator !== "=") continue;
    const { left, right } = condition;
    if (left.kind === "column" && !mentionsRow(right)) given.set(left.column, right);
    if (right.kind === "column" && !mentionsRow(left)) given.set(right.column, left);
  }
  const named = [...Object.keys(operation.key), ...columnsIn(where)];
  const isKey = named.every((column) => key.includes(column));
  return isKey && key.every((column) => given.has(column)) ? given : undefined;
}
