// Lemmas about the states of every execution, each proved over all transactions (`lemmaQuestions.ts`), or from the kinds of statements
// alone.
import { ownEntry } from "../../protocol/dictionary";
import { invariantName } from "../encoding/assumptions";
import { HIDDEN_KEY, keyColumns, tableOf } from "../encoding/relational/instances";
import { columnName } from "../encoding/relational/meeting";
import { fromRowColumn } from "../operations/operation";
import type { FlatInvariant, FlatProgram } from "../operations/operation";
import { columnsIn, subterms } from "../operations/terms";
import type { Asker } from "./asker";
import { freshName, keptName, monotoneName, parentName } from "./lemmaConstraints";
import { openLemmaQuestions } from "./lemmaQuestions";
import type { LemmaQuestions } from "./lemmaQuestions";
import { NO_LEMMAS, hasLemmas } from "./setting";
import type { Lemmas, MonotoneColumn, Parent, Setting } from "./setting";

/** The lemmas that hold for the program; none at levels where their argument fails. An unanswered query loses its lemma. */
export function proveLemmas(asker: Asker, setting: Setting): Lemmas {
  const { flat } = setting;
  if (!hasLemmas(setting)) return NO_LEMMAS;
  const mayUse = (name: string): boolean => !setting.without.has(name);
  const operations = flat.transactions.flatMap((each) => each.operations);
  const kept = Object.keys(flat.tables)
    .filter((table) => mayUse(keptName(table)))
    .filter((table) => !operations.some((each) => each.table === table && each.kind === "delete"));
  const rests = new Map<string, ReadonlySet<string>>();
  const columns = candidates(flat, kept).filter((column) => mayUse(monotoneName(column)));
  const stated = statedInvariants(flat).filter(({ text }) => mayUse(invariantName(text)));
  const questions = openLemmaQuestions(asker, setting, columns, stated);
  try {
    const invariants = keptInvariants(flat, questions, stated, rests);
    const monotone = columns.filter((column) => {
      const needed = groundsOf(flat, (member) => questions.moves(member, column, invariants));
      if (needed) rests.set(monotoneName(column), needed.add(keptName(column.table)));
      return needed !== undefined;
    });
    return {
      rests,
      monotone,
      kept,
      ...withoutQuestions(flat, kept, mayUse, rests),
      invariants: [...new Set(invariants.map(({ text }) => text))],
    };
  } finally {
    questions.dispose();
  }
}

/** Lemmas that follow from the statements alone. */
function withoutQuestions(
  flat: FlatProgram,
  kept: readonly string[],
  mayUse: (name: string) => boolean,
  rests: Map<string, ReadonlySet<string>>,
): Pick<Lemmas, "fresh" | "parents"> {
  const fresh = freshColumns(flat).filter(({ table, column }) => mayUse(freshName(table, column)));
  const parents = keptParents(flat, kept).filter((parent) => mayUse(parentName(parent)));
  for (const parent of parents) rests.set(parentName(parent), new Set([keptName(parent.table)]));
  return { fresh, parents };
}

/** The names, with those that the proofs of lemmas among them need. */
export function withTheirGrounds(names: Iterable<string>, { rests }: Lemmas): readonly string[] {
  const all = new Set(names);
  // The loop over the set also visits names added meanwhile.
  for (const name of all) for (const ground of rests.get(name) ?? []) all.add(ground);
  return [...all].sort();
}

/** Integer columns that an update computes from their old value. */
function candidates(flat: FlatProgram, kept: readonly string[]): readonly MonotoneColumn[] {
  const decisive = decisiveColumns(flat);
  return kept.flatMap((table) =>
    tableOf(flat, table).columns.flatMap(({ name, type, nullable }) => {
      if ((type !== "int" && type !== "decimal") || nullable) return [];
      if (!decisive.has(columnName(table, name))) return [];
      const updated = writersOf(flat, table).some(({ operations }) =>
        operations.some(
          (each) =>
            each.table === table &&
            (Object.hasOwn(each.set, name) || Object.hasOwn(each.update ?? {}, name)) &&
            each.kind !== "insert",
        ),
      );
      if (!updated) return [];
      return (["grows", "shrinks"] as const).map((direction) => ({
        table,
        column: name,
        direction,
      }));
    }),
  );
}

