// TypeORM's query builders: statements put together call by call over entities by their aliases.
import { kindGuard } from "../kindGuard";
import {
  constantText,
  UNDEFINED,
  type Connection,
  type HandleValue,
  type Value,
} from "../../values";
import {
  allOf,
  draftOf,
  either,
  valueFragment,
  namesIn,
  quoteIdentifier,
  raw,
  runDraft,
  joinFragments,
  sequence,
  type Draft,
  type Fragment,
} from "../builders/draft";
import { isMutable, mutableQuery, queryIn, type QueryKind } from "../builders/mutableQuery";
import type { Call, Tools } from "../library";
import { traverse } from "../../traverse";
import { columnOf, keysOf, roleOf, type Model } from "../orm/model";
import { withParameters } from "../orm/parameters";
import {
  modelRows,
  runInsert,
  runUnknownWrite,
  runUpdate,
  type Columns,
  type Place,
} from "../orm/statements";
import { rowsOf } from "../rawSql";
import { entityOf } from "./entities";
import { lockText } from "./find";
import { columnsSet, conflictText, runSoftDelete } from "./save";
import { tellSubscribers } from "./subscribers";
import { softDeletion, whereOf } from "./where";

export interface Query {
  readonly kind: "query";
  readonly verb: Draft["verb"] | "softDelete";
  readonly model?: Model;
  readonly alias: string;
  readonly aliases: ReadonlyMap<string, Model>;
  readonly parameters: ReadonlyMap<string, Value>;
  /** Columns, joins, conditions and order as written, with `alias.property` and `:name` in them. */
  readonly columns: readonly { readonly text: Fragment; readonly as?: string }[];
  readonly joins: readonly Fragment[];
  readonly where: readonly Fragment[];
  readonly groupBy: readonly Fragment[];
  readonly having: readonly Fragment[];
  readonly orderBy: readonly Fragment[];
  readonly limit?: Value;
  readonly offset?: Value;
  readonly lock?: string;
  readonly withDeleted?: boolean;
  readonly set?: Columns;
  readonly rows?: readonly Columns[];
  readonly conflict?: Fragment;
  readonly returning?: readonly string[];
  /** The part of it that is not understood. */
  readonly lost?: string;
  readonly source: Call["source"];
}

export const isQuery = kindGuard<Query>("query");

/** A builder that has nothing but its entity. */
export function startQuery(
  model: Model | undefined,
  alias: string | undefined,
  source: Call["source"],
): Query {
  const name = alias ?? model?.name ?? "";
  return {
    kind: "query",
    verb: "select",
    ...(model && { model }),
    alias: name,
    aliases: new Map(model ? [[name, model]] : []),
    parameters: new Map(),
    columns: [],
    joins: [],
    where: [],
    groupBy: [],
    having: [],
    orderBy: [],
    source,
  };
}

