// Operations on sets of rows: the representative row, and aggregates over all mentioned rows.
import { ownEntry } from "../../../protocol/dictionary";
import type { Operation } from "../../operations/operation";
import { termValue } from "../termValue";
import type { FoundRow } from "../termValue";
import { FALSE, TRUE, add, and, eq, imp, ite, le, lt, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { SQL_NULL, asInt, choose, sqlBool, sqlInt } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { Run } from "./run";
import type { Memo } from "./memo";
import type { Site } from "./instances";
import { isPoint } from "./instances";
import type { RowTerm } from "./database";

/**
 * Constrains the representative: the first selected row in the operation's order, by key without an order. Without any row it is
 * unconstrained.
 */
export function constrainRepresentative(run: Run, site: Site, row: RowTerm): void {
  const { script } = run.database;
  const { operation } = site;
  const rows = run.rows(operation.table);
  script.assert(imp(run.found(site), and(run.executed(site), run.present(site, row))));
  for (const other of rows) {
    if (other === row) continue;
    script.assert(
      imp(and(run.found(site), run.present(site, other)), comesFirst(run, site, row, other)),
    );
  }
}

/** The aggregate over the mentioned rows that the operation selects, each counted once. */
export function aggregateOf(run: Run, site: Site): SqlValue {
  const { aggregate, table } = site.operation;
  if (aggregate === undefined) return SQL_NULL;
  const rows = run.rows(table);
  const counted = rows.map((row, at) =>
    and(
      run.executed(site),
      run.present(site, row),
      ...rows.slice(0, at).map((other) => not(and(sameAll(row, other), run.present(site, other)))),
    ),
  );
  const values = rows.map((row) => operandAt(run, site, aggregate.operand, row));
  const some = counted.map((each, at) => and(each, not(values[at]?.isNull ?? TRUE)));
  const weighted = (weights: readonly Smt[]): Smt =>
    add(...some.map((each, at) => ite(each, weights[at] ?? "0", "0")));
  const plain = values.map(asInt);
  switch (aggregate.function) {
    case "count":
      return sqlInt(weighted(values.map(() => "1")));
    case "exists":
      return sqlBool(or(...counted));
    case "sum":
      return sqlInt(weighted(plain), not(or(...some)));
    case "min":
    case "max": {
      const precedes = aggregate.function === "min" ? le : (a: Smt, b: Smt): Smt => le(b, a);
      let best: SqlValue = SQL_NULL;
      some.forEach((each, at) => {
        const candidate = sqlInt(plain[at] ?? "0");
        const better = and(each, or(best.isNull, precedes(candidate.value, asInt(best))));
        best = choose(better, candidate, best);
      });
      return best;
    }
    case "avg":
    case "other": {
      // An unknown, the same for the same operation of the same instance.
      const unknown = run.database.unknown(site.instance, `aggregate ${site.id}`, "int");
      return { ...unknown, isNull: not(or(...counted)) };
    }
    default: {
      const never: never = aggregate.function;
      return never;
    }
  }
}

/** The rows that the operation selects, each once, with their results. */
export function foundRows(run: Run, memo: Memo, site: Site): readonly FoundRow[] {
  const { operation } = site;
  const point = isPoint(run.database.flat, operation);
  const rows = point ? [run.row(site)] : run.rows(operation.table);
  return rows.map((row, at) => ({
    is: memo.condition(`j ${site.id} ${row.join(" ")}`, () => {
      const here = and(run.executed(site), run.present(site, row));
      const before = rows.slice(0, at).map((other) => not(sameAll(row, other)));
      return here === FALSE ? FALSE : and(here, ...before);
    }),
    output: (name) =>
      memo.value(`q ${site.id} ${name} ${row.join(" ")}`, () =>
        operandAt(run, site, ownEntry(operation.outputs, name) ?? { kind: "null" }, row),
      ),
  }));
}

function operandAt(
  run: Run,
  site: Site,
  operand: Operation["where"] | undefined,
  row: RowTerm,
): SqlValue {
  if (operand === undefined) return sqlInt("1");
  return termValue(
    operand,
    run.scope(site.instance, (column) => run.value(site, site.operation.table, row, column)),
  );
}

function comesFirst(run: Run, site: Site, row: RowTerm, other: RowTerm): Smt {
  const { orderBy, table } = site.operation;
  const byKey = lexicographic(row, other);
  if (orderBy === undefined) return byKey;
  const [mine, theirs] = [row, other].map((each) =>
    asInt(run.value(site, table, each, orderBy.column)),
  );
  if (mine === undefined || theirs === undefined) return byKey;
  const less = orderBy.descending ? lt(theirs, mine) : lt(mine, theirs);
  return or(less, and(eq(mine, theirs), byKey));
}

function lexicographic(row: RowTerm, other: RowTerm): Smt {
  return row.reduceRight<Smt>((rest, term, at) => {
    const against = other[at] ?? term;
    return or(lt(term, against), and(eq(term, against), rest));
  }, TRUE);
}
