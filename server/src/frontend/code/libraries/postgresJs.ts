// postgres.js: the tagged template that is the connection, and `sql.begin`.
import {
  constantText,
  UNDEFINED,
  unknown,
  type Connection,
  type HandleValue,
  type TextPart,
  type Value,
} from "../values";
import {
  valueFragment,
  givenList,
  quoteIdentifier,
  raw,
  joinFragments,
  sequence,
  type Fragment,
} from "./builders/draft";
import { driver } from "./driver";
import type { Call, Template, Tools } from "./library";
import { rowsOf } from "./rawSql";
import { allOrNone } from "./ownConnection";
import { splicedText } from "./splices";

/** A part of a query: a template that is not awaited, or what `sql(...)` makes of names, rows and lists. */
type Part =
  | { readonly kind: "fragment"; readonly text: Value }
  | { readonly kind: "helper"; readonly values: readonly Value[] };

const isPart = (data: unknown): data is Part =>
  typeof data === "object" &&
  data !== null &&
  "kind" in data &&
  (data.kind === "fragment" || data.kind === "helper");

function partOf(value: Value): Part | undefined {
  const data = value.kind === "deferred" || value.kind === "handle" ? value.data : undefined;
  return isPart(data) ? data : undefined;
}

/** The text with its parts spelled out. */
function whole(parts: Fragment, tools: Tools): Value {
  return splicedText({ kind: "text", parts }, (value, before): Value | undefined => {
    const own = partOf(value);
    if (own?.kind !== "helper") return own?.text;
    return { kind: "text", parts: helped(own.values, before, tools) };
  });
}

/** A query that runs when it is awaited, and is a part of another one where it stands in that. */
function query({ connection }: HandleValue, { text, source }: Template, tools: Tools): Value {
  const data: Part = { kind: "fragment", text };
  const parts = text.kind === "text" ? text.parts : valueFragment(text);
  const run = (): Value => {
    const list = listIn(parts, tools);
    if (list) return insertEach(connection, parts, list, source, tools);
    const outcome = tools.sql(connection, whole(parts, tools), {}, source);
    if (outcome.kind !== "change") return rowsOf(outcome, tools);
    // A result is its rows and says how many there were.
    return outcome.rows ?? tools.object({ count: outcome.count });
  };
  return { kind: "deferred", data, run };
}

/** Rows to insert that are not known one by one. */
function listIn(parts: Fragment, tools: Tools): Value | undefined {
  for (const part of parts) {
    const made = part.kind === "hole" ? partOf(part.value) : undefined;
    const [first] = made?.kind === "helper" ? made.values : [];
    if (first?.kind === "derived" || first?.kind === "rows") return first;
    if (first?.kind === "list" && !tools.items(first)) return first;
  }
  return undefined;
}

/** One row after the other, all or none of them. */
function insertEach(
  connection: Connection | undefined,
  parts: Fragment,
  list: Value,
  source: Call["source"],
  tools: Tools,
): Value {
  allOrNone(connection, source, tools, (own) => {
    tools.each(list, source, (item) => {
      const single = parts.map((part): TextPart => {
        const made = part.kind === "hole" ? partOf(part.value) : undefined;
        if (made?.kind !== "helper" || made.values[0] !== list) return part;
        const data: Part = { kind: "helper", values: [item, ...made.values.slice(1)] };
        return { kind: "hole", value: tools.handle("part", data) };
      });
      tools.sql(own, whole(single, tools), {}, source);
    });
  });
  return unknown("the rows that a list inserts");
}

/** Meaning of `sql(...)` behind that text. */
function helped(values: readonly Value[], before: string, tools: Tools): Fragment {
  const [first = UNDEFINED, ...names] = values;
  const { dialect } = tools;
  const name = constantText(first);
  if (name !== undefined) return raw(quoteIdentifier(name, dialect));
  const items = tools.members(first);
  const [row] = items ?? [first];
  if (/\bin\s*$/iu.test(before)) {
    return sequence(
      "(",
      items ? joinFragments(items.map(valueFragment), ", ") : givenList(first),
      ")",
    );
  }
  const fields = row && tools.fields(row);
  const named = names.flatMap(
    (each) =>
      constantText(each) ?? tools.items(each)?.flatMap((one) => constantText(one) ?? []) ?? [],
  );
  const columns = named.length > 0 ? named : [...(fields?.keys() ?? [])];
  if (columns.length === 0) {
    const texts = items?.map(constantText) ?? [];
    const isNames = texts.length > 0 && texts.every((each) => each !== undefined);
    return isNames
      ? raw(texts.map((each) => quoteIdentifier(each, dialect)).join(", "))
      : valueFragment(first);
  }
  if (/\b(?:set|update)\s*$/iu.test(before) || /\bset\b[^;]*,\s*$/iu.test(before)) {
    const set = columns.map((column) =>
      sequence(
        `${quoteIdentifier(column, dialect)} = `,
        valueFragment(tools.member(first, column)),
      ),
    );
    return joinFragments(set, ", ");
  }
  const tuples = (items ?? [first]).map((each) =>
    sequence(
      "(",
      joinFragments(
        columns.map((column) => valueFragment(tools.member(each, column))),
        ", ",
      ),
      ")",
    ),
  );
  const list = columns.map((column) => quoteIdentifier(column, dialect)).join(", ");
  return sequence(`(${list}) VALUES `, joinFragments(tuples, ", "));
}

const LEVEL = /isolation\s+level\s+((?:read|repeatable)\s+\w+|serializable)/iu;

/** `sql.begin([options,] async (sql) => ...)`. */
function begin({ arguments: [first, second], source }: Call, tools: Tools): Value {
  const work = second ?? first;
  if (!work) return UNDEFINED;
  const options = second && constantText(first);
  const level = second && options === undefined ? "" : LEVEL.exec(options ?? "")?.[1];
  const connection = tools.connection(false);
  return tools.inTransaction(connection, { source, ...(level !== undefined && { level }) }, () =>
    tools.settle(tools.call(work, [tools.handle("sql", undefined, connection)], source)),
  );
}

export const POSTGRES_JS = driver(
  {
    name: "postgres",
    modules: ["postgres"],
    clients: {
      sql: { kind: "pool", types: ["Sql"], made: ["postgres"] },
      transaction: { kind: "connection", as: "sql", types: ["TransactionSql"] },
    },
    methods: {
      "sql: unsafe": { kind: "sql", result: "rows" },
      "sql: savepoint": { kind: "scope", client: "sql", isTransaction: true, isNested: true },
      "sql: json": { kind: "argument" },
      "sql: end": { kind: "nothing" },
    },
  },
  {
    imported: (name) => (name === "default" ? undefined : UNDEFINED),
    tagged: (handle, template, tools) =>
      handle.path === "sql" ? query(handle, template, tools) : undefined,
    call: ({ path }, call, tools) => {
      if (path === "sql.begin") return begin(call, tools);
      const data: Part = { kind: "helper", values: call.arguments };
      return path === "sql" ? tools.handle("part", data) : undefined;
    },
  },
);
