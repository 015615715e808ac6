// WITH that changes data: its statements one after the other, then the main one, once per row that it takes
// from them. They share a snapshot, so that only statements on the same table could tell the difference.
import type { Node, WithClause } from "libpg-query";
import type { Command, Statement } from "../../../program/statement";
import type { Lowered } from "../lowering";
import { stringsOf } from "./ast";
import { hasAggregate } from "./functions";
import { loopOver } from "./from";
import type { Cte, Work } from "./scope";
import { changesData, definitionsOf, withQueries } from "./with";

/** The statements of a WITH that changes data and of its main statement. */
export function lowerWithChanges(
  node: Node,
  clause: WithClause | undefined,
  work: Work,
  lowerSingle: (node: Node, work: Work) => Lowered,
): Lowered {
  const ctes = new Map<string, Cte>();
  const parts: Part[] = [];
  const run = (part: Node): Lowered => {
    const own: Work = { ...work, ctes, taint: [], usedRows: new Set() };
    const lowered = lowerSingle(part, own);
    parts.push({ lowered, rows: [...own.usedRows] });
    return lowered;
  };
  for (const definition of definitionsOf(clause)) {
    const name = definition.ctename ?? "";
    if (definition.ctequery === undefined) continue;
    if (!changesData(definition)) {
      const only = { ctes: [{ CommonTableExpr: definition }] };
      const named = withQueries(only, undefined, { ...work, ctes, taint: [] }).ctes.get(name);
      if (named !== undefined) ctes.set(name, named);
      continue;
    }
    const lowered = run(definition.ctequery);
    ctes.set(name, rowsOf(lowered, stringsOf(definition.aliascolnames)));
  }
  if (gathersRows(node)) hideRows(ctes);
  const main = run(node);
  const passed = passedThrough(main);
  if (passed !== undefined) parts.pop();
  const shared = sharedTables(parts);
  const marked = parts.map((part) => repeated(marking(part, shared, work), work));
  const result = passed ?? main.result;
  return {
    statements: marked.flatMap(({ lowered }) => lowered.statements),
    commands: marked.map((part) => commandOf(part, work)),
    ...(result === undefined ? {} : { result }),
  };
}

/** A main SELECT that puts rows together, beyond what a loop over them can say: `count(*)` alone is their number. */
function gathersRows(node: Node): boolean {
  if (!("SelectStmt" in node)) return false;
  const { SelectStmt: select } = node;
  const { groupClause, distinctClause, sortClause, limitCount, limitOffset, larg } = select;
  const clauses = groupClause ?? distinctClause ?? sortClause ?? limitCount ?? limitOffset ?? larg;
  return clauses !== undefined || (select.targetList ?? []).some(hasAggregate);
}

/** From here on only the columns of such rows are known. */
function hideRows(ctes: Map<string, Cte>): void {
  for (const [name, cte] of ctes) {
    if (cte.kind !== "rows") continue;
    const columns = cte.columns.map((column, at) => cte.names[at] ?? column);
    ctes.set(name, { kind: "opaque", columns });
  }
}

interface Part {
  readonly lowered: Lowered;
  /** The results that it runs once per row of. */
  readonly rows: readonly string[];
}

function rowsOf(lowered: Lowered, names: readonly string[]): Cte {
  const { result } = lowered;
  if (result === undefined) return { kind: "opaque", columns: [] };
  const [statement] = lowered.statements;
  const single =
    statement?.kind === "insert" &&
    !("query" in statement.rows) &&
    statement.rows.length === 1 &&
    statement.onConflict === undefined;
  return { kind: "rows", result: result.name, columns: result.columns, names, single };
}

/** SELECT of nothing but columns of such rows is their result itself. */
function passedThrough(main: Lowered): Lowered["result"] {
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

/** Of a statement that runs once per row, only the last result is kept. */
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

function commandOf(part: Part, work: Work): Command {
  const commands = part.lowered.statements.map((statement): Command => {
    return { kind: "statement", statement: asValues(statement) };
  });
  const body: Command = { kind: "sequence", commands };
  return part.rows.reduce<Command>((inner, result) => {
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

/** Tables that one part changes and another one touches. */
function sharedTables(parts: readonly Part[]): readonly string[] {
  const changed = parts.map(({ lowered }) => lowered.statements.flatMap(changedTable));
  const touched = parts.map(({ lowered }) => JSON.stringify(lowered.statements));
  return changed.flatMap((tables, at) =>
    tables.filter((table) =>
      touched.some(
        (text, other) => other !== at && text.includes(`"table":${JSON.stringify(table)}`),
      ),
    ),
  );
}

function changedTable(statement: Statement): readonly string[] {
  if (statement.kind === "insert") return [statement.table];
  if (statement.kind === "update" || statement.kind === "delete") return [statement.relation.table];
  return [];
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
