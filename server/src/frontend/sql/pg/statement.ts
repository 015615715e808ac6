// Statements by PostgreSQL's own parser, which is authoritative.
import type { Node, SelectStmt, TruncateStmt } from "libpg-query";
import type { LockStatement, Statement } from "../../../program/statement";
import { dictionary, ownEntry } from "../../../protocol/dictionary";
import { TRUE } from "../expressions";
import { lockRequest, withLocks } from "../lockRequests";
import { sourceOf, textOf, type Lowering, type LoweringContext } from "../lowering";
import { referringFirst } from "../references";
import { withDistinctNames } from "../terms";
import { kindOf, lastName, rangeVarsOf, schemaOf } from "./ast";
import { nameOfRelation } from "./relationNames";
import { lowerDelete, lowerInsert, lowerUpdate, type StatementBase } from "./change";
import { advisoryCall, callArguments } from "./call";
import { lowerWithChanges } from "./changesInWith";
import { copiedQuery, lowerCopyFrom } from "./copy";
import { expressionOf } from "./expression";
import { SHAPES } from "./parseTree";
import type { PgParser } from "./pgParser";
import { queryOf } from "./query";
import { lowerExpression, lowerQuery, weaken } from "./recursion";
import { NO_SOURCES, taint, type Work } from "./scope";
import { unfollowedSetting } from "./settings";
import { changesData, definitionsOf, withClauseOf, withQueries } from "./with";
import { hasNoMeaning, leavesTables } from "./inertDefinitions";

export type PgResult =
  | { readonly ok: true; readonly lowered: Lowering }
  /** `offset` is the position in the piece's `sql` where the parser stopped. */
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Parses and lowers the one statement of a piece. */
export function lowerWithPg(context: LoweringContext, parser: PgParser): PgResult {
  const parsed = parser.parse(context.piece.sql);
  if (!parsed.ok) return parsed;
  const [statement, ...others] = parsed.statements;
  if (statement === undefined) return { ok: true, lowered: { statements: [] } };
  const second = others[0];
  if (second !== undefined) {
    return { ok: false, message: "several statements where one is expected", offset: second.start };
  }
  return { ok: true, lowered: lowerStatement(statement.node, context) };
}

/** One statement of the tree in the AR. Never fails: an unknown one becomes opaque. */
export function lowerStatement(node: Node, context: LoweringContext): Lowering {
  const locks: LockStatement[] = [];
  const work = { ...startWork(context), locks };
  const clause = withClauseOf(node);
  const lowered = definitionsOf(clause).some(changesData)
    ? lowerWithChanges(node, clause, work, lowerSingle)
    : lowerSingle(node, work);
  return withLocks(lowered, locks);
}

/** The initial work for one statement or expression. */
export function startWork(context: LoweringContext): Work {
  return {
    context,
    source: sourceOf(context.piece),
    taint: [],
    ctes: new Map(),
    depth: { now: 0 },
    recursion: { expression: expressionOf, query: queryOf },
    usedRows: new Set(),
  };
}

function baseOf(work: Work): StatementBase {
  const { ids, piece } = work.context;
  return { id: ids.statement(), source: work.source, text: textOf(piece) };
}

function one(statement: Statement): Lowering {
  const result = resultOf(statement);
  const statements = [statement];
  return result === undefined ? { statements } : { statements, result };
}

function resultOf(statement: Statement): Lowering["result"] {
  if (statement.kind === "select") {
    const columns = statement.query.outputs.map((output) => output.name);
    return { name: statement.into, columns };
  }
  if (statement.kind === "lock" || statement.kind === "opaque") return undefined;
  const { returning } = statement;
  if (returning === undefined) return undefined;
  return { name: returning.into, columns: returning.outputs.map((output) => output.name) };
}

/** A statement whose WITH changes nothing, or whose changes have been lowered. */
function lowerSingle(node: Node, before: Work): Lowering {
  if ("SelectStmt" in node) return lowerSelect(node.SelectStmt, before);
  const work = withQueries(withClauseOf(node), undefined, before);
  if (hasNoEffect(node)) return { statements: [] };
  // A node without a shape is not followed at all.
  if (ownEntry(SHAPES, kindOf(node)) !== undefined) weaken(node, work);
  if ("InsertStmt" in node) return one(lowerInsert(node.InsertStmt, baseOf(work), work));
  if ("UpdateStmt" in node) return one(lowerUpdate(node.UpdateStmt, baseOf(work), work));
  if ("DeleteStmt" in node) return one(lowerDelete(node.DeleteStmt, baseOf(work), work));
  if ("LockStmt" in node) {
    if (node.LockStmt.nowait === true)
      taint(work, "LOCK TABLE ... NOWAIT, which fails instead of waiting", "outside");
    return lockTables(node.LockStmt.relations, node.LockStmt.mode ?? 8, work);
  }
  if ("CopyStmt" in node) {
    const read = copiedQuery(node.CopyStmt);
    return read === undefined
      ? one(lowerCopyFrom(node.CopyStmt, baseOf(work), work))
      : lowerStatement(read, work.context);
  }
  if ("TruncateStmt" in node) return truncate(node.TruncateStmt, work);
  if ("CallStmt" in node) {
    const { funccall } = node.CallStmt;
    const name = lastName(funccall?.funcname);
    const args = funccall === undefined ? [] : callArguments(funccall, NO_SOURCES, work);
    // A workspace routine, inlined before.
    if (work.context.call?.(name, args, schemaOf(funccall?.funcname)) !== undefined)
      return { statements: [] };
    return opaque(node, `the procedure ${name} is not known here`, work);
  }
  if ("ConstraintsSetStmt" in node) {
    const moment = node.ConstraintsSetStmt.deferred === true ? "DEFERRED" : "IMMEDIATE";
    return opaque(node, `SET CONSTRAINTS ${moment} is not followed`, work);
  }
  if ("VariableSetStmt" in node)
    return opaque(node, `what ${node.VariableSetStmt.name ?? ""} changes is not followed`, work);
  return opaque(node, `${STATEMENTS[kindOf(node)] ?? kindOf(node)} is not followed`, work);
}

