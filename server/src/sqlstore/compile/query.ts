// Queries: what is selected, grouped, ordered and cut.
import { failure, unsupported } from "../sqlError";
import type { SqlExpression, SqlOrder, SqlOutput, SqlQuery, SqlQueryBody } from "../tree";
import { identities } from "../values/compare";
import type { SqlType } from "../values/types";
import type { SqlRow, SqlValue } from "../values/value";
import { isAggregate, groupEnvs } from "./aggregates";
import { compileFrom } from "./from";
import { groupsOfSets } from "./groupingSets";
import { lockTables, newestTuples } from "./locking";
import {
  convertNode,
  isPostgres,
  truth,
  type CompiledQuery,
  type Compiler,
  type Env,
  type Grouping,
  type Node,
  type Targets,
  type WithQuery,
  type Scope,
  type Sort,
} from "./node";
import { limits, sortInTurns, sortOf } from "./ordering";
import { pagesOf } from "./pages";
import { outputName } from "./outputName";
import { inSlices, rowsIn } from "./queryRows";
import { compileExpression } from "./recursion";
import { createScope, findColumn, hasColumn } from "./scope";
import { nameSets, setsOf } from "./setsOfOutputs";
import { setOperation, setType } from "./setOperation";
import type { Slices } from "./slices";
import { withWindows } from "./windows";
import { declare } from "./with";
import { contains, textOfTree } from "./walk";

/** A query below a scope: what `compileQuery` gives. */
export function queryPlan(
  query: SqlQuery,
  compiler: Compiler,
  parent: Scope | undefined,
  withs: ReadonlyMap<string, WithQuery>,
  targets: Targets,
): CompiledQuery {
  const known = new Map(withs);
  const declared = query.with.map((each) => declare(each, compiler, parent, known));
  const compiled = compileBody(query, compiler, parent, known, targets);
  if (declared.length === 0) return compiled;
  return inSlices(compiled, function* (env) {
    for (const start of declared) start(env);
    return yield* rowsIn(compiled, env);
  });
}

function compileBody(
  query: SqlQuery,
  compiler: Compiler,
  parent: Scope | undefined,
  withs: ReadonlyMap<string, WithQuery>,
  targets: Targets,
): CompiledQuery {
  const { body } = query;
  switch (body.kind) {
    case "select":
      return compileSelect(query, body, compiler, parent, withs, targets);
    case "values":
      return ordered(compileValues(body.rows, compiler, parent, withs), query, compiler, parent);
    case "set":
      return ordered(setOperation(body, compiler, parent, withs), query, compiler, parent);
    default:
      return body satisfies never;
  }
}

type SelectBody = Extract<SqlQueryBody, { readonly kind: "select" }>;

interface Output {
  readonly name: string;
  readonly shown: { readonly shown?: string };
  readonly node: Node;
}