/** Columns that rows, paths or invariants depend on; columns that are only shown or summed decide nothing. */
function decisiveColumns(flat: FlatProgram): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { operations, aborts } of flat.transactions) {
    const deciding = [
      aborts,
      ...operations.flatMap((each) => [
        each.guard,
        each.where,
        ...Object.values(each.key),
        ...(each.updateWhere ? [each.updateWhere] : []),
      ]),
    ];
    for (const term of subterms(...deciding)) {
      const source = term.kind === "output" ? operations[term.operation] : undefined;
      const output = term.kind === "output" ? ownEntry(source?.outputs, term.name) : undefined;
      if (source && output)
        for (const column of columnsIn(output)) found.add(columnName(source.table, column));
    }
    for (const { table, where, orderBy } of operations) {
      for (const column of columnsIn(where)) found.add(columnName(table, column));
      if (orderBy) found.add(columnName(table, orderBy.column));
    }
  }
  for (const { tables, broken } of flat.invariants ?? [])
    for (const name of columnsIn(broken)) {
      const { row, column } = fromRowColumn(name);
      found.add(columnName(tables[row] ?? "", column));
    }
  return found;
}

function writersOf(flat: FlatProgram, table: string) {
  return flat.transactions.filter(({ operations }) =>
    operations.some((each) => each.table === table && each.kind !== "read"),
  );
}

/** Key columns with a fresh value in every insertion, generated by the database or the program. */
function freshColumns(flat: FlatProgram): Lemmas["fresh"] {
  return Object.values(flat.tables).flatMap((table) =>
    keyColumns(table).flatMap((column) => {
      if (column === HIDDEN_KEY) return [{ table: table.name, column }];
      const inserts = flat.transactions.flatMap(({ operations, parameters }) =>
        operations
          .filter((each) => each.kind === "insert" && each.table === table.name)
          .map((each) => {
            const term = ownEntry(each.key, column);
            return (
              term?.kind === "parameter" &&
              parameters.some(({ name, fresh }) => name === term.name && fresh)
            );
          }),
      );
      return inserts.length > 0 && inserts.every((fresh) => fresh)
        ? [{ table: table.name, column }]
        : [];
    }),
  );
}

/**
 * Foreign keys to rows that are never deleted: the transaction that sets a reference has seen its target, and whoever sees the reference
 * sees what its writer saw.
 */
function keptParents(flat: FlatProgram, kept: readonly string[]): readonly Parent[] {
  const operations = flat.transactions.flatMap((each) => each.operations);
  return Object.values(flat.tables).flatMap(({ name, foreignKeys = [] }) =>
    foreignKeys.flatMap(({ table, columns, referenced }): Parent[] => {
      if (!Object.hasOwn(flat.tables, table) || !kept.includes(table)) return [];
      const { primaryKey } = tableOf(flat, table);
      const names = referenced.length > 0 ? referenced : primaryKey;
      const ordered = primaryKey.flatMap((column) => columns[names.indexOf(column)] ?? []);
      const isKey = ordered.length === primaryKey.length && names.length === primaryKey.length;
      const moves = operations.some(
        (each) =>
          each.table === table &&
          each.kind !== "insert" &&
          primaryKey.some((column) => Object.hasOwn(each.set, column)),
      );
      return isKey && !moves ? [{ child: name, table, columns: ordered }] : [];
    }),
  );
}

/** Invariants that can be decided: those with all of their parts. */
function statedInvariants({ invariants = [] }: FlatProgram): readonly FlatInvariant[] {
  const unasked = new Set(
    invariants.filter(({ exists }) => exists !== undefined).map(({ text }) => text),
  );
  return invariants.filter(({ text }) => !unasked.has(text));
}

/** Invariants that every transaction preserves together with the others; broken ones are dropped until the rest is stable. */
function keptInvariants(
  flat: FlatProgram,
  questions: LemmaQuestions,
  stated: readonly FlatInvariant[],
  rests: Map<string, ReadonlySet<string>>,
): readonly FlatInvariant[] {
  let kept = stated;
  for (;;) {
    const among = kept;
    const grounds = new Map<string, Set<string>>();
    const lost = new Set<string>();
    for (const invariant of among) {
      const needed = groundsOf(flat, (member) => questions.keeps(member, invariant, among));
      const name = invariantName(invariant.text);
      if (!needed) lost.add(invariant.text);
      else grounds.set(name, new Set([...(grounds.get(name) ?? []), ...needed]));
    }
    if (lost.size === 0) {
      for (const [name, names] of grounds) rests.set(name, names);
      return among;
    }
    kept = among.filter(({ text }) => !lost.has(text));
  }
}

/** The assumptions under which a fact holds for every transaction; undefined if it fails for one. */
function groundsOf(
  flat: FlatProgram,
  of: (member: number) => ReadonlySet<string> | undefined,
): Set<string> | undefined {
  const names = new Set<string>();
  for (const member of flat.transactions.keys()) {
    const needed = of(member);
    if (!needed) return undefined;
    for (const name of needed) names.add(name);
  }
  return names;
}
