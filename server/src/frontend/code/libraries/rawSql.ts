// Common parts of libraries that send SQL text: arguments as parameters, outcomes as rows and counts.
import { constantText, unknown, type Connection, type HandleValue, type Value } from "../values";
import { beginsAsSql, type WrittenCall } from "../modules/references";
import type { Call, Shape, SqlOutcome, SqlParameters, Tools } from "./library";

/** True if a value is a text that starts as SQL does. */
export function startsAsSql(value: Value | undefined): boolean {
  if (value?.kind === "choice") return startsAsSql(value.then) || startsAsSql(value.otherwise);
  if (value?.kind !== "text") return false;
  const [first] = value.parts;
  const text = constantText(value) ?? (first?.kind === "run" ? first.run.text : "");
  return beginsAsSql(text);
}

/** The items of an argument that is a list of parameters; an item that is not known leaves its place unknown. */
export function parametersIn(value: Value | undefined, tools: Tools): SqlParameters {
  if (value === undefined) return {};
  const items = tools.items(value);
  if (items) return { positional: items };
  const fields = tools.fields(value);
  if (fields) return { named: (name) => fields.get(name) };
  return { rest: unknown("a parameter of a list that is not known", [tools.expression(value)]) };
}

/** The rows of an outcome; of a statement without rows, an empty list. */
export function rowsOf(outcome: SqlOutcome, tools: Tools): Value {
  return outcome.choice ?? outcome.rows ?? tools.list([]);
}

/** A receiver that is called as a connection is, and of which nothing else is known. */
export function shapedConnection(
  { receiver, name, method, arguments: args, used }: Shape,
  options: {
    readonly library: string;
    readonly methods: ReadonlySet<string>;
    readonly path: (isPool: boolean) => string;
  },
  tools: Tools,
): HandleValue | undefined {
  if (!options.methods.has(method) || !startsAsSql(args[0])) return undefined;
  if (used.size > 0 && !used.has(options.library)) return undefined;
  if (receiver.kind === "handle" || receiver.kind === "object") return undefined;
  const last = name.split(".").at(-1) ?? name;
  const isPool = /pool|^db$|database|^sql$/iu.test(last);
  const connection: Connection = {
    id: `${receiver.kind === "input" ? "given" : "shaped"}:${name}`,
    isPool,
    ...(isPool && { mayBeOne: true }),
    ...(!isPool && receiver.kind === "input" && { isGiven: true }),
  };
  return tools.handle(`${options.path(isPool)}.${method}`, undefined, connection);
}

/** True if a call may be one that `shapedConnection` knows, by how it is written. */
export function asksConnection(
  { method, object, first }: WrittenCall,
  methods: ReadonlySet<string>,
): boolean {
  return object !== "" && methods.has(method) && (first === "sql" || first === "other");
}

/** The first argument as SQL text: itself, or the `text`/`sql` of a record, with its `values` or `args`. */
export function queryOf(
  call: Call,
  tools: Tools,
): { readonly text: Value; readonly parameters: SqlParameters } {
  const [first, second] = call.arguments;
  const fields = first && tools.fields(first);
  const text = fields?.get("text") ?? fields?.get("sql");
  if (fields && text) {
    const values = fields.get("values") ?? fields.get("args") ?? second;
    return { text, parameters: parametersIn(values, tools) };
  }
  return {
    text: first ?? { kind: "undefined" },
    parameters: parametersIn(second, tools),
  };
}