function compileSelect(
  query: SqlQuery,
  body: SelectBody,
  compiler: Compiler,
  parent: Scope | undefined,
  withs: ReadonlyMap<string, WithQuery>,
  targets: Targets,
): CompiledQuery {
  const scope = createScope(compiler, parent, withs);
  for (const [name, window] of body.windows) scope.windows.set(name, window);
  const sets = setsOf(body.outputs, compiler);
  const from = compileFrom([...body.from, ...sets], body.where, scope);
  nameSets(sets, scope);
  lockTables(query.locks, from.tables);
  const outputs = body.outputs.flatMap((output) => expandOutput(output, scope));
  const order = query.orderBy.map((each) => ({
    ...each,
    value: orderTarget(each.value, outputs, scope),
  }));
  const aliases = new Map(
    outputs.flatMap(({ alias, value }) => (alias === undefined ? [] : [[alias, value] as const])),
  );
  const hidden = new Map([...aliases].filter(([name]) => !hasColumn(scope, name)));
  const groups = body.groupBy.map((each) => groupTarget(each, outputs, aliases, scope));
  const aggregates = (value: SqlExpression): boolean =>
    contains(value, (part) => part.kind === "call" && isAggregate(part, compiler));
  // HAVING alone is a filter of rows in MySQL.
  const isGrouped =
    groups.length > 0 ||
    body.groupingSets !== undefined ||
    (body.having !== undefined && (isPostgres(compiler) || aggregates(body.having))) ||
    [...outputs, ...order].some(({ value }) => aggregates(value));
  if (isGrouped && sets.length > 0)
    throw unsupported("a function that gives rows, beside GROUP BY or an aggregate,");
  scope.aggregates = "GROUP BY";
  const keys = groups.map((each) => compileExpression(each, scope));
  scope.aggregates = "allowed";
  const grouping = isGrouped ? groupingOf(groups, body.groupingSets, scope) : undefined;
  scope.grouping = grouping;
  if (!isPostgres(compiler)) scope.aliases = aliases;
  const having = body.having && truth(compileExpression(body.having, scope), compiler, "HAVING");
  if (!isPostgres(compiler)) scope.aliases = new Map();
  const compiled = outputs.map((output, at): Output => {
    const computed = compileExpression(output.value, scope);
    // Inside of expressions objects stay the numbers by which tables refer to them.
    const node = parent === undefined ? (computed.shown ?? computed) : computed;
    const name = output.alias ?? outputName(output, compiler);
    const isOpen = node.type === "unknown" && node.coerce !== undefined;
    return {
      name,
      shown: output.shown === undefined ? {} : { shown: output.shown },
      node: isOpen ? node.coerce(targets === "open" ? "unknown" : (targets[at] ?? "text")) : node,
    };
  });
  if (!isPostgres(compiler)) scope.aliases = hidden;
  const sorts = order.map((each) => sortKey(each, compiled, outputs, scope));
  const unique = distinctKeys(body.distinct, outputs, compiled, scope);
  const rowsOf = function* (env: Env): Slices<readonly Env[]> {
    const newest = yield* newestTuples(from, yield* from.tuples(env), env);
    const tuples = newest.map((tuple): Env => ({ ...env, tuple }));
    const grouped =
      grouping === undefined
        ? tuples
        : grouping.sets === undefined
          ? yield* groupEnvs(tuples, env, keys, groups.length > 0, scope)
          : yield* groupsOfSets(tuples, env, keys, grouping, scope);
    const kept = having === undefined ? grouped : grouped.filter((each) => having(each) === true);
    return withWindows(kept, scope);
  };
  const cut = limits(query, scope);
  const isPlain = unique === undefined && !isGrouped && scope.windowSlots.length === 0;
  const pages =
    isPlain && sets.length === 0 ? pagesOf(query, order, from.tables, scope) : undefined;
  const told = {
    columns: compiled.map(({ name, node: { type, origin, shape }, shown }) => ({
      name,
      type,
      ...(origin && { origin }),
      ...(shape && { shape }),
      ...shown,
    })),
    volatile: isVolatile(query),
  };
  return inSlices(told, function* (up) {
    const env: Env = { work: up.work, tuple: [], up, aggregates: [], windows: [] };
    const found: Found[] = [];
    const take = function* (within: Env): Slices<number> {
      for (const each of yield* rowsOf(within)) {
        if (env.work.isDue()) yield;
        found.push({ row: compiled.map(({ node }) => node.run(each)), env: each });
      }
      return found.length;
    };
    if (pages === undefined) yield* take(env);
    else yield* pages(env, take);
    const keyOf = ({ env: each }: Found, sort: Sort): SqlValue => sort.node.run(each);
    const sortedRows = yield* sortInTurns(found, sorts, keyOf, env.work.isDue);
    const distinctRows =
      unique === undefined ? sortedRows : withoutRepetition(sortedRows, unique, compiler);
    return cut(env, distinctRows).map(({ row }) => row);
  });
}

