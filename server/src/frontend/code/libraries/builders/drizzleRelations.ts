// Drizzle's relational queries: `db.query.users.findMany({ with: { posts: true } })`. What is loaded along is joined where
// that gives the same rows, else read by a statement of its own, which is said.
import type { Expression } from "../../../../program/expression";
import type { SourceRange } from "../../../../protocol/source";
import { compare } from "../../../sql/terms";
import { constantScalar, fieldExpression, scalar, type Connection, type HandleValue, type RowsValue, type RowValue, type Value } from "../../values"; // prettier-ignore
import type { Call, Tools } from "../library";
import { memberOfList, quoteName } from "../orm/statements";
import { columnsOfPart, partOfRow, type RowPart } from "../orm/rowParts";
import { allOf, draftOf, valueFragment, raw, sequence, textOf, type Draft, type Fragment } from "./draft"; // prettier-ignore
import { relationOf, type DrizzleRelation } from "./drizzleDeclarations";
import { optionValue, optionsIn, tableOptions, type Options } from "./drizzleOptions";
import { isClient } from "./drizzleKinds";
import { columnName, equatedIn, fragment, tableText, type Query } from "./drizzleParts";
import { runQuery } from "./drizzleRows";
import { schemaTable } from "./drizzleSchemas";
import { aliasTable, isTable, type DrizzleTable } from "./drizzleTables";

/** `db.query.users.findFirst({ where, orderBy, columns, with })`. */
export function relational(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [, , key = "", method] = handle.path.split(".");
  const schema = isClient(handle.data) ? handle.data.schema : undefined;
  const table = schema ? tools.member(schema, key) : schemaTable(key, tools);
  if (table?.kind !== "handle" || !isTable(table.data)) return undefined;
  const [first] = call.arguments;
  const options = optionsIn(first, "what a relational query is given", call.source, tools);
  const { source } = call;
  const reading = { table: table.data, options, isFirst: method === "findFirst", source };
  return { ...handle, path: "query", data: queryOf(reading, tools) };
}

interface Reading {
  readonly table: DrizzleTable;
  readonly options: Options;
  readonly isFirst: boolean;
  readonly source: SourceRange;
  /** A condition of who asks. */
  readonly among?: Fragment;
}

function queryOf({ table, options, isFirst, source, among }: Reading, tools: Tools): Query {
  const { where, orderBy, fields } = tableOptions(table, options, source, tools);
  const loading = loadingOf(table, options, source, tools, isFirst);
  const asked = options.get("limit");
  const offset = options.get("offset");
  const limit = isFirst ? raw("1") : asked && valueFragment(asked);
  const own: Draft = {
    ...draftOf("select", tableText(table, tools)),
    where: [...(among ? [among] : []), ...where],
    orderBy,
    ...(limit && { limit }),
    ...(offset && { offset: valueFragment(offset) }),
  };
  const base: Query = {
    kind: "query",
    draft: own,
    table,
    joined: [],
    returns: isFirst ? "first" : "rows",
    source,
    ...(fields && { fields }),
  };
  if (loading.loads.length === 0) return base;
  const joined = loading.loads.filter(({ on }) => on !== undefined);
  const hasMany = joined.some(({ relation }) => relation.isMany);
  const isByKey = hasMany && isOneByKey(table, options, source, tools);
  // The first row of several has these joined to it alone.
  const draft = hasMany && !isByKey ? { ...draftOf("select", onlyThese(own, table, tools)), orderBy } : own; // prettier-ignore
  const { limit: _one, ...whole } = draft;
  return {
    ...base,
    draft: {
      ...(hasMany ? whole : draft),
      joins: joined.flatMap((each) => joinsOf(each, tools)),
      orderBy: [
        ...orderBy,
        ...joined.flatMap((each) => (each.relation.isMany ? each.orderBy : [])),
      ],
    },
    more: joined.flatMap((each) => outputsOf(each, tools)),
    after: (rows, connection) => loaded(rows, { ...loading, isFirst, source, connection }, tools),
  };
}

/** The rows that a query finds, as a table of the same name. */
function onlyThese(draft: Draft, table: DrizzleTable, tools: Tools): Fragment {
  const columns = [...table.columns.values()].map((each) => raw(columnName(each, tools)));
  const text = textOf({ ...draft, columns }, tools.dialect);
  return sequence("(", text, `) AS ${quoteName(table.alias ?? table.name, tools)}`);
}

