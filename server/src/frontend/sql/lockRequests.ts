// Locks that applications name: PostgreSQL's advisory locks and GET_LOCK of MySQL. A request that may be refused has its answer as an
// argument of the transaction, since sessions that nobody knows may hold the lock; what is granted excludes others as every lock does.
import type { Expression } from "../../program/expression";
import type { Taint } from "../../program/precision";
import type { Parameter, Transaction } from "../../program/program";
import type { Command, LockStatement } from "../../program/statement";
import { ofNode } from "../../query/nodes";
import { replaceStatements } from "./dialectDetection/replaceStatements";
import { TRUE } from "./expressions";
import type { Ids, Lowering } from "./lowering";
import { compare } from "./terms";
import { walkCommand } from "./walk";

/** A call that asks for a named lock, or gives it up. */
export interface LockCall {
  /** `asks` may be refused. */
  readonly does: "waits" | "asks" | "releases";
  readonly mode: "share" | "exclusive";
  /** Its session holds the lock, not its transaction. */
  readonly outlives: boolean;
  /** Absent for all of the session's locks. */
  readonly key?: Expression;
}

/** The call as a statement, and its answer: true if the lock was granted, or given up. */
export function lockRequest(
  { does, mode, outlives, key }: LockCall,
  base: Pick<LockStatement, "id" | "source" | "text" | "taint">,
  ids: Ids,
): { readonly statement: LockStatement; readonly answer: Expression } {
  const granted = does === "asks" ? `${ids.fresh("lock ")} granted` : undefined;
  const statement: LockStatement = {
    ...base,
    kind: "lock",
    mode,
    ...(key && { key }),
    ...(outlives && { outlives }),
    ...(granted !== undefined && { granted }),
    ...(does === "releases" && { releases: true }),
  };
  if (granted === undefined) return { statement, answer: TRUE };
  // A comparison is a condition for all who look at it.
  const answer = compare("=", { kind: "parameter", name: granted }, TRUE);
  return { statement, answer };
}

/** The locks that values ask for, to be emitted before these are used. */
export function askedFor(
  locks: readonly LockStatement[],
  values: readonly unknown[],
): readonly LockStatement[] {
  const perhaps = locks.length > 0 ? askedPerhaps(values) : new Set();
  return locks.map((each) => {
    if (each.granted === undefined || !perhaps.has(each.granted)) return each;
    const loss: Taint = { effect: "outside", reason: PERHAPS, source: each.source };
    return { ...each, taint: [...each.taint, loss] };
  });
}

const PERHAPS = "a lock that may not be asked for";

/** The statement behind the locks that its functions ask for. */
export function withLocks(lowering: Lowering, locks: readonly LockStatement[]): Lowering {
  if (locks.length === 0) return lowering;
  const { statements, commands } = lowering;
  const first = askedFor(locks, [statements, lowering.values]);
  const before = first.map((statement): Command => ({ kind: "statement", statement }));
  return {
    ...lowering,
    statements: [...first, ...statements],
    ...(commands && { commands: [...before, ...commands] }),
  };
}

/** The arguments in parts of these values that may not be evaluated. */
function askedPerhaps(values: readonly unknown[]): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  const search = (part: unknown, perhaps: boolean): void => {
    if (typeof part !== "object" || part === null) return;
    const { kind, name, operands, condition, ...rest } = part as Partial<Record<string, unknown>>;
    if (kind === "parameter" && perhaps) names.add(name);
    const isChoice = typeof kind === "string" && CHOICES.has(kind);
    const [first, ...others] = Array.isArray(operands) ? (operands as readonly unknown[]) : [];
    search(condition, perhaps);
    search(first, perhaps);
    for (const each of [...others, ...Object.values(rest)]) search(each, perhaps || isChoice);
  };
  for (const each of values) search(each, false);
  return names;
}

const CHOICES: ReadonlySet<string> = new Set(["conditional", "and", "or", "coalesce"]);

/**
 * The transaction with the answers of its lock requests as arguments. One argument cannot answer several requests: those in loops are
 * weakened. Linear in the transaction.
 */
export const withLockAnswers = ofNode((transaction: Transaction): Transaction => {
  const times = new Map<string, number>();
  walkCommand(transaction.body, {
    statement: (each) => {
      if (each.kind === "lock" && each.granted !== undefined)
        times.set(each.granted, (times.get(each.granted) ?? 0) + 1);
    },
  });
  if (times.size === 0) return transaction;
  const added = [...times.keys()].map((name): Parameter => {
    return { name, type: "bool", origin: "argument", isGrant: true };
  });
  const others = transaction.parameters.filter(({ name }) => !times.has(name));
  const inLoops = new Set<string>();
  walkCommand(transaction.body, {
    command: (command) => {
      if (command.kind === "loop") for (const name of requestsIn(command.body)) inLoops.add(name);
    },
  });
  const repeated = replaceStatements(transaction, (statement) => {
    if (statement.kind !== "lock" || statement.granted === undefined) return undefined;
    const { granted, taint } = statement;
    if (!inLoops.has(granted) && times.get(granted) === 1) return undefined;
    const loss: Taint = { effect: "outside", reason: REPEATED, source: statement.source };
    return [{ kind: "statement", statement: { ...statement, taint: [...taint, loss] } }];
  });
  return { ...repeated, parameters: [...others, ...added] };
});

const REPEATED = "a lock that is asked for several times, and may be refused each time";

function requestsIn(command: Command): readonly string[] {
  const names: string[] = [];
  walkCommand(command, {
    statement: (each) => {
      if (each.kind === "lock" && each.granted !== undefined) names.push(each.granted);
    },
  });
  return names;
}