/** Functions that give something else each time. */
const VOLATILE =
  /"kind":"call","name":"(nextval|setval|random|rand|uuid|gen_random_uuid|uuid_generate_v4|clock_timestamp)"|"kind":"variable"|"kind":"(insert|update|delete)"/;

function isVolatile(query: SqlQuery): boolean {
  return VOLATILE.test(JSON.stringify(query));
}

/** `*` and `t.*` as the columns that they stand for. */
export function expandOutput(output: SqlOutput, scope: Scope): readonly SqlOutput[] {
  const { value } = output;
  if (value.kind !== "star") return [output];
  const alias = value.path.at(-1);
  const found = scope.sources.flatMap((source) =>
    (alias === undefined && source.onlyQualified !== true) || source.alias === alias
      ? source.columns.flatMap(({ name, shown }, at): readonly SqlOutput[] =>
          alias === undefined && source.merged.has(at)
            ? []
            : [
                {
                  value: { kind: "column", path: [source.alias, name] },
                  alias: name,
                  ...(shown === undefined ? {} : { shown }),
                },
              ],
        )
      : [],
  );
  const merged =
    alias === undefined
      ? [...scope.using.keys()].map((name): SqlOutput => {
          const all = scope.sources.flatMap(({ columns }) => columns);
          const shown = all.find((column) => column.name === name)?.shown;
          return {
            value: { kind: "column", path: [name] },
            alias: name,
            ...(shown === undefined ? {} : { shown }),
          };
        })
      : [];
  if (alias !== undefined && !scope.sources.some((source) => source.alias === alias)) {
    throw isPostgres(scope.compiler)
      ? failure("noTable", `missing FROM-clause entry for table "${alias}"`)
      : failure("noTable", `Unknown table '${alias}'`);
  }
  if (scope.sources.length === 0)
    throw failure("syntax", "SELECT * with no tables specified is not valid");
  return [...merged, ...found];
}

/** The output that a name or a number in ORDER BY means, else the expression itself. */
function orderTarget(
  value: SqlExpression,
  outputs: readonly SqlOutput[],
  scope: Scope,
): SqlExpression {
  const numbered = position(value, outputs, "ORDER BY");
  if (numbered !== undefined) return numbered.value;
  if (value.kind !== "column" || value.path.length !== 1) return value;
  const named = outputs.find((output) => nameOf(output, scope.compiler) === value.path[0]);
  return named?.value ?? value;
}

function nameOf(output: SqlOutput, compiler: Compiler): string {
  return output.alias ?? outputName(output, compiler);
}

function position(
  value: SqlExpression,
  outputs: readonly SqlOutput[],
  where: string,
): SqlOutput | undefined {
  if (value.kind !== "number" || !/^\d+$/.test(value.text)) return undefined;
  const found = outputs[Number(value.text) - 1];
  if (found === undefined) {
    throw failure("columnReference", `${where} position ${value.text} is not in select list`);
  }
  return found;
}

/** In GROUP BY a column of the relations goes before an alias. */
function groupTarget(
  value: SqlExpression,
  outputs: readonly SqlOutput[],
  aliases: ReadonlyMap<string, SqlExpression>,
  scope: Scope,
): SqlExpression {
  const numbered = position(value, outputs, "GROUP BY");
  if (numbered !== undefined) return numbered.value;
  if (value.kind !== "column" || value.path.length !== 1) return value;
  if (findColumn(scope, value.path) !== undefined) return value;
  return aliases.get(value.path[0] ?? "") ?? value;
}

function groupingOf(
  groups: readonly SqlExpression[],
  sets: Grouping["sets"],
  scope: Scope,
): Grouping {
  const all = groups.map((each) => ({
    text: textOfTree(each),
    column: each.kind === "column" ? findColumn(scope, each.path) : undefined,
  }));
  const columns = all.flatMap(({ column }) => column ?? []);
  const expressions = groups.filter((each) => each.kind !== "column").map(textOfTree);
  return { columns, expressions: new Set(expressions), all, ...(sets && { sets }) };
}

