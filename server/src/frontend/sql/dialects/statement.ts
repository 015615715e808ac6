// Statements of MySQL, MariaDB, SQL Server and SQLite in the AR: the entry for scripts and routines.
import type { Dialect } from "../../../program/dialect";
import { dialectLabel } from "../../../program/dialect";
import type { Expression } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { Statement } from "../../../program/statement";
import { TRUE, literal } from "../expressions";
import { lowerByWords } from "../fallback";
import { askedFor, withLocks } from "../lockRequests";
import { sourceIn, type Lowering, type LoweringContext } from "../lowering";
import { nameSpaceOf, relationName } from "../relationNames";
import { inLowerCase } from "../text/spelling";
import { withDistinctNames, emptyQuery } from "../terms";
import { lowerDelete, lowerUpdate, type ChangeResult } from "./lowerChange";
import { asCondition, lowerCondition, lowerValue } from "./lowerExpression";
import { lowerInsert } from "./lowerInsert";
import { expressions, withLabels, lowerFree, lowerFreeValue, lowerQuery } from "./lowerQuery";
import { parseStatement, parseValue } from "./parseStatement";
import type { ReaderInput } from "./reader";
import { baseOf } from "./statementBase";
import type { SyntaxExpression, SyntaxQuery, SyntaxStatement } from "./syntax";
import { inShareMode, withSharedReads } from "./sharedReads";
import { isMysql, startWork, weaken, type Work } from "./work";

/**
 * One row statement in the AR; `context.piece.sql` is canonical text (see canonical.ts). Never fails: an unknown statement becomes opaque
 * over the tables in its words. `context.variable` looks up names: locals as `["x"]`, user variables as `["@x"]`, and session state as
 * `["row_count()"]`, `["last_insert_id()"]` and `["found_rows()"]`. `outputs` is the form of a SELECT's outputs.
 */
export function lowerDialectStatement(
  context: LoweringContext,
  dialect: Dialect,
  outputs: Outputs = "names",
): Lowering {
  const branch = /^(if|while)\b/i.exec(context.piece.sql)?.[1]?.toUpperCase();
  if (branch !== undefined) {
    return lowerByWords(context, `${branch} of ${dialectLabel(dialect)} is not followed.`);
  }
  const parsed = parseStatement(inputOf(context, dialect));
  if (!parsed.ok) return unread(context, dialect, parsed.message, parsed.offset);
  const work = { ...startWork(context, dialect), labelled: outputs === "labels" };
  for (const reason of parsed.losses) weaken(work, reason);
  const asked = lowered(parsed.tree, work);
  const shared = isMysql(work)
    ? {
        ...asked,
        statements: asked.statements.map((each) => withSharedReads(each, context.changesLock)),
      }
    : asked;
  const result = withLocks(shared, work.locks);
  return outputs === "conditions" ? withConditions(result) : result;
}

/** The form of a SELECT's outputs: named as declared, named as the result's labels, or conditions. */
type Outputs = "names" | "labels" | "conditions";

/** The outputs of a query as conditions, without their conversion to 1, 0 or NULL. */
function withConditions(result: Lowering): Lowering {
  const statements = result.statements.map((statement): Statement => {
    if (statement.kind !== "select") return statement;
    const outputs = statement.query.outputs.map((output) => ({
      ...output,
      value: asCondition(output.value),
    }));
    return { ...statement, query: { ...statement.query, outputs } };
  });
  return { ...result, statements };
}

/** One expression (the whole of `context.piece.sql`), as a value or as a condition. Never fails. */
export function lowerDialectExpression(
  context: LoweringContext,
  dialect: Dialect,
  use: "value" | "condition",
): {
  readonly value: Expression;
  readonly taint: readonly Taint[];
  /** The locks that it takes before its rows are known. */
  readonly locks: readonly Statement[];
} {
  const parsed = parseValue(inputOf(context, dialect));
  const work = startWork(context, dialect);
  if (!parsed.ok) {
    const reason = unreadable(context, dialect, parsed.message, parsed.offset);
    const type = use === "condition" ? "bool" : "other";
    const id = context.ids.fresh("u");
    weaken(work, reason);
    const value: Expression = { kind: "unknown", id, type, dependsOn: [], why: reason };
    return { value, taint: work.taint, locks: [] };
  }
  for (const reason of parsed.losses) weaken(work, reason);
  const of = expressions({ sources: [] }, work);
  const value = use === "value" ? lowerValue(parsed.tree, of) : lowerCondition(parsed.tree, of);
  return { value, taint: work.taint, locks: askedFor(work.locks, [value]) };
}

function inputOf(context: LoweringContext, dialect: Dialect): ReaderInput {
  const { piece, spelling = inLowerCase } = context;
  const names = nameSpaceOf(context, dialect);
  return { text: piece.sql, dialect, spelling, nameOf: (written) => relationName(written, names) };
}

function unread(
  context: LoweringContext,
  dialect: Dialect,
  message: string,
  offset: number,
): Lowering {
  return lowerByWords(context, unreadable(context, dialect, message, offset));
}