/** A method of a builder: the builder with what the call adds; undefined where it is not known. */
export function extendBuilder(
  query: Query,
  method: string,
  call: Call,
  place: Omit<Place, "model">,
): Query | undefined {
  const { tools } = place;
  const [first, second, third] = call.arguments;
  const values = (value: Value | undefined): Query["parameters"] =>
    new Map([...query.parameters, ...((value && tools.fields(value)) ?? [])]);
  const entity = (value: Value | undefined, alias: Value | undefined): Query => {
    const model = entityOf(value, tools) ?? query.model;
    const name = constantText(alias) ?? (query.alias === "" ? (model?.name ?? "") : query.alias);
    const aliases = model ? new Map([...query.aliases, [name, model]]) : query.aliases;
    return { ...query, ...(model && { model }), alias: name, aliases };
  };
  switch (method) {
    case "select":
    case "addSelect": {
      const texts = namesIn(first, tools);
      const as = constantText(second);
      const added = texts.map((text) => ({ text: raw(text), ...(as !== undefined && { as }) }));
      const before = method === "select" ? [] : query.columns;
      return { ...query, verb: "select", columns: [...before, ...added] };
    }
    case "from":
    case "into":
      return entity(first, second);
    case "update": {
      const next = entity(first, undefined);
      const changes = entityOf(first, tools) ? second : first;
      return { ...next, verb: "update", ...setIn(next, changes, place) };
    }
    case "insert":
      return { ...query, verb: "insert" };
    case "delete":
    case "softDelete":
      return { ...query, verb: method };
    case "set":
      return { ...query, ...setIn(query, first, place) };
    case "values":
      return first && { ...query, ...rowsIn(query, first, place) };
    case "where":
    case "andWhere":
    case "orWhere": {
      const made = conditionOf(query, first, place, call);
      if (!made) return undefined;
      const where =
        method === "where" || query.where.length === 0
          ? made.where
          : method === "andWhere"
            ? [...query.where, ...made.where]
            : [sequence("(", allOf(query.where), ") OR (", allOf(made.where), ")")];
      const parameters = new Map([...values(second), ...made.parameters]);
      return { ...query, where, parameters };
    }
    case "whereInIds": {
      const [key] = query.model ? keysOf(query.model) : [];
      const items = first && tools.items(first);
      if (!key || !items) return undefined;
      const list = sequence(
        `${query.alias}.${key.column} IN (`,
        joinFragments(items.map(valueFragment), ", "),
        ")",
      );
      return { ...query, where: [...query.where, list] };
    }
    case "setParameter": {
      const name = constantText(first);
      if (name === undefined || !second) return undefined;
      return { ...query, parameters: new Map([...query.parameters, [name, second]]) };
    }
    case "setParameters":
      return { ...query, parameters: values(first) };
    case "orderBy":
    case "addOrderBy": {
      const fields = first && tools.fields(first);
      const entries = fields
        ? [...fields]
        : first
          ? [[constantText(first) ?? "", second ?? UNDEFINED] as const]
          : [];
      const parts = entries.map(([name, direction]) =>
        raw(`${name}${/^desc/iu.test(constantText(direction) ?? "") ? " DESC" : ""}`),
      );
      const before = method === "orderBy" ? [] : query.orderBy;
      return { ...query, orderBy: [...before, ...parts] };
    }
    case "groupBy":
    case "addGroupBy":
      return { ...query, groupBy: [...query.groupBy, ...namesIn(first, tools).map(raw)] };
    case "having":
    case "andHaving":
      if (first?.kind !== "text") return undefined;
      return { ...query, having: [...query.having, first.parts], parameters: values(second) };
    case "take":
    case "limit":
      return first && first.kind !== "undefined" ? { ...query, limit: first } : query;
    case "skip":
    case "offset":
      return first && first.kind !== "undefined" ? { ...query, offset: first } : query;
    case "setLock": {
      const lock = lockText(constantText(first), tools);
      return lock === undefined ? undefined : { ...query, lock };
    }
    case "setOnLocked": {
      const word = constantText(first) === "nowait" ? "NOWAIT" : "SKIP LOCKED";
      return { ...query, lock: `${query.lock ?? "FOR UPDATE"} ${word}` };
    }
    case "leftJoin":
    case "innerJoin":
    case "leftJoinAndSelect":
    case "innerJoinAndSelect": {
      const joined = join(query, method, first, constantText(second), third, tools);
      return joined && { ...joined, parameters: values(call.arguments[3]) };
    }
    case "returning":
      return { ...query, returning: namesIn(first, tools) };
    case "orIgnore":
      return { ...query, conflict: raw(" ON CONFLICT DO NOTHING") };
    case "orUpdate": {
      const targets = namesIn(second, tools);
      if (!query.model || !query.rows || targets.length === 0) return undefined;
      const at: Place = { ...place, model: query.model };
      const overwritten = first && namesIn(first, tools);
      return { ...query, conflict: conflictText(at, targets, query.rows, overwritten) };
    }
    case "withDeleted":
      return { ...query, withDeleted: true };
    case "clone":
    case "cache":
    case "comment":
    case "useTransaction":
    case "updateEntity":
    case "printSql":
      return query;
    default:
      return undefined;
  }
}

function setIn(
  query: Query,
  value: Value | undefined,
  place: Omit<Place, "model">,
): Pick<Query, "set" | "lost"> {
  if (!value || !query.model) return {};
  const fields = place.tools.fields(value);
  const set = fields && columnsSet({ ...place, model: query.model }, fields);
  return set ? { set } : { lost: "what is updated is not known" };
}

function rowsIn(
  query: Query,
  value: Value,
  place: Omit<Place, "model">,
): Pick<Query, "rows" | "lost"> {
  const { model } = query;
  if (!model) return { lost: "the table of an INSERT is not known" };
  const items = place.tools.items(value) ?? [value];
  const rows = traverse(items, (item) => {
    const fields = place.tools.fields(item);
    return fields && columnsSet({ ...place, model }, fields);
  });
  return rows ? { rows } : { lost: "what is inserted is not known" };
}

