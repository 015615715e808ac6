// Insertions that the server refuses because another transaction took their key since they looked for it: a check before an insert, a
// number one above the greatest, or one from a counter, whose key nothing handles.
import { walkCommand } from "../../frontend/sql/walk";
import type { Transaction } from "../../program/program";
import type { StatementId } from "../../program/statement";
import { ownEntry } from "../../protocol/dictionary";
import { runToDuplicate, type Reached } from "../../store/conflictRuns";
import type { Setup } from "../../store/execution";
import type { FlatProgram, FlatTransaction, Operation, Term } from "../operations/operation";
import { isFalseLiteral, subterms } from "../operations/terms";
import { dressed, keptStatements, levelsIn, measuredLevel, startOf } from "./refusalSearch";
import { MOST_OPERATIONS, MOST_TRIES, type Refusal, type Search } from "./refusalSearch";
import { FILLINGS, nameOfInstance, type Meeting } from "./rows";

/** One refusal per transaction whose errors leave the code, with itself before others. */
export function duplicatesOf(search: Search): readonly Refusal[] {
  const { program, flat } = search;
  return program.transactions.flatMap((transaction, member): readonly Refusal[] => {
    const own = flat.transactions[member];
    if (!own || !isWholeCode(transaction) || !isSearched(search, own)) return [];
    const answered = new Set([...keptStatements(transaction), ...answeredIn(transaction)]);
    const wanted = insertionsOf(search, own).flatMap((insertion): readonly Wanted[] => {
      const look = lastLook(search, own, insertion);
      if (look === undefined || answered.has(insertion.statement)) return [];
      return [{ insertion, looks: reachedBy(own, look, 0) }];
    });
    if (wanted.length === 0) return [];
    const others = flat.transactions.filter((each) => each !== own && isSearched(search, each));
    for (const other of [own, ...others]) {
      const found = firstDuplicate(search, [own, other], wanted);
      if (found) return [found];
      if (search.budget.tries === 0) break;
    }
    return [];
  });
}

/** An insertion, and the last read that its key, or whether it runs, may rest on. */
interface Wanted {
  readonly insertion: Operation;
  readonly looks: Reached;
}

/** The insertions whose errors code around them may tell apart. */
function answeredIn({ body }: Transaction): readonly StatementId[] {
  const found: StatementId[] = [];
  walkCommand(body, {
    statement: (each) => {
      if (each.kind === "insert" && each.isAnswered === true) found.push(each.id);
    },
  });
  return found;
}

/** True for code of which nothing unknown is around it, as it is around routines, and around functions that get a connection. */
function isWholeCode({ errors, boundary }: Transaction): boolean {
  return errors !== undefined || boundary === "unit" || boundary === "autocommit";
}

/** True at levels at which a taken key is what the server says first: SERIALIZABLE of PostgreSQL says that it could not serialize. */
function isSearched({ levels }: Search, { id, operations }: FlatTransaction): boolean {
  const level = measuredLevel(levels, id);
  return level !== undefined && !level.ssi && operations.length <= MOST_OPERATIONS;
}

/** The insertions that fail if their key exists, and whose key may be another's: no part of it is made anew. */
function insertionsOf({ flat }: Search, { operations }: FlatTransaction): readonly Operation[] {
  return operations.filter((operation) => {
    const { kind, onDuplicate, guard, perhaps } = operation;
    if (kind !== "insert" || onDuplicate !== "error" || perhaps || isFalseLiteral(guard))
      return false;
    return keysOf(flat, operation).some((key) =>
      key.every(
        (term) =>
          term !== undefined && ![...subterms(term)].some((part) => part.kind === "unknown"),
      ),
    );
  });
}

/** The terms of each key of an inserted row; undefined for a column that is not given. */
function keysOf(
  { tables }: FlatProgram,
  { table, set, key }: Operation,
): readonly (readonly (Term | undefined)[])[] {
  const { primaryKey = [], uniqueKeys = [] } = ownEntry(tables, table) ?? {};
  return [primaryKey, ...uniqueKeys]
    .filter((columns) => columns.length > 0)
    .map((columns) => columns.map((column) => ownEntry(set, column) ?? ownEntry(key, column)));
}

