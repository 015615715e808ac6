// Transactions that the server aborts because of concurrent ones: deadlocks, from locks in opposite orders, serialization failures, and keys
// that another one took since they were looked for (`duplicates.ts`). The texts give candidates; the store runs each with rows and arguments
// for which the transactions meet, and it counts only if the store aborts one of them.
import type { Levels } from "../../isolation/mixedLevels";
import type { KeptError, Program } from "../../program/program";
import type { StatementId } from "../../program/statement";
import { ownEntry } from "../../protocol/dictionary";
import { ofNode } from "../../query/nodes";
import { runToConflict, runToDeadlock, type Reached } from "../../store/conflictRuns";
import type { Setup } from "../../store/execution";
import type { FlatProgram } from "../operations/operation";
import { duplicatesOf } from "./duplicates";
import { keepsFrom, lockOrders, locksOf, type LockOrder, type TakenLock } from "./locks";
import {
  dressed,
  keptStatements,
  levelsIn,
  measuredLevel,
  MOST_OPERATIONS,
  MOST_TRIES,
  startOf,
  type Refusal,
  type Search,
} from "./refusalSearch";
import { FILLINGS, nameOfInstance, type Meeting, type Place } from "./rows";
import { isAmongSorted, sortedLoops } from "./sortedLoops";

/** A transaction with two locks that it takes one after the other. */
interface Link extends LockOrder {
  readonly member: number;
}

/**
 * The refusals of a program at its levels: deadlocks of single transactions with themselves, of two and of three, of the
 * same transactions one, and behind them serialization failures and duplicate keys that leave the code. Bounded by a number of runs: none
 * found is no proof that there is none. Only at levels whose locks were compared with those of a real server, or of another with the
 * same engine.
 */
export function findRefusals(
  program: Program,
  flat: FlatProgram,
  levels: Levels,
): readonly Refusal[] {
  const search: Search = { program, flat, levels, budget: { tries: MOST_TRIES.deadlocks } };
  const anew = (): Search => ({ ...search, budget: { tries: MOST_TRIES.others } });
  return [
    ...deadlocksOf(search),
    ...failuresOf(anew()),
    ...duplicatesOf(anew()),
    ...keptErrorsOf(anew()),
  ];
}

/** One refusal per handler that swallows the server's error inside a transaction, or repeats an effect: a deadlock, else a serialization failure. */
function keptErrorsOf(search: Search): readonly Refusal[] {
  const { program, flat } = search;
  const links = linksOf(search);
  return program.transactions.flatMap(({ keptErrors = [] }, member) =>
    keptErrors.flatMap((kept): readonly Refusal[] => {
      if (kept.then === "undoes") return [];
      const isMet = ({ wants }: Link): boolean => kept.statements.includes(wants.statement);
      const own = (links[member] ?? []).filter(isMet);
      const others = [member, ...flat.transactions.keys()];
      const isOfIt = ({ run }: Refusal): boolean =>
        run.victim === nameOfInstance(0) && kept.statements.includes(run.refused.statement.id);
      for (const other of others) {
        // The victim is the first or the last to wait, so both orders are tried.
        const rings = [...pairs(own, links[other] ?? [])];
        const found =
          firstRefusal(search, rings, isOfIt) ??
          firstFailure(search, member, other, ({ statement }) =>
            kept.statements.includes(statement),
          );
        if (found) return [{ ...found, kind: KEPT[kept.then], kept }];
      }
      return [];
    }),
  );
}

const KEPT: Readonly<Record<Exclude<KeptError["then"], "undoes">, Refusal["kind"]>> = {
  "goes on": "swallowed-error",
  "tries again": "retry-in-transaction",
  repeats: "repeated-effect",
};

/** The lock orders of each transaction. */
function linksOf({ program, flat, levels }: Search): readonly (readonly Link[])[] {
  return flat.transactions.map((transaction, member): readonly Link[] => {
    const level = measuredLevel(levels, transaction.id);
    if (level === undefined || transaction.operations.length > MOST_OPERATIONS) return [];
    const own = program.transactions[member];
    const sorted = own ? sortedLoops(own) : new Map<StatementId, string>();
    return lockOrders(transaction, level, (name) => ownEntry(flat.tables, name))
      .filter((order) => !isAmongSorted(order, sorted))
      .map((order) => ({ ...order, member }));
  });
}