/** A condition: text, a record, or `new Brackets((qb) => ...)`. */
function conditionOf(
  query: Query,
  value: Value | undefined,
  place: Omit<Place, "model">,
  call: Call,
): Pick<Query, "where" | "parameters"> | undefined {
  const { tools } = place;
  if (!value) return undefined;
  const none: Query["parameters"] = new Map();
  if (value.kind === "text") return { where: [value.parts], parameters: none };
  if (value.kind === "handle" && value.path === "brackets") {
    const callback = value.data;
    const inner = builder({ ...query, where: [] }, place.connection, tools);
    // `brackets` is what keeps its function here.
    tools.call(callback as Value, [inner], call.source);
    const made = isMutable(inner.data) ? queryIn(inner.data, BUILDER_QUERIES, tools) : undefined;
    if (!made || made.where.length === 0) return undefined;
    return { where: [allOf(made.where)], parameters: made.parameters };
  }
  if (value.kind === "function") {
    const inner = builder(startQuery(undefined, undefined, call.source), place.connection, tools);
    const text = tools.call(value, [inner], call.source);
    return text.kind === "text" ? { where: [text.parts], parameters: none } : undefined;
  }
  if (!query.model) return undefined;
  const where = whereOf({ ...place, model: query.model }, value, "compared");
  return where && { where, parameters: none };
}

/** `leftJoin("u.orders", "o")`, `innerJoin(Order, "o", "o.userId = u.id")`. */
function join(
  query: Query,
  method: string,
  what: Value | undefined,
  alias: string | undefined,
  condition: Value | undefined,
  tools: Tools,
): Query | undefined {
  if (alias === undefined) return undefined;
  const { dialect } = tools;
  const word = method.startsWith("left") ? "LEFT JOIN" : "JOIN";
  const named = (model: Model): string =>
    `${word} ${quoteIdentifier(model.table, dialect)} ${quoteIdentifier(alias, dialect)}`;
  const also = condition?.kind === "text" ? condition.parts : undefined;
  const add = (model: Model, on: Fragment): Query => ({
    ...query,
    aliases: new Map([...query.aliases, [alias, model]]),
    joins: [...query.joins, sequence(`${named(model)} ON `, on)],
  });
  const direct = entityOf(what, tools);
  if (direct) return also && add(direct, also);
  const [from = "", property = ""] = (constantText(what) ?? "").split(".");
  const owner = query.aliases.get(from);
  const relation = owner?.relations.find((each) => each.property === property);
  const other = relation?.target();
  const [own] = owner ? keysOf(owner) : [];
  const [key] = other ? keysOf(other) : [];
  if (!relation || !other || !own || !key) return undefined;
  const back = other.relations.find((each) => each.property === relation.inverse)?.column;
  const column = (name: string, at: string): string =>
    `${quoteIdentifier(at, dialect)}.${quoteIdentifier(name, dialect)}`;
  const on =
    relation.column !== undefined
      ? `${column(relation.column, from)} = ${column(key.column, alias)}`
      : back === undefined
        ? undefined
        : `${column(back, alias)} = ${column(own.column, from)}`;
  return on === undefined ? undefined : add(other, sequence(on, ...(also ? [" AND ", also] : [])));
}

const RUNS =
  /^(?:getOne|getOneOrFail|getMany|getCount|getManyAndCount|getRawOne|getRawMany|getExists|execute)$/u;

/** True if a method runs the statement. */
export function isRun(method: string): boolean {
  return RUNS.test(method);
}

/** Runs the statement of a builder. */
export function run(
  query: Query,
  method: string,
  connection: Connection | undefined,
  tools: Tools,
): Value | undefined {
  const { model, source } = query;
  if (!model) return undefined;
  const place: Place = { model, connection, source, tools };
  return query.verb === "select" ? runRead(query, method, place) : runWrite(query, place);
}

function runRead(query: Query, method: string, place: Place): Value | undefined {
  const { tools, connection, source } = place;
  const draft = readDraft(query, method, place);
  const counted = (): Value => {
    const { orderBy: _, limit: __, offset: ___, ...rest } = draft;
    const whole = { ...rest, orderBy: [], columns: [raw("COUNT(*) AS value")] };
    const rows = rowsOf(runDraft(whole, connection, source, tools), tools);
    return tools.member(tools.firstRow(rows), "value");
  };
  if (method === "getCount") return counted();
  const outcome = runDraft(draft, connection, source, tools);
  const isRaw = method.startsWith("getRaw") || method === "execute";
  const rows = isRaw ? rowsOf(outcome, tools) : modelRows(place, outcome);
  switch (method) {
    case "getOne":
    case "getRawOne":
      return tools.firstRow(rows);
    case "getOneOrFail": {
      const row = tools.firstRow(rows);
      tools.require(tools.condition(row), "no entity was found", source);
      return row;
    }
    case "getManyAndCount":
      return tools.list([rows, counted()]);
    case "getExists":
      return { kind: "scalar", expression: tools.condition(tools.firstRow(rows)), type: "bool" };
    default:
      return rows;
  }
}