/** Notes what cannot be read, at its place; returns the reason. */
function unreadable(
  context: LoweringContext,
  dialect: Dialect,
  message: string,
  offset: number,
): string {
  const reason = `This cannot be read as ${dialectLabel(dialect)}: ${message}.`;
  const source = sourceIn(context.piece, offset, offset + 1);
  context.note({ severity: "error", code: "syntax", message: reason, source });
  return reason;
}

function lowered(tree: SyntaxStatement, work: Work): Lowering {
  switch (tree.kind) {
    case "select":
      return select(tree.query, work);
    case "insert":
      return lowerInsert(tree, baseOf(work), work);
    case "update":
      return changed(lowerUpdate(tree, baseOf(work), work), work);
    case "delete":
      return changed(lowerDelete(tree, baseOf(work), work), work);
    case "truncate":
      return truncate(tree.table, work);
    case "set":
      return assigned(tree.assignments, work);
    case "call": {
      const values = lowerFree(tree.arguments, work);
      const called = work.context.call?.(
        tree.name,
        values.map((value) => ({ value })),
      );
      if (called !== undefined) return { statements: [] };
      return lowerByWords(work.context, `The procedure ${tree.name} is not followed.`);
    }
    case "do":
      return done(tree.values, work);
    case "nothing":
      return { statements: [] };
    default:
      return tree satisfies never;
  }
}

function changed(result: ChangeResult, work: Work): Lowering {
  return result.ok
    ? result.lowered
    : lowerByWords(work.context, `This change is not followed: ${result.reason}.`);
}

function select(tree: SyntaxQuery, work: Work): Lowering {
  const assigning = tree.outputs.map(({ value }) =>
    value.kind === "assign" ? value.variable : undefined,
  );
  const query = lowerQuery(tree, undefined, work);
  const outputs = work.labelled ? withLabels(query.outputs, tree.outputs) : query.outputs;
  const named = { ...query, outputs: withDistinctNames(outputs) };
  const base = baseOf(work);
  const into = work.context.ids.result();
  const columns = named.outputs.map((output) => output.name);
  const targets = [
    ...tree.into.map((variable, at) => ({ variable, column: columns[at] ?? "" })),
    ...(assigning.length === columns.length ? assigning : []).flatMap((variable, at) =>
      variable === undefined ? [] : [{ variable, column: columns[at] ?? "" }],
    ),
  ];
  // Values assigned to locals reach nobody; user variables outlive the transaction.
  const isSilent = tree.into.length > 0 && !tree.into.some((name) => name.startsWith("@"));
  const kept = tree.into.map((_, at) => ({ name: columns[at] ?? "", value: literal(null) }));
  const statement: Statement = {
    ...base,
    kind: "select",
    query: named,
    into,
    discarded: isSilent,
    ...(kept.length > 0 && !isSilent && { kept }),
    taint: work.taint,
  };
  const result = { name: into, columns };
  return targets.length === 0
    ? { statements: [statement], result }
    : { statements: [statement], result, targets };
}

/** DO: the queries and side effects of its values. */
function done(nodes: readonly SyntaxExpression[], work: Work): Lowering {
  const outputs = nodes.map((node, at) => ({
    name: `value${String(at + 1)}`,
    value: lowerFreeValue(node, work),
  }));
  const isLocked = work.locks.length > 0;
  if (!nodes.some(asks) && (isLocked || work.taint.length === 0)) return { statements: [] };
  const query = inShareMode(emptyQuery(outputs));
  const into = work.context.ids.result();
  const rest = { kind: "select", query, into, discarded: true, taint: work.taint } as const;
  return { statements: [{ ...baseOf(work), ...rest }] };
}

function truncate(table: string, work: Work): Lowering {
  const relation = { alias: table, table, kind: "base", join: "inner" } as const;
  const base = baseOf(work);
  return {
    statements: [{ ...base, kind: "delete", relation, using: [], where: TRUE, taint: work.taint }],
  };
}

/** SET @a = ..., @b = (SELECT ...): its queries become a SELECT before it. */
function assigned(
  assignments: readonly { readonly variable: string; readonly value: SyntaxExpression }[],
  work: Work,
): Lowering {
  const statements: Statement[] = [];
  const values = assignments.map(({ variable, value }) => {
    if (!asks(value)) return { variable, value: lowerFreeValue(value, work) };
    const read =
      value.kind === "query"
        ? lowerQuery(value.query, undefined, work)
        : emptyQuery([{ name: "value", value: lowerFreeValue(value, work) }]);
    const query = isMysql(work) ? inShareMode(read) : read;
    const into = work.context.ids.result();
    const outputs = withDistinctNames(query.outputs);
    statements.push({
      ...baseOf(work),
      kind: "select",
      query: { ...query, outputs },
      into,
      discarded: !variable.startsWith("@"),
      taint: work.taint,
    });
    const field: Expression = {
      kind: "field",
      result: into,
      field: outputs[0]?.name ?? "",
      at: "first",
    };
    return { variable, value: field };
  });
  return { statements, values };
}

/** True if an expression contains a query. */
function asks(value: SyntaxExpression): boolean {
  // Every query has this list, and nothing else does.
  return JSON.stringify(value).includes('"setOperations":[');
}
