// The reads, writes and locks of a statement, told twice: straight from PostgreSQL's parse tree, and from the AR. The two
// share no code, so that what the lowering loses or adds shows.
import { walkStatement } from "../../../server/src/frontend/sql/walk";
import type { Statement } from "../../../server/src/program/statement";
import { dictionary } from "../../../server/src/protocol/dictionary";
import type { Relation } from "../../../server/src/program/expression";

export interface Facts {
  /** Tables whose rows are read, beyond those that a change finds in its own target. */
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  /** `strength wait [names]`, one per clause. */
  readonly locks: readonly string[];
}

/** From the tree; `views` are not looked through. */
export function factsOfTree(tree: unknown): Facts {
  const reads = new Set<string>();
  const writes = new Set<string>();
  const locks: string[] = [];
  const named = namesOfWith(tree);
  const isTable = (relation: Record<string, unknown>): boolean =>
    typeof relation["relname"] === "string" &&
    (relation["schemaname"] !== undefined || !named.has(relation["relname"]));
  function visit(part: unknown): void {
    if (Array.isArray(part)) {
      for (const each of part) visit(each);
      return;
    }
    if (!isRecord(part)) return;
    if (isTable(part)) reads.add(nameIn(part));
    for (const [kind, value] of Object.entries(part)) {
      if (isRecord(value) && CHANGES.has(kind) && isRecord(value["relation"])) {
        writes.add(nameIn(value["relation"]));
        const { relation: _target, ...rest } = value;
        visit(rest);
      } else if (kind === "LockingClause" && isRecord(value)) {
        locks.push(lockIn(value));
      } else if (kind !== "intoClause") visit(value);
    }
  }
  visit(tree);
  return { reads, writes, locks };
}

const CHANGES = new Set(["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"]);

const STRENGTHS = dictionary<string>({
  LCS_FORUPDATE: "update",
  LCS_FORNOKEYUPDATE: "no-key-update",
  LCS_FORSHARE: "share",
  LCS_FORKEYSHARE: "key-share",
});

const WAITS = dictionary<string>({
  LockWaitSkip: "skip-locked",
  LockWaitError: "nowait",
});

function lockIn(clause: Record<string, unknown>): string {
  const names = Array.isArray(clause["lockedRels"]) ? clause["lockedRels"] : [];
  const of = names.flatMap((each: unknown) =>
    isRecord(each) && isRecord(each["RangeVar"]) ? [nameIn(each["RangeVar"])] : [],
  );
  const strength = STRENGTHS[String(clause["strength"])] ?? "?";
  return lockText(strength, WAITS[String(clause["waitPolicy"])] ?? "block", of);
}

function lockText(strength: string, wait: string, of: readonly string[]): string {
  return `${strength} ${wait} [${[...of].sort().join(" ")}]`;
}

function namesOfWith(tree: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== "object" || part === null) continue;
    if ("ctename" in part && typeof part.ctename === "string") names.add(part.ctename);
    for (const value of Object.values(part)) waiting.push(value as unknown);
  }
  return names;
}

function nameIn(relation: Record<string, unknown>): string {
  return String(relation["relname"]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** From the AR. */
export function factsOfStatements(statements: readonly Statement[]): Facts {
  const reads = new Set<string>();
  const writes = new Set<string>();
  for (const statement of statements) {
    const target: Relation | undefined =
      statement.kind === "update" || statement.kind === "delete" ? statement.relation : undefined;
    const written = statement.kind === "insert" ? statement.table : target?.table;
    if (written !== undefined) writes.add(written);
    if (statement.kind === "lock" && statement.table !== undefined) reads.add(statement.table);
    if (statement.kind === "opaque")
      for (const table of statement.tables) (statement.writes ? writes : reads).add(table);
    walkStatement(statement, {
      relation: (relation) => {
        if (relation.kind === "base" && relation !== target) reads.add(relation.table);
      },
    });
  }
  return { reads, writes, locks: locksIn(statements) };
}

function locksIn(statements: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: unknown[] = [statements];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== "object" || part === null) continue;
    const lock = "lock" in part && isRecord(part.lock) ? part.lock : undefined;
    if (typeof lock?.["strength"] === "string") {
      const of = Array.isArray(lock["of"]) ? lock["of"].map(String) : [];
      found.push(lockText(lock["strength"], String(lock["wait"]), of));
    }
    for (const value of Object.values(part)) waiting.push(value as unknown);
  }
  return found;
}

/** The clauses of the tree that no query of the AR has: each of these stands for one alone. */
export function lostLocks(tree: Facts, program: Facts): readonly string[] {
  const left = new Set(program.locks);
  return tree.locks.filter((lock) => !left.has(lock));
}