function sortKey(
  order: SqlOrder,
  compiled: readonly Output[],
  outputs: readonly SqlOutput[],
  scope: Scope,
): Sort {
  const at = outputs.findIndex((output) => output.value === order.value);
  const node = compiled[at]?.node ?? compileExpression(order.value, scope);
  return sortOf(node, order, scope.compiler);
}

interface Found {
  readonly row: SqlRow;
  readonly env: Env;
}

type Unique = (found: Found) => { readonly values: SqlRow; readonly types: readonly SqlType[] };

function distinctKeys(
  distinct: boolean | readonly SqlExpression[],
  outputs: readonly SqlOutput[],
  compiled: readonly Output[],
  scope: Scope,
): Unique | undefined {
  if (distinct === false) return undefined;
  if (distinct === true) {
    const types = compiled.map(({ node }) => node.type);
    return ({ row }) => ({ values: row, types });
  }
  const nodes = distinct.map((each) =>
    compileExpression(position(each, outputs, "DISTINCT ON")?.value ?? each, scope),
  );
  const types = nodes.map((node) => node.type);
  return ({ env }) => ({ values: nodes.map((node) => node.run(env)), types });
}

function withoutRepetition(
  rows: readonly Found[],
  unique: Unique,
  compiler: Compiler,
): readonly Found[] {
  const seen = new Set<string>();
  return rows.filter((found) => {
    const { values, types } = unique(found);
    const name = identities(values, types, compiler.dialect);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function compileValues(
  rows: readonly (readonly SqlExpression[])[],
  compiler: Compiler,
  parent: Scope | undefined,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledQuery {
  const scope = createScope(compiler, parent, withs);
  const nodes = rows.map((row) => row.map((value) => compileExpression(value, scope)));
  const width = nodes[0]?.length ?? 0;
  if (nodes.some((row) => row.length !== width)) {
    throw failure("syntax", "VALUES lists must all be the same length");
  }
  const types = (nodes[0] ?? []).map((_, at) =>
    setType(
      nodes.map((row) => row[at]?.type ?? "unknown"),
      compiler,
      "VALUES",
    ),
  );
  const settledRows = nodes.map((row) =>
    row.map((node, at) => convertNode(node, types[at] ?? "text", compiler)),
  );
  const prefix = isPostgres(compiler) ? "column" : "column_";
  return {
    columns: types.map((type, at) => ({
      name: `${prefix}${isPostgres(compiler) ? at + 1 : at}`,
      type,
    })),
    volatile: false,
    run: (up) => {
      const env: Env = { work: up.work, tuple: [], up, aggregates: [], windows: [] };
      return settledRows.map((row) => row.map((node) => node.run(env)));
    },
  };
}

/** ORDER BY and LIMIT over the rows of a set operation: by their columns alone. */
function ordered(
  rows: CompiledQuery,
  query: SqlQuery,
  compiler: Compiler,
  parent: Scope | undefined,
): CompiledQuery {
  const scope = createScope(compiler, parent, new Map());
  scope.sources.push({ alias: "", columns: rows.columns, merged: new Set() });
  const outputs = rows.columns.map(({ name }): SqlOutput => ({
    value: { kind: "column", path: [name] },
    alias: name,
  }));
  const sorts = query.orderBy.map((order) => {
    const target = position(order.value, outputs, "ORDER BY")?.value ?? order.value;
    return sortOf(compileExpression(target, scope), order, compiler);
  });
  const cut = limits(query, scope);
  return inSlices(rows, function* (up) {
    const env: Env = { work: up.work, tuple: [], up, aggregates: [], windows: [] };
    const keyOf = (row: SqlRow, sort: Sort): SqlValue => sort.node.run({ ...env, tuple: [row] });
    const all = yield* sortInTurns(yield* rowsIn(rows, up), sorts, keyOf, env.work.isDue);
    return cut(env, all);
  });
}
