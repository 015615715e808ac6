// Data-changing WITH: its statements in sequence, then the main one, once per row that it takes from them. They share a snapshot, so only
// statements on the same table could observe the sequence.
import type { CommonTableExpr, FuncCall, Node, WithClause } from "libpg-query";
import { changedTable } from "../../../program/accessedTables";
import type { Taint } from "../../../program/precision";
import type { Command, Statement } from "../../../program/statement";
import { literal } from "../expressions";
import type { Lowering } from "../lowering";
import { compare } from "../terms";
import { constantOf, lastName, stringsOf } from "./ast";
import { hasAggregate } from "./functions";
import { loopOver } from "./from";
import { taint, type Cte, type Work } from "./scope";
import { changesData, definitionsOf, withQueries } from "./with";

/** The statements of a data-changing WITH and of its main statement. */
export function lowerWithChanges(
  node: Node,
  clause: WithClause | undefined,
  work: Work,
  lowerSingle: (node: Node, work: Work) => Lowering,
): Lowering {
  const ctes = new Map<string, Cte>();
  const parts: Part[] = [];
  const atMostOne = new Set<string>();
  const isOne = (result: string): boolean => atMostOne.has(result);
  const definitions = definitionsOf(clause);
  const run = (part: Node): Lowering => {
    const own: Work = { ...work, ctes, taint: [], usedRows: new Set() };
    const lowered = lowerSingle(part, own);
    parts.push({ lowered, rows: [...own.usedRows] });
    return lowered;
  };
  for (const definition of definitions) {
    const name = definition.ctename ?? "";
    const { ctequery } = definition;
    if (ctequery === undefined) continue;
    const isShared = [...definitions, node].filter((part) => mentions(part, name)).length > 1;
    const isRow = isShared && givesOneRow(ctequery);
    if (!changesData(definition) && !isRow) {
      ctes.set(name, plainQuery(definition, { ...work, ctes, usedRows: new Set() }, isShared));
      continue;
    }
    const lowered = run(ctequery);
    const rows = rowsOf(lowered, stringsOf(definition.aliascolnames));
    const isAlone = isRow || (isOneInsert(lowered) && parts.at(-1)?.rows.every(isOne) === true);
    const isBounded = rows.kind === "rows" && rows.count === "many" && isAlone;
    if (isBounded) atMostOne.add(rows.result);
    ctes.set(name, isBounded ? { ...rows, count: "at most one" } : rows);
  }
  const asked = countingRows(withoutWith(node), ctes);
  if (gathersRows(asked)) hideRows(ctes);
  const main = run(asked);
  const passed = passedThrough(main);
  if (passed !== undefined) parts.pop();
  const shared = sharedTables(parts);
  const marked = parts
    .map((part) => marking(part, shared, work))
    .map((part) => (part.rows.every(isOne) ? part : repeated(part, work)))
    .map((part) => losing(part, work.taint))
    .map((part, _, all) => inOneSnapshot(part, all));
  const result = passed ?? main.result;
  return {
    statements: marked.flatMap(({ lowered }) => lowered.statements),
    commands: marked.map((part) => commandOf(part, isOne, work)),
    ...(result === undefined ? {} : { result }),
  };
}

/** The main statement, whose names are bound by then. */
function withoutWith(node: Node): Node {
  const bare = <Statement extends { readonly withClause?: WithClause }>(statement: Statement) => {
    const { withClause: _, ...rest } = statement;
    return rest;
  };
  if ("SelectStmt" in node) return { SelectStmt: bare(node.SelectStmt) };
  if ("InsertStmt" in node) return { InsertStmt: bare(node.InsertStmt) };
  if ("UpdateStmt" in node) return { UpdateStmt: bare(node.UpdateStmt) };
  return "DeleteStmt" in node ? { DeleteStmt: bare(node.DeleteStmt) } : node;
}

/** A WITH query without changes; `isShared` if several parts use it, each of which evaluates it again. */
function plainQuery(definition: CommonTableExpr, work: Work, isShared: boolean): Cte {
  const name = definition.ctename ?? "";
  const only = { ctes: [{ CommonTableExpr: definition }] };
  const cte = withQueries(only, undefined, work).ctes.get(name) ?? NOTHING;
  if (cte.kind !== "query") return cte;
  // It has no loop that could iterate over the rows of a change.
  const columns = cte.query.outputs.map((output) => output.name);
  if (work.usedRows.size > 0) return { kind: "opaque", columns };
  if (isShared && NEW_EACH_TIME.test(JSON.stringify(cte.query)))
    taint(work, `the values of ${name}, which are new each time it is named`);
  return cte;
}

