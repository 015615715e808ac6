// Options of Drizzle's relational queries: `{ where, orderBy, columns, extras }`, of the table that is read.
import type { SourceRange } from "../../../../protocol/source";
import { constantScalar, constantText, unknown, type Value } from "../../values";
import type { Tools } from "../library";
import { quoteName } from "../orm/statements";
import { valueFragment, quoteIdentifier, sequence, type Fragment } from "./draft";
import { conditionOf, fragment, isPart, partValue } from "./drizzleParts";
import type { DrizzleTable } from "./drizzleTables";

export type Options = ReadonlyMap<string, Value>;

/** The options that a value holds; that they are not known is said, and there are none then. */
export function optionsIn(
  value: Value | undefined,
  what: string,
  source: SourceRange,
  tools: Tools,
): Options {
  const isGiven = value !== undefined && value.kind !== "undefined";
  const options = isGiven ? tools.fields(value) : undefined;
  if (isGiven && !options) tools.lose(`${what} is not known`, source, "opaque");
  return options ?? new Map<string, Value>();
}

const HELPERS =
  "eq ne gt gte lt lte like ilike notLike notIlike and or not isNull isNotNull inArray notInArray between notBetween exists notExists desc asc sql".split(
    " ",
  );

/** The value of an option, or what it gives of the table. */
export function optionValue(
  value: Value,
  table: DrizzleTable,
  source: SourceRange,
  tools: Tools,
): Value {
  if (value.kind !== "function") return value;
  const helpers = Object.fromEntries(HELPERS.map((name) => [name, tools.handle(name)]));
  return tools.call(value, [tools.handle("table", table), tools.object(helpers)], source);
}

/** The place of a query: the table that it reads, and where it stands. */
interface Asked {
  readonly table: DrizzleTable;
  readonly source: SourceRange;
  readonly tools: Tools;
}

interface Said {
  readonly where: readonly Fragment[];
  readonly orderBy: readonly Fragment[];
  /** The columns that are asked for by name; absent: all. */
  readonly fields?: Value;
}

/** The options of one table. What is not understood is said. */
export function tableOptions(
  table: DrizzleTable,
  options: Options,
  source: SourceRange,
  tools: Tools,
): Said {
  const [where, order, extras] = ["where", "orderBy", "extras"].map((name) => {
    const option = options.get(name);
    return option && optionValue(option, table, source, tools);
  });
  const asked: Asked = { table, source, tools };
  const condition =
    where && conditionOf(partOrUnknown(where, "a condition that is not known", tools), tools);
  const orders = order && order.kind !== "undefined" ? (tools.items(order) ?? [order]) : [];
  const fields = withExtras(columnsAsked(options.get("columns"), asked), extras, asked);
  return {
    where: condition ? [renamed(condition, table, tools)] : [],
    orderBy: orders
      .flatMap((each) => ordersIn(each, asked))
      .map((each) => renamed(each, table, tools)),
    ...(fields && { fields }),
  };
}

/** SQL as it is; a record or an argument in its place is not what a column holds. */
function partOrUnknown(value: Value, why: string, tools: Tools): Value {
  if (value.kind === "choice") {
    const [then, otherwise] = [value.then, value.otherwise].map((each) => partOrUnknown(each, why, tools)); // prettier-ignore
    return then && otherwise ? { ...value, then, otherwise } : value;
  }
  const isPlain = value.kind === "handle" || value.kind === "undefined";
  if (isPlain || constantScalar(value) !== undefined) return value;
  return partValue(valueFragment(unknown(why, [tools.expression(value)])), tools);
}

/** `desc(t.id)`, or `{ id: "desc" }`. */
function ordersIn(value: Value, { table, tools }: Asked): readonly Fragment[] {
  const why = "an order that is not known";
  const record = value.kind === "object" ? tools.fields(value) : undefined;
  if (!record) return [fragment(partOrUnknown(value, why, tools), tools)];
  return [...record].flatMap(([name, how]) => {
    if (how.kind === "undefined") return [];
    const column = table.columns.get(name);
    const direction = constantText(how);
    const isKnown = column && (direction === "asc" || direction === "desc");
    if (!isKnown) return [valueFragment(unknown(why, [tools.expression(how)]))];
    const text = fragment(tools.handle("column", column), tools);
    return [direction === "desc" ? sequence(text, " DESC") : text];
  });
}

/** The columns with SQL that is asked for beside them: `extras: { n: sql`...` }`. */
function withExtras(
  columns: Value | undefined,
  extras: Value | undefined,
  { table, source, tools }: Asked,
): Value | undefined {
  const record = optionsIn(extras, "what is asked for beside columns", source, tools);
  if (record.size === 0) return columns;
  const own = columns ? (tools.fields(columns) ?? []) : columnValues(table, tools);
  const more = [...record].flatMap(([name, option]): readonly (readonly [string, Value])[] => {
    const value = optionValue(option, table, source, tools);
    if (value.kind === "handle" && isPart(value.data)) {
      return [[name, partValue(renamed(value.data.text, table, tools), tools)]];
    }
    tools.lose(`what ${name} is that is asked for beside columns is not known`, source, "opaque");
    return [];
  });
  return tools.object(Object.fromEntries([...own, ...more]));
}

function columnValues(
  { columns }: DrizzleTable,
  tools: Tools,
): readonly (readonly [string, Value])[] {
  return [...columns].map(([name, each]) => [name, tools.handle("column", each)]);
}

/** Columns that were named by the table are those of its other name. */
function renamed(text: Fragment, { name, alias }: DrizzleTable, tools: Tools): Fragment {
  if (alias === undefined) return text;
  const [before, after] = [
    `${quoteIdentifier(name, tools.dialect)}.`,
    `${quoteName(alias, tools)}.`,
  ];
  return text.map((part) =>
    part.kind === "run"
      ? { ...part, run: { ...part.run, text: part.run.text.replaceAll(before, after) } }
      : part,
  );
}

/** `columns: { id: true }`, or those that are left with `{ secret: false }`. What may be asked for is taken to be. */
function columnsAsked(
  columns: Value | undefined,
  { table, source, tools }: Asked,
): Value | undefined {
  const asked = columns && tools.fields(columns);
  const flags = [...(asked ?? [])].filter(([, { kind }]) => kind !== "undefined");
  const isUnknown = columns?.kind !== "undefined" && !asked;
  const isOpen = flags.some(([, each]) => typeof constantScalar(each) !== "boolean");
  if (columns && (isUnknown || isOpen)) {
    tools.lose("which columns a relational query reads is not known", source);
  }
  if (!asked) return undefined;
  const said = new Map(flags.map(([name, each]) => [name, constantScalar(each)]));
  const isChosen = [...said.values()].includes(true);
  const isRead = (name: string): boolean => said.get(name) !== false && (!isChosen || said.has(name)); // prettier-ignore
  return tools.object(
    Object.fromEntries(columnValues(table, tools).filter(([name]) => isRead(name))),
  );
}