/** True if at most one row is asked for, by a key. */
function isOneByKey(
  table: DrizzleTable,
  options: Options,
  source: SourceRange,
  tools: Tools,
): boolean {
  const where = options.get("where");
  const equated = where ? equatedIn(optionValue(where, table, source, tools)) : [];
  return isUnique(table, equated);
}

function isUnique(
  { columns, primaryKey, uniqueKeys }: DrizzleTable,
  names: readonly string[],
): boolean {
  const single = [...columns.values()];
  const keys = single.filter(({ isKey }) => isKey).map(({ name = "" }) => name);
  const all = [
    primaryKey,
    keys,
    ...single.filter(({ unique }) => unique !== undefined).map(({ name = "" }) => [name]),
    ...uniqueKeys.map((each) => each.columns),
  ];
  return all.some((key) => key.length > 0 && key.every((each) => names.includes(each)));
}

/** A relation that is loaded along. */
interface Load {
  readonly property: string;
  readonly path: string;
  readonly relation: DrizzleRelation;
  /** The other table under the name that it is joined by. */
  readonly table: DrizzleTable;
  readonly options: Options;
  /** The condition that joins it; absent: it is read by a statement of its own. */
  readonly on?: Fragment;
  readonly orderBy: readonly Fragment[];
  readonly columns: readonly (readonly [property: string, text: Fragment])[];
  readonly nested: readonly Load[];
}

interface Loading {
  readonly table: DrizzleTable;
  readonly loads: readonly Load[];
}

function loadingOf(
  table: DrizzleTable,
  options: Options,
  source: SourceRange,
  tools: Tools,
  isOne: boolean,
): Loading {
  let hasMany = !isOne;
  const go = (outer: DrizzleTable, asked: Options, prefix: string): readonly Load[] =>
    [...optionsIn(asked.get("with"), "what is loaded along with rows", source, tools)].flatMap(
      ([property, value]): readonly Load[] => {
        if (value.kind === "undefined" || constantScalar(value) === false) return [];
        const relation = relationOf(outer, property, tools);
        const inner =
          constantScalar(value) === true ? new Map<string, Value>() : tools.fields(value);
        if (!relation || !inner) {
          tools.lose(`the relation ${property} that is loaded with it is not followed`, source);
          return [];
        }
        const path = `${prefix}${property}`;
        const isPart = ["limit", "offset", "extras"].some((name) => inner.has(name));
        const isFitting = relation.isMany
          ? !hasMany && prefix === ""
          : isUnique(relation.target, relation.theirs);
        const isJoined = isFitting && !isPart;
        if (!isJoined && prefix !== "") {
          tools.lose(`the relation ${property} that is loaded with it is not followed`, source);
          return [];
        }
        if (isJoined) hasMany ||= relation.isMany;
        const joinedAs = aliasTable(relation.target, `${outer.alias ?? outer.name}_${property}`);
        const { where, orderBy, fields } = tableOptions(joinedAs, inner, source, tools);
        const equal = relation.own.map((own, at) => raw(`${columnText(outer, own, tools)} = ${columnText(joinedAs, relation.theirs[at] ?? "", tools)}`)); // prettier-ignore
        const entries = fields ? [...(tools.fields(fields) ?? [])] : [...joinedAs.columns].map(([name, each]) => [name, tools.handle("column", each)] as const); // prettier-ignore
        const columns = entries.map(([name, each]) => [name, fragment(each, tools)] as const);
        const load: Load = {
          property,
          path,
          relation,
          table: joinedAs,
          options: inner,
          orderBy,
          columns,
          nested: isJoined ? go(joinedAs, inner, `${path}.`) : [],
          ...(isJoined && { on: allOf([...equal, ...where]) }),
        };
        return [load];
      },
    );
  return { table, loads: go(table, options, "") };
}

function columnText({ name: table, alias }: DrizzleTable, name: string, tools: Tools): string {
  return columnName({ name, table: alias ?? table }, tools);
}

function joinsOf(load: Load, tools: Tools): readonly Fragment[] {
  if (!load.on) return [];
  const join = sequence("LEFT JOIN ", tableText(load.table, tools), " ON ", load.on);
  return [join, ...load.nested.flatMap((each) => joinsOf(each, tools))];
}

/** The result's column that is NULL where nothing belongs to a row. */
const thereOf = ({ path }: Load): string => `there:${path}`;

function outputsOf(load: Load, tools: Tools): readonly Fragment[] {
  const own = load.columns.map(([name, text]) => sequence(text, ` AS ${quoteName(`${load.path}.${name}`, tools)}`)); // prettier-ignore
  const isThere = columnText(load.table, load.relation.theirs[0] ?? "", tools);
  const there = raw(`${isThere} AS ${quoteName(thereOf(load), tools)}`);
  return [...own, there, ...load.nested.flatMap((each) => outputsOf(each, tools))];
}