function deadlocksOf(search: Search): readonly Refusal[] {
  const { program } = search;
  const links = linksOf(search);
  const kept = program.transactions.map(keptStatements);
  const found: Refusal[] = [];
  const members = links.flatMap((own, member) => (own.length > 0 ? [member] : []));
  const add = (rings: Iterable<readonly Link[]>): void => {
    if (search.budget.tries === 0) return;
    const refusal = firstRefusal(search, rings);
    if (refusal) found.push(refusal);
  };
  // If all of them catch the server's error, it is intended, or reported as swallowed.
  const isOpen = ({ member, wants }: Link): boolean =>
    program.transactions[member]?.errors !== "caught" &&
    kept[member]?.has(wants.statement) !== true;
  const open = function* (rings: Iterable<readonly Link[]>): Generator<readonly Link[]> {
    for (const ring of rings) if (ring.some(isOpen)) yield ring;
  };
  for (const member of members) add(open(pairs(links[member] ?? [], links[member] ?? [])));
  for (const [at, member] of members.entries())
    for (const other of members.slice(at + 1))
      add(open(pairs(links[member] ?? [], links[other] ?? [])));
  for (const ring of open(triples(links))) add([ring]);
  return found;
}

/** One refusal per transaction whose errors are propagated, with itself before others. */
function failuresOf(search: Search): readonly Refusal[] {
  const { program, flat, levels } = search;
  return program.transactions.flatMap((transaction, member) => {
    const { errors } = transaction;
    const kept = keptStatements(transaction);
    const own = flat.transactions[member];
    if (errors !== "thrown" || !own) return [];
    const level = measuredLevel(levels, own.id);
    if (level?.conflict !== "first-updater-wins") return [];
    const others = [member, ...flat.transactions.keys()].filter(
      (other, at) => at === 0 || other !== member,
    );
    for (const other of others) {
      const refusal = firstFailure(search, member, other, ({ statement }) => !kept.has(statement));
      if (refusal) return [refusal];
      if (search.budget.tries === 0) break;
    }
    return [];
  });
}

function firstFailure(
  search: Search,
  member: number,
  other: number,
  isWanted: (meets: TakenLock) => boolean,
): Refusal | undefined {
  const { flat, levels } = search;
  if (measuredLevel(levels, flat.transactions[member]?.id ?? "")?.conflict !== "first-updater-wins")
    return undefined;
  const [meeting, holding] = [member, other].map((each) => flat.transactions[each]);
  if (!meeting || !holding) return undefined;
  if (meeting.operations.length + holding.operations.length > 2 * MOST_OPERATIONS) return undefined;
  let tries = MOST_TRIES.group;
  const tableOf = (name: string) => ownEntry(flat.tables, name);
  const [own, theirs] = [meeting, holding].map((each) => {
    const level = measuredLevel(levels, each.id);
    return level ? locksOf(each, level, tableOf) : [];
  });
  for (const holds of theirs ?? [])
    for (const wants of own ?? []) {
      if (holds.operation.kind === "read" || !keepsFrom(holds, wants)) continue;
      if (wants.mode === "insertion" || !isWanted(wants)) continue;
      const same = [
        [
          { instance: 0, operation: wants.operation },
          { instance: 1, operation: holds.operation },
        ],
      ] as const;
      for (const filling of FILLINGS) {
        if (tries === 0 || search.budget.tries === 0) return undefined;
        const transactions = [meeting, holding];
        const setup = startOf(search.program, { flat, transactions, same, reached: same[0], missing: [] }, filling); // prettier-ignore
        if (setup === undefined) break;
        tries -= 1;
        search.budget.tries -= 1;
        const run = (under: Setup): Refusal | undefined => {
          const reached = {
            instance: nameOfInstance(1),
            statement: holds.statement,
            nth: holds.nth,
          };
          const meets = nameOfInstance(0);
          const ran = runToConflict(search.program, levelsIn(levels, under), under, { holds: reached, meets }); // prettier-ignore
          const ids = under.instances.map(({ transaction }) => transaction);
          // The victim must be the instance that meets the change.
          if (ran?.victim !== meets) return undefined;
          return { kind: "serialization-failure", transactions: ids, setup: under, run: ran, holds: [reached] }; // prettier-ignore
        };
        const refusal = run(setup);
        if (refusal) return dressed(search, refusal, run);
      }
    }
  return undefined;
}

function* pairs(left: readonly Link[], right: readonly Link[]): Generator<readonly Link[]> {
  const reversed = byOrder(right);
  for (const [at, one] of left.entries())
    for (const other of reversed.get(orderText(one.wants, one.holds)) ?? []) {
      if (left === right && left.indexOf(other) < at) continue;
      if (keepsFrom(other.holds, one.wants) && keepsFrom(one.holds, other.wants))
        yield [one, other];
    }
}

