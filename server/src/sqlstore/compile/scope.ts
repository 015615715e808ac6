// Names in a query: its relations with their columns, WITH queries, and the queries around it.
import { failure } from "../sqlError";
import {
  constant,
  isPostgres,
  type CompiledQuery,
  type Compiler,
  type Node,
  type WithQuery,
  type ScopeColumn,
  type Scope,
} from "./node";

export function createScope(
  compiler: Compiler,
  parent: Scope | undefined,
  withs: ReadonlyMap<string, WithQuery>,
): Scope {
  return {
    compiler,
    sources: [],
    parent,
    withs: new Map(withs),
    using: new Map(),
    aliases: new Map(),
    windows: new Map(),
    aggregateSlots: [],
    windowSlots: [],
    sets: new Map(),
    grouping: undefined,
    aggregates: "WHERE",
    used: undefined,
  };
}

/** The references of a compiled piece. */
export function track<T>(
  scope: Scope,
  compile: () => T,
): { readonly result: T; readonly uses: ReadonlySet<number> } {
  const before = scope.used;
  const uses = new Set<number>();
  scope.used = uses;
  const result = compile();
  scope.used = before;
  if (before !== undefined) for (const use of uses) before.add(use);
  return { result, uses };
}

/** Which column a name means; undefined when it means none here. */
export function findColumn(
  scope: Scope,
  path: readonly string[],
): { readonly source: number; readonly column: number } | undefined {
  const name = path.at(-1) ?? "";
  const alias = path.length > 1 ? path.at(-2) : undefined;
  let found: { source: number; column: number } | undefined;
  let hasAlias = false;
  for (const [source, each] of scope.sources.entries()) {
    if (alias !== undefined ? each.alias !== alias : each.onlyQualified === true) continue;
    hasAlias = true;
    for (const [column, { name: own }] of each.columns.entries()) {
      if (own !== name || (alias === undefined && each.merged.has(column))) continue;
      if (found !== undefined) {
        throw failure("ambiguous", `column reference "${name}" is ambiguous`, { column: name });
      }
      found = { source, column };
    }
  }
  if (found === undefined && hasAlias && alias !== undefined && scope.parent === undefined) {
    throw missingColumn(scope, path);
  }
  return found;
}

/** True if a relation of the query itself has a column of that name. */
export function hasColumn(scope: Scope, name: string): boolean {
  return scope.sources.some(({ columns }) => columns.some((column) => column.name === name));
}

/** A name as a node: a column here, or one of a query around. */
export function resolveColumn(scope: Scope, path: readonly string[]): Node {
  const { compiler } = scope;
  // MySQL's variables of routines hide columns.
  const variable = path.length === 1 && !isPostgres(compiler) && localNode(scope, path);
  if (variable) return variable;
  let depth = 0;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent, depth++) {
    const merged = path.length === 1 ? at.using.get(path[0] ?? "") : undefined;
    if (merged !== undefined) return lifted(merged, depth);
    const found = findColumn(at, path);
    if (found !== undefined) return columnNode(at, found, depth);
    const row = path.length === 1 ? wholeRow(at, path[0] ?? "", depth) : undefined;
    if (row !== undefined) return row;
  }
  const local = localNode(scope, path);
  if (local !== undefined) return local;
  throw missingColumn(scope, path);
}

/** A variable of the routine around the statement. */
function localNode({ compiler }: Scope, path: readonly string[]): Node | undefined {
  const name = path.join(".");
  const type = compiler.locals?.get(name);
  if (type === undefined) return undefined;
  return { type, run: (env) => env.work.locals?.get(name)?.value ?? null, constant: true };
}

function lifted(node: Node, depth: number): Node {
  if (depth === 0) return node;
  return {
    ...node,
    run: (env) => {
      let at = env;
      for (let left = depth; left > 0 && at.up !== undefined; left--) at = at.up;
      return node.run(at);
    },
  };
}

function columnNode(
  scope: Scope,
  found: { readonly source: number; readonly column: number },
  depth: number,
): Node {
  const { source, column } = found;
  scope.used?.add(source);
  checkGrouped(scope, source, column);
  const { type = "unknown", origin, shape } = scope.sources[source]?.columns[column] ?? {};
  const run: Node["run"] = (env) => env.tuple[source]?.[column] ?? null;
  const told = { ...(origin && { origin }), ...(shape && { shape }) };
  return lifted({ type, run, constant: false, ...told }, depth);
}

/** In a grouped query a column has one value per group only if the grouping decides it. */
function checkGrouped(scope: Scope, source: number, column: number): void {
  const { grouping, compiler } = scope;
  if (grouping === undefined || compiler.dialect === "mariadb") return;
  const groups = (at: number): boolean =>
    grouping.columns.some((each) => each.source === source && each.column === at);
  const { key = [], columns, alias } = scope.sources[source] ?? { columns: [], alias: "" };
  if (groups(column) || (key.length > 0 && key.every(groups))) return;
  const name = columns[column]?.name ?? "";
  throw isPostgres(compiler)
    ? failure(
        "grouping",
        `column "${alias}.${name}" must appear in the GROUP BY clause or be used in an aggregate function`,
      )
    : failure("grouping", `'${alias}.${name}' isn't in GROUP BY`);
}

/** PostgreSQL's name of a relation as a value: the row. */
function wholeRow(scope: Scope, name: string, depth: number): Node | undefined {
  if (!isPostgres(scope.compiler)) return undefined;
  const source = scope.sources.findIndex((each) => each.alias === name);
  if (source < 0) return undefined;
  return rowOf(scope, source, depth);
}

/** The row of a relation as a value. */
function rowOf(scope: Scope, source: number, depth: number): Node {
  scope.used?.add(source);
  const shape = { fields: scope.sources[source]?.columns ?? [] };
  return lifted(
    { type: "record", run: (env) => env.tuple[source] ?? null, constant: false, shape },
    depth,
  );
}

/** The value of the relation of a function that gives rows in the row at hand: its value, or a row of several. */
export function setValue(scope: Scope, source: number): Node {
  return scope.sources[source]?.columns.length === 1
    ? columnNode(scope, { source, column: 0 }, 0)
    : rowOf(scope, source, 0);
}

export function missingColumn(scope: Scope, path: readonly string[]): Error {
  const name = path.join(".");
  if (!isPostgres(scope.compiler)) {
    return failure("noColumn", `Unknown column '${name}'`, { column: path.at(-1) ?? "" });
  }
  const alias = path.length > 1 ? path.at(-2) : undefined;
  const known = scope.sources.some((each) => each.alias === alias);
  if (alias !== undefined && !known) {
    return failure("noTable", `missing FROM-clause entry for table "${alias}"`);
  }
  const shown = alias === undefined ? `"${name}"` : name;
  return failure("noColumn", `column ${shown} does not exist`, { column: path.at(-1) ?? "" });
}

/** An output of a query that is a relation's column, for sources that are queries. */
export function columnsOfQuery(
  query: CompiledQuery,
  names: readonly string[],
): readonly ScopeColumn[] {
  return query.columns.map((column, at) => renameColumn(column, names[at]));
}

/** A column under another name, if there is one. */
export function renameColumn(column: ScopeColumn, name: string | undefined): ScopeColumn {
  const { type, origin, shape } = column;
  return name === undefined
    ? column
    : { name, type, ...(origin && { origin }), ...(shape && { shape }) };
}

/** NULL, whose type the context decides. */
export function nullNode(): Node {
  return { ...constant("unknown", null), coerce: (type) => constant(type, null) };
}