/** The looks of a transaction at a table before it inserts there; a key that nothing looked for is refused in every order. */
function looksBefore({ operations }: FlatTransaction, insertion: Operation): readonly Operation[] {
  return operations.filter(
    ({ kind, table, index, mustFind }) =>
      kind === "read" && table === insertion.table && index < insertion.index && !mustFind,
  );
}

/** The reads whose results are in a key of an insertion, such as that of a counter: other results would be other keys. */
function keyReads(
  { flat }: Search,
  { operations }: FlatTransaction,
  insertion: Operation,
): readonly Operation[] {
  const terms = keysOf(flat, insertion).flatMap((key) => key.filter((term) => term !== undefined));
  const parts = [...subterms(...terms)];
  return operations.filter(
    ({ kind, index }) =>
      kind === "read" && parts.some((part) => part.kind === "output" && part.operation === index),
  );
}

function lastLook(
  search: Search,
  own: FlatTransaction,
  insertion: Operation,
): Operation | undefined {
  return [...looksBefore(own, insertion), ...keyReads(search, own, insertion)]
    .sort((a, b) => a.index - b.index)
    .at(-1);
}

function firstDuplicate(
  search: Search,
  pair: Pair,
  wanted: readonly Wanted[],
): Refusal | undefined {
  const { program, levels, budget } = search;
  let tries = MOST_TRIES.group;
  for (const { insertion: meets, looks } of wanted)
    for (const takes of insertionsOf(search, pair[1]).filter(
      ({ table }) => table === meets.table,
    )) {
      const [first, second] = [reachedBy(pair[0], meets, 0), reachedBy(pair[1], takes, 1)] as const;
      const run = (setup: Setup): Refusal | undefined => {
        const both = { meets: first, looks, takes: second };
        const ran = runToDuplicate(program, levelsIn(levels, setup), setup, both);
        const transactions = setup.instances.map(({ transaction }) => transaction);
        return (
          ran && { kind: "duplicate-key", transactions, setup, run: ran, holds: [second], looks }
        );
      };
      for (const meeting of meetingsOf(search, pair, meets, takes))
        for (const filling of FILLINGS) {
          if (tries === 0 || budget.tries === 0) return undefined;
          const setup = startOf(program, meeting, filling);
          if (setup === undefined) break;
          tries -= 1;
          budget.tries -= 1;
          const refusal = run(setup);
          if (refusal) return dressed(search, refusal, run);
        }
    }
  return undefined;
}

type Pair = readonly [FlatTransaction, FlatTransaction];

/** Both insert the same row; what they look for is not there, or else all but what the text says. */
function meetingsOf(
  search: Search,
  pair: Pair,
  meets: Operation,
  takes: Operation,
): readonly Meeting[] {
  const places = [
    { instance: 0, operation: meets },
    { instance: 1, operation: takes },
  ] as const;
  const missing = places.flatMap(({ instance, operation }) =>
    looksBefore(pair[instance], operation).map((each) => ({ instance, operation: each })),
  );
  const [own, other] = pair;
  // Two runs of one transaction make the same key of the same rows.
  const rows =
    own === other && meets === takes
      ? keyReads(search, own, meets).map((operation): Meeting["same"][number] => [
          { instance: 0, operation },
          { instance: 1, operation },
        ])
      : [];
  const meeting = {
    flat: search.flat,
    transactions: pair,
    same: [places, ...rows],
    reached: places,
  };
  return [missing, []].map((each) => ({ ...meeting, missing: each }));
}

function reachedBy({ steps = [] }: FlatTransaction, operation: Operation, at: number): Reached {
  const { statement, step } = operation;
  const nth = steps.filter((each, n) => n <= step && each.statement === statement).length;
  return { instance: nameOfInstance(at), statement, nth };
}