const NOTHING: Cte = { kind: "opaque", columns: [] };

const NEW_EACH_TIME = /"kind":"fresh"[^}]*"why":"(?!now)|"deterministic":false/;

/** True if a part of the tree mentions a table of that name. */
function mentions(tree: unknown, name: string): boolean {
  if (typeof tree !== "object" || tree === null) return false;
  if ("relname" in tree && tree.relname === name) return true;
  return Object.entries(tree).some(([key, each]) => key !== "withClause" && mentions(each, name));
}

/** LIMIT 1. */
function givesOneRow(node: Node): boolean {
  if (!("SelectStmt" in node)) return false;
  const { limitCount, limitOption } = node.SelectStmt;
  if (limitCount === undefined || !("A_Const" in limitCount)) return false;
  return constantOf(limitCount.A_Const) === 1 && limitOption === "LIMIT_OPTION_COUNT";
}

/** True for an INSERT of at most one row: of values, or of one row from another part. */
function isOneInsert({ statements }: Lowering): boolean {
  const [only] = statements.map(asValues);
  if (only?.kind !== "insert" || statements.length > 1) return false;
  return !("query" in only.rows) && only.rows.length === 1;
}

/** SELECT of only `count(*)` over the rows of a change, as subqueries. */
function countingRows(node: Node, ctes: ReadonlyMap<string, Cte>): Node {
  if (!("SelectStmt" in node)) return node;
  const { fromClause = [], targetList = [], ...rest } = node.SelectStmt;
  const [from] = fromClause;
  const name = from !== undefined && "RangeVar" in from ? from.RangeVar.relname : undefined;
  const { whereClause, groupClause, havingClause, sortClause, limitCount, limitOffset } = rest;
  const others = whereClause ?? groupClause ?? havingClause ?? sortClause ?? limitCount;
  const more = others ?? limitOffset ?? rest.distinctClause ?? rest.larg ?? rest.lockingClause;
  const isRows = fromClause.length === 1 && ctes.get(name ?? "")?.kind === "rows";
  if (!isRows || more !== undefined || !targetList.some(hasAggregate)) return node;
  const counted = counts(targetList, fromClause);
  if (hasAggregate(counted) || JSON.stringify(counted).includes('"ColumnRef"')) return node;
  return { SelectStmt: { ...rest, targetList: counted } };
}

/** The tree with a subquery for each `count(*)`. */
function counts<Tree>(tree: Tree, fromClause: readonly Node[]): Tree {
  return JSON.parse(JSON.stringify(tree), (_key, part: unknown): unknown => {
    if (typeof part !== "object" || part === null || !("FuncCall" in part)) return part;
    const { FuncCall: call } = part as { readonly FuncCall: FuncCall };
    const isPlain = call.agg_star === true && lastName(call.funcname) === "count";
    if (!isPlain || call.agg_filter !== undefined || call.over !== undefined) return part;
    const subselect = { SelectStmt: { targetList: [{ ResTarget: { val: part } }], fromClause } };
    return { SubLink: { subLinkType: "EXPR_SUBLINK", subselect } };
  }) as Tree;
}

/** True for a main SELECT that aggregates rows beyond what a loop over them can express. */
function gathersRows(node: Node): boolean {
  if (!("SelectStmt" in node)) return false;
  const { SelectStmt: select } = node;
  const { groupClause, distinctClause, sortClause, limitCount, limitOffset, larg } = select;
  const clauses = groupClause ?? distinctClause ?? sortClause ?? limitCount ?? limitOffset ?? larg;
  return clauses !== undefined || (select.targetList ?? []).some(hasAggregate);
}

/** Hides such rows from here on: only their columns are known. */
function hideRows(ctes: Map<string, Cte>): void {
  for (const [name, cte] of ctes) {
    if (cte.kind !== "rows") continue;
    const columns = cte.columns.map((column, at) => cte.names[at] ?? column);
    ctes.set(name, { kind: "opaque", columns });
  }
}

interface Part {
  readonly lowered: Lowering;
  /** The results whose rows it iterates over. */
  readonly rows: readonly string[];
}

