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
import type { Call, Library, Template, Tools } from "./library";
import { parametersIn, rowsOf } from "./rawSql";
import { allOrNone } from "./ownConnection";

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

/** A query that runs when it is awaited, and is a part of another one where it stands in that. */
function query(handle: HandleValue, { text, source }: Template, tools: Tools): Value {
  const data: Part = { kind: "fragment", text };
  return {
    kind: "deferred",
    data,
    run: () =>
      runQuery(handle, text.kind === "text" ? text.parts : valueFragment(text), source, tools),
  };
}

function runQuery(
  { connection }: HandleValue,
  parts: Fragment,
  source: Call["source"],
  tools: Tools,
): Value {
  const list = listIn(parts, tools);
  if (list) return insertEach(connection, parts, list, source, tools);
  const outcome = tools.sql(connection, expanded(parts, "", tools), {}, source);
  const rows = rowsOf(outcome, tools);
  if (outcome.kind !== "change") return rows;
  // A result is its rows and says how many there were.
  return outcome.rows ?? tools.object({ count: outcome.count });
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
      tools.sql(own, expanded(single, "", tools), {}, source);
    });
  });
  return unknown("the rows that a list inserts");
}

/** The text with its parts spelled out; one of two texts where the code chose between parts. */
function expanded(parts: Fragment, before: string, tools: Tools): Value {
  const made: TextPart[] = [];
  let text = before;
  for (const [at, part] of parts.entries()) {
    if (part.kind === "run") {
      text += part.run.text;
      made.push(part);
      continue;
    }
    const { value } = part;
    if (value.kind === "choice" && [value.then, value.otherwise].some(partOf)) {
      const rest = parts.slice(at + 1);
      const side = (each: Value): Value =>
        expanded([...made, { kind: "hole", value: each }, ...rest], before, tools);
      return { ...value, then: side(value.then), otherwise: side(value.otherwise) };
    }
    const own = partOf(value);
    if (own?.kind === "fragment") {
      const inner = own.text.kind === "text" ? own.text.parts : valueFragment(own.text);
      return expanded([...made, ...inner, ...parts.slice(at + 1)], before, tools);
    }
    const written = own ? helped(own.values, text, tools) : [part];
    text += " ";
    made.push(...written);
  }
  return { kind: "text", parts: made };
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

/** `sql.begin([options,] async (sql) => ...)`. */
function begin(call: Call, tools: Tools): Value {
  const [first, second] = call.arguments;
  const callback = second ?? first;
  if (!callback) return UNDEFINED;
  const options = second ? constantText(first) : undefined;
  const named = /isolation\s+level\s+((?:read|repeatable)\s+\w+|serializable)/iu;
  const isKnown = !second || options !== undefined;
  const level = isKnown ? named.exec(options ?? "")?.[1] : "";
  const connection = tools.connection(false);
  const inner = tools.handle("sql", undefined, connection);
  const { source } = call;
  return tools.inTransaction(connection, { source, ...(level !== undefined && { level }) }, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

export const POSTGRES_JS: Library = {
  name: "postgres",
  modules: ["postgres"],
  imported: (name) => (name === "default" ? undefined : UNDEFINED),
  typed: (type, tools) => {
    switch (type.replace(/^postgres\./u, "")) {
      case "Sql":
        return tools.handle("sql", undefined, tools.connection(true));
      case "TransactionSql":
        return tools.handle("sql", undefined, tools.connection(false));
      default:
        return undefined;
    }
  },
  tagged: (handle, template, tools) =>
    handle.path === "sql" ? query(handle, template, tools) : undefined,
  call: (handle, call, tools) => {
    switch (handle.path) {
      case "sql": {
        const data: Part = { kind: "helper", values: call.arguments };
        return tools.handle("part", data);
      }
      case "sql.savepoint": {
        const callback = call.arguments.find((each) => each.kind === "function");
        const { connection } = handle;
        if (!callback || !connection) return undefined;
        const { source } = call;
        return tools.inTransaction(connection, { source, isNested: true }, () =>
          tools.settle(tools.call(callback, [tools.handle("sql", undefined, connection)], source)),
        );
      }
      case "postgres":
        return tools.handle("sql", undefined, tools.connection(true));
      case "sql.begin":
        return begin(call, tools);
      case "sql.unsafe": {
        const [text, values] = call.arguments;
        const outcome = tools.sql(
          handle.connection,
          text ?? UNDEFINED,
          parametersIn(values, tools),
          call.source,
        );
        return rowsOf(outcome, tools);
      }
      case "sql.end":
        return UNDEFINED;
      case "sql.json":
        return call.arguments[0] ?? UNDEFINED;
      default:
        return undefined;
    }
  },
};