function partOf(load: Load, tools: Tools): RowPart {
  return {
    property: load.property,
    prefix: `${load.path}.`,
    renamed: new Map(load.columns.map(([name]) => [name, `${load.path}.${name}`])),
    isThere: thereOf(load),
    relatedTo: relatedOf(load.nested, tools),
  };
}

/** The parts of a row by the names of what was joined. */
function relatedOf(loads: readonly Load[], tools: Tools): Map<string, (row: RowValue) => Value> {
  return new Map(
    loads.map((each) => [each.property, (row: RowValue) => joinedTo(row, each, tools)] as const),
  );
}

function joinedTo(row: RowValue, load: Load, tools: Tools): Value {
  const part = partOf(load, tools);
  if (!load.relation.isMany) return partOfRow(row, part);
  const all = tools.rows(row.result, columnsOfPart(row.columns, part));
  if (all.kind !== "rows") return all;
  const isThere = (of: RowValue): Expression => ({
    kind: "not",
    operand: { kind: "isNull", operand: fieldExpression(of, thereOf(load)) },
  });
  return tools.those(all, isThere);
}

interface Loaded extends Loading {
  readonly isFirst: boolean;
  readonly source: SourceRange;
  readonly connection: Connection | undefined;
}

/** The rows with what was loaded along. */
function loaded(rows: Value, { loads, ...of }: Loaded, tools: Tools): Value {
  if (rows.kind !== "rows") return rows;
  const relatedTo = relatedOf(loads.filter(({ on }) => on !== undefined), tools); // prettier-ignore
  for (const each of loads) {
    if (each.on !== undefined) continue;
    const apart = readApart(rows, each, of, tools);
    if (apart) relatedTo.set(each.property, apart);
  }
  return { ...rows, columns: { ...rows.columns, relatedTo } };
}

/** Reads the rows that belong to all rows at once; what of them belongs to each. */
function readApart(
  rows: RowsValue,
  { property, relation, options }: Load,
  { table, isFirst, source, connection }: Omit<Loaded, "loads">,
  tools: Tools,
): ((row: RowValue) => Value) | undefined {
  const [own, theirs] = [relation.own, relation.theirs].map(([name, ...more]) => (more.length === 0 ? name : undefined)); // prettier-ignore
  const key = keyCalled(table, own);
  const back = keyCalled(relation.target, theirs);
  const isSection = options.has("limit") || options.has("offset");
  const isRead = key !== undefined && rows.columns.order.includes(key);
  if (
    !isRead ||
    back === undefined ||
    theirs === undefined ||
    (isSection && !isFirst) ||
    options.has("columns")
  ) {
    // prettier-ignore
    tools.lose(`the relation ${property} that is loaded with it is not followed`, source);
    return undefined;
  }
  tools.lose(`${property} are read by a statement of their own, which joins them in truth`, source); // prettier-ignore
  const column = columnText(relation.target, theirs, tools);
  const all: Value = { kind: "derived", from: rows, how: "map", by: tools.handle("field", { property: key }) }; // prettier-ignore
  const one = fieldExpression({ ...rows, kind: "row", at: "first", overlay: new Map() }, key);
  const among = isFirst ? sequence(`${column} = `, valueFragment(scalar(one))) : memberOfList(column, all, tools); // prettier-ignore
  const query = queryOf({ table: relation.target, options, isFirst: false, source, among }, tools);
  const found = runQuery(tools.handle("query", query, connection), query, tools);
  if (found.kind !== "rows") return undefined;
  const belongs =
    (row: RowValue) =>
    (other: RowValue): Expression =>
      compare("=", fieldExpression(other, back), fieldExpression(row, key));
  if (!relation.isMany) return (row) => tools.firstOf(found, belongs(row));
  return (row) => (isFirst ? found : tools.those(found, belongs(row)));
}

/** The code's name for a column. */
function keyCalled({ columns }: DrizzleTable, name: string | undefined): string | undefined {
  return [...columns].find(([, each]) => each.name === name)?.[0];
}

/** A column that is taken of a row, of handles of the path "field". */
export function fieldHandle(
  data: unknown,
  row: Value | undefined,
  tools: Tools,
): Value | undefined {
  const property = typeof data === "object" && data !== null && "property" in data ? data.property : undefined; // prettier-ignore
  return row && typeof property === "string" ? tools.member(row, property) : undefined;
}