function rowsOf(lowered: Lowering, names: readonly string[]): Cte {
  const { result } = lowered;
  if (result === undefined) return { kind: "opaque", columns: [] };
  const [statement] = lowered.statements;
  const isOne =
    statement?.kind === "insert" &&
    !("query" in statement.rows) &&
    statement.rows.length === 1 &&
    statement.onConflict === undefined;
  return {
    kind: "rows",
    result: result.name,
    columns: result.columns,
    names,
    count: isOne ? "one" : "many",
  };
}

/** A SELECT of only columns of such rows is their result itself. */
function passedThrough(main: Lowering): Lowering["result"] {
  const [statement] = main.statements;
  if (statement?.kind !== "select" || statement.taint.length > 0) return undefined;
  const { query } = statement;
  const always = query.where.kind === "literal" && query.where.value === true;
  const [first] = query.outputs;
  if (query.relations.length > 0 || !always || first?.value.kind !== "field") return undefined;
  const { result } = first.value;
  const own = query.outputs.every(
    ({ name, value }) => value.kind === "field" && value.result === result && value.field === name,
  );
  const plain = query.setOperations.length === 0 && query.limit === undefined && !query.distinct;
  if (!own || !plain) return undefined;
  return { name: result, columns: query.outputs.map(({ name }) => name) };
}

/** A statement that runs once per row keeps its last result only. */
function repeated(part: Part, work: Work): Part {
  const { lowered } = part;
  if (part.rows.length === 0 || lowered.result === undefined) return part;
  const reason = "the rows of a change that runs once per row of another one";
  const loss = { effect: "over", reason, source: work.source } as const;
  const statements = lowered.statements.map((statement) => ({
    ...statement,
    taint: [...statement.taint, loss],
  }));
  return { ...part, lowered: { ...lowered, statements } };
}

function commandOf(part: Part, isOne: (result: string) => boolean, work: Work): Command {
  const commands = part.lowered.statements.map((statement): Command => {
    return { kind: "statement", statement: asValues(statement) };
  });
  const body: Command = { kind: "sequence", commands };
  return part.rows.reduce<Command>((inner, result) => {
    if (isOne(result)) {
      const condition = compare(">", { kind: "size", result }, literal(0));
      return { kind: "if", condition, then: inner, source: work.source };
    }
    const over = { kind: "rows", result } as const;
    return { kind: "loop", id: loopOver(result), over, body: inner, source: work.source };
  }, body);
}

/** INSERT ... SELECT without relations inserts one row of values. */
function asValues(statement: Statement): Statement {
  if (statement.kind !== "insert" || !("query" in statement.rows)) return statement;
  const { columns, query } = statement.rows;
  const always = query.where.kind === "literal" && query.where.value === true;
  const plain = query.setOperations.length === 0 && query.limit === undefined;
  if (query.relations.length > 0 || !always || !plain) return statement;
  const row = query.outputs.map(({ value }, at) => ({ column: columns[at] ?? "", value }));
  return { ...statement, rows: [row] };
}

/** Tables that one part changes and a later one touches. */
function sharedTables(parts: readonly Part[]): readonly string[] {
  const changed = parts.map(({ lowered }) =>
    lowered.statements.flatMap((each) => changedTable(each) ?? []),
  );
  const touched = parts.map(({ lowered }) => JSON.stringify(lowered.statements));
  return changed.flatMap((tables, at) =>
    tables.filter((table) =>
      touched.slice(at + 1).some((text) => text.includes(`"table":${JSON.stringify(table)}`)),
    ),
  );
}

function marking(part: Part, shared: readonly string[], work: Work): Part {
  const [table] = shared;
  if (table === undefined) return part;
  const reason = `the parts of WITH see ${table} as it was before all of them`;
  const loss = { effect: "over", reason, source: work.source } as const;
  const statements = part.lowered.statements.map((statement) => ({
    ...statement,
    taint: [...statement.taint, loss],
  }));
  return { ...part, lowered: { ...part.lowered, statements } };
}

/** The part as one that shares the snapshot of the first part. */
function inOneSnapshot(part: Part, all: readonly Part[]): Part {
  const first = all[0]?.lowered.statements[0];
  if (first === undefined || all.length === 1) return part;
  const statements = part.lowered.statements.map((each) => ({ snapshotOf: first.id, ...each }));
  return { ...part, lowered: { ...part.lowered, statements } };
}

/** The part with the losses of the queries that it iterates over. */
function losing(part: Part, taint: readonly Taint[]): Part {
  if (taint.length === 0) return part;
  const statements = part.lowered.statements.map((statement) => ({
    ...statement,
    taint: [...statement.taint, ...taint],
  }));
  return { ...part, lowered: { ...part.lowered, statements } };
}