function readDraft(query: Query, method: string, place: Place): Draft {
  const { tools, model } = place;
  const { dialect } = tools;
  const resolve = (text: Fragment): Fragment => resolved(query, text, place);
  const table = raw(
    `${quoteIdentifier(model.table, dialect)} ${quoteIdentifier(query.alias, dialect)}`,
  );
  const column = (name: string): string =>
    `${quoteIdentifier(query.alias, dialect)}.${quoteIdentifier(name, dialect)}`;
  const isRaw = method.startsWith("getRaw");
  const all = model.columns
    .filter(({ isHidden }) => isHidden !== true)
    .map((each) =>
      raw(
        `${column(each.column)}${isRaw ? ` AS ${quoteIdentifier(`${query.alias}_${each.column}`, dialect)}` : ""}`,
      ),
    );
  const columns = query.columns.flatMap(({ text, as }): readonly Fragment[] => {
    const [only] = text;
    if (only?.kind === "run" && only.run.text === query.alias) return all;
    const path = only?.kind === "run" ? /^\w+\.(\w+)$/u.exec(only.run.text)?.[1] : undefined;
    const own = path === undefined ? undefined : columnOf(model, path)?.column;
    const name = as ?? (isRaw && own !== undefined ? `${query.alias}_${own}` : undefined);
    return [
      sequence(resolve(text), name === undefined ? "" : ` AS ${quoteIdentifier(name, dialect)}`),
    ];
  });
  const deleted = roleOf(model, "deleted");
  const undeleted =
    query.withDeleted === true || !deleted ? [] : [raw(`${column(deleted.column)} IS NULL`)];
  return {
    ...draftOf("select", table),
    columns: columns.length === 0 ? all : columns,
    joins: query.joins.map(resolve),
    where: [...query.where.map(resolve), ...undeleted],
    groupBy: query.groupBy.map(resolve),
    having: query.having.map(resolve),
    orderBy: query.orderBy.map(resolve),
    ...(query.limit && { limit: valueFragment(query.limit) }),
    ...(query.offset && { offset: valueFragment(query.offset) }),
    ...(query.lock !== undefined && query.lock !== "" && { lock: query.lock }),
  };
}

function runWrite(query: Query, place: Place): Value | undefined {
  const { tools } = place;
  if (query.lost !== undefined) {
    runUnknownWrite(place, query.lost);
    return tools.object({});
  }
  tellSubscribers(place, query.verb);
  const where = query.where.map((text) => resolved(query, text, place));
  const result = (count: Value): Value => tools.object({ affected: count });
  switch (query.verb) {
    case "insert": {
      if (!query.rows) return undefined;
      const { made, outcome } = runInsert(place, query.rows, query.conflict);
      const rows = made ?? tools.list([]);
      return tools.object({ identifiers: rows, generatedMaps: rows, raw: rows, affected: outcome.count }); // prettier-ignore
    }
    case "update": {
      if (!query.set) return undefined;
      const set = new Map(
        [...query.set].map(([name, text]) => [name, resolved(query, text, place)]),
      );
      return result(runUpdate(place, set, where).count);
    }
    case "delete": {
      const draft = {
        ...draftOf("delete", raw(quoteIdentifier(place.model.table, tools.dialect))),
        where,
      };
      return result(runDraft(draft, place.connection, place.source, tools).count);
    }
    case "softDelete":
      return result(runSoftDelete(place, [...where, ...softDeletion(place)]).count);
    default:
      return undefined;
  }
}

/** The text with columns for `alias.property` and values for `:name`. */
function resolved(query: Query, text: Fragment, place: Place): Fragment {
  const { dialect } = place.tools;
  const isRead = query.verb === "select";
  const named = text.map((part) => {
    if (part.kind === "hole") return part;
    const changed = part.run.text.replaceAll(
      /'[^']*'|"[^"]*"|\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)/gu,
      (whole, alias: string | undefined, property: string | undefined) => {
        const model = alias === undefined ? undefined : query.aliases.get(alias);
        if (!model || alias === undefined || property === undefined) return whole;
        const relation = model.relations.find((each) => each.property === property)?.column;
        const column = relation ?? columnOf(model, property)?.column;
        if (column === undefined) return whole;
        const own = quoteIdentifier(column, dialect);
        return isRead ? `${quoteIdentifier(alias, dialect)}.${own}` : own;
      },
    );
    if (changed === part.run.text) return part;
    return { ...part, run: { text: changed, start: -1 } };
  });
  return withParameters(named, query.parameters, place.tools);
}

/** Builders' queries are one where they differ in conditions and their parameters alone. */
export const BUILDER_QUERIES: QueryKind<Query> = {
  isQuery,
  phi: (flag, then, otherwise) => {
    const parameters: Query["parameters"] = new Map([...then.parameters, ...otherwise.parameters]);
    return either(flag, { ...then, parameters }, { ...otherwise, parameters });
  },
};

/** A handle of a builder. */
export function builder(
  query: Query,
  connection: Connection | undefined,
  tools: Tools,
): HandleValue {
  return tools.handle("builder", mutableQuery(query, tools), connection);
}