/** True if the statement leaves rows, tables and keys unchanged, and returns nothing. */
export function hasNoEffect(node: Node): boolean {
  if ("VariableSetStmt" in node) return unfollowedSetting(node.VariableSetStmt) === undefined;
  return NO_EFFECT.has(kindOf(node)) || hasNoMeaning(node) || leavesTables(node);
}

const NO_EFFECT = new Set(
  (
    "VariableShowStmt NotifyStmt ListenStmt UnlistenStmt ClosePortalStmt " +
    "CheckPointStmt DiscardStmt PrepareStmt DeallocateStmt TransactionStmt VacuumStmt ReindexStmt ClusterStmt"
  ).split(" "),
);

const STATEMENTS = dictionary<string>({
  MergeStmt: "MERGE",
  DoStmt: "DO",
  ExecuteStmt: "EXECUTE",
  FetchStmt: "FETCH",
  DeclareCursorStmt: "DECLARE CURSOR",
  ExplainStmt: "EXPLAIN",
  RefreshMatViewStmt: "REFRESH MATERIALIZED VIEW",
  CreateTableAsStmt: "CREATE TABLE AS",
});

const READING = new Set(["ExplainStmt", "FetchStmt", "DeclareCursorStmt"]);

function lowerSelect(select: SelectStmt, work: Work): Lowering {
  const advisory = advisoryLock(select, work);
  if (advisory !== undefined) return one(advisory);
  const lowered = lowerQuery(select, undefined, work);
  const query = { ...lowered, outputs: withDistinctNames(lowered.outputs) };
  const base = baseOf(work);
  const into = work.context.ids.result();
  return one({ ...base, kind: "select", query, into, discarded: false, taint: work.taint });
}

/** A plain SELECT pg_advisory_xact_lock(...) is a lock, and gives nothing. */
function advisoryLock(select: SelectStmt, work: Work): LockStatement | undefined {
  const [target, ...others] = select.targetList ?? [];
  if (target === undefined || others.length > 0 || !("ResTarget" in target)) return undefined;
  // Clients that have no type for `void` cast it to a text.
  const { val: whole } = target.ResTarget;
  const val = whole !== undefined && "TypeCast" in whole ? whole.TypeCast.arg : whole;
  if (val === undefined || !("FuncCall" in val) || select.fromClause !== undefined) {
    return undefined;
  }
  const { funcname, args = [] } = val.FuncCall;
  if (advisoryCall(lastName(funcname), [TRUE])?.does !== "waits") return undefined;
  const base = { ...baseOf(work), taint: work.taint };
  const keys = args.map((arg) => lowerExpression(arg, NO_SOURCES, work));
  const asked = advisoryCall(lastName(funcname), keys);
  return asked && lockRequest(asked, base, work.context.ids).statement;
}

const LOCK_MODES = [
  "",
  "access share",
  "row share",
  "row exclusive",
  "share update exclusive",
  "share",
  "share row exclusive",
  "exclusive",
  "access exclusive",
];

function lockTables(nodes: readonly Node[] | undefined, mode: number, work: Work): Lowering {
  const statements = tablesOf(nodes, work).map((table): Statement => {
    const named = LOCK_MODES[mode] ?? "access exclusive";
    return { ...baseOf(work), kind: "lock", table, mode: named, taint: work.taint };
  });
  return { statements };
}

function tablesOf(nodes: readonly Node[] | undefined, work: Work): readonly string[] {
  return (nodes ?? []).flatMap((node) =>
    "RangeVar" in node ? nameOfRelation(node.RangeVar, work.context) : [],
  );
}

/** TRUNCATE locks its tables exclusively, then deletes their rows: referencing tables first. */
function truncate({ relations, behavior, restart_seqs }: TruncateStmt, work: Work): Lowering {
  const tables = tablesOf(relations, work);
  if (restart_seqs === true)
    taint(work, "RESTART IDENTITY, after which numbers are given once more", "outside");
  const locks = tables.map((table): Statement => {
    return { ...baseOf(work), kind: "lock", table, mode: "access exclusive", taint: [] };
  });
  const truncates = behavior === "DROP_CASCADE" ? "cascade" : "alone";
  const deletions = referringFirst(tables, work.context.table).map((table): Statement => {
    const relation = { alias: table, table, kind: "base", join: "inner" } as const;
    const base = { ...baseOf(work), taint: work.taint };
    return { ...base, kind: "delete", relation, using: [], where: TRUE, truncates };
  });
  return { statements: [...locks, ...deletions] };
}

/** A statement with known tables only. */
function opaque(node: Node, reason: string, work: Work): Lowering {
  const names = rangeVarsOf(node).map((relation) => nameOfRelation(relation, work.context));
  const tables = new Set(names.filter((name) => !work.ctes.has(name)));
  taint(work, reason, "opaque");
  const base = baseOf(work);
  const writes = !READING.has(kindOf(node));
  return one({ ...base, kind: "opaque", tables: [...tables], writes, taint: work.taint });
}