/** A transaction's lock orders by their tables; memoised. */
const byOrder = ofNode((links: readonly Link[]): ReadonlyMap<string, readonly Link[]> => {
  const made = new Map<string, Link[]>();
  for (const link of links) {
    const key = orderText(link.holds, link.wants);
    const own = made.get(key);
    if (own) own.push(link);
    else made.set(key, [link]);
  }
  return made;
});

function orderText(first: TakenLock, second: TakenLock): string {
  return JSON.stringify([first.operation.table, second.operation.table]);
}

/** Step limit of the search for cycles of three, which is cubic in the program. */
const MOST_STEPS = 200_000;

/**
 * Cycles of three transactions over three tables; with fewer tables two transactions suffice. One lock order per transaction and tables.
 */
function* triples(all: readonly (readonly Link[])[]): Generator<readonly Link[]> {
  const links = all.flatMap((own) => [...byOrder(own).values()].flatMap(([first]) => first ?? []));
  const holding = new Map<string, Link[]>();
  for (const link of links) {
    const { table } = link.holds.operation;
    const own = holding.get(table);
    if (own) own.push(link);
    else holding.set(table, [link]);
  }
  const next = (link: Link): readonly Link[] => holding.get(link.wants.operation.table) ?? [];
  const isApart = (one: Link, other: Link): boolean =>
    one.member !== other.member && one.holds.operation.table !== other.holds.operation.table;
  const told = new Set<string>();
  let steps = MOST_STEPS;
  for (const one of links)
    for (const two of next(one)) {
      if (two.member < one.member || !isApart(one, two) || !keepsFrom(two.holds, one.wants))
        continue;
      for (const three of next(two)) {
        steps -= 1;
        if (steps === 0) return;
        if (three.member < one.member || !isApart(one, three) || !isApart(two, three)) continue;
        if (!keepsFrom(three.holds, two.wants) || !keepsFrom(one.holds, three.wants)) continue;
        const key = [one, two, three].map(({ member }) => member).join();
        if (told.has(key)) continue;
        told.add(key);
        yield [one, two, three];
      }
    }
}

/** The first of these cycles in which the server aborts the wanted instance; all orders of reaching the locks are tried. */
function firstRefusal(
  search: Search,
  rings: Iterable<readonly Link[]>,
  isWanted: (found: Refusal) => boolean = () => true,
): Refusal | undefined {
  let tries = MOST_TRIES.group;
  for (const ring of rings) {
    const meeting = meetingOf(search.flat, ring);
    for (const filling of FILLINGS) {
      if (tries === 0 || search.budget.tries === 0) return undefined;
      const setup = startOf(search.program, meeting, filling);
      if (setup === undefined) break;
      tries -= 1;
      search.budget.tries -= 1;
      const run = (under: Setup): Refusal | undefined => {
        for (const first of ring.keys()) {
          const found = executed(search, ring, under, first);
          if (found === undefined || isWanted(found)) return found;
        }
        return undefined;
      };
      const refusal = run(setup);
      if (refusal) return dressed(search, refusal, run);
    }
  }
  return undefined;
}

/** The setup in which each member of a cycle wants the row that the next one holds. */
function meetingOf(flat: FlatProgram, ring: readonly Link[]): Meeting {
  const placeOf = (instance: number, { operation }: TakenLock): Place => ({ instance, operation });
  return {
    flat,
    transactions: ring.flatMap(({ member }) => flat.transactions[member] ?? []),
    same: ring.flatMap(({ wants }, at): [Place, Place][] => {
      const next = (at + 1) % ring.length;
      const holds = ring[next]?.holds;
      return holds ? [[placeOf(at, wants), placeOf(next, holds)]] : [];
    }),
    reached: ring.flatMap(({ holds, wants }, at) => [placeOf(at, holds), placeOf(at, wants)]),
    missing: ring.flatMap(({ holds }, at) => (holds.mode === "gap" ? [placeOf(at, holds)] : [])),
  };
}

function executed(
  { program, levels }: Search,
  ring: readonly Link[],
  setup: Setup,
  first: number,
): Refusal | undefined {
  const holds = ring.map(({ holds: { statement, nth } }, at): Reached => ({
    instance: nameOfInstance(at),
    statement,
    nth,
  }));
  const turns = [...holds.slice(first), ...holds.slice(0, first)];
  const run = runToDeadlock(program, levelsIn(levels, setup), setup, turns);
  const transactions = setup.instances.map(({ transaction }) => transaction);
  return run && { kind: "deadlock", transactions, setup, run, holds };
}
