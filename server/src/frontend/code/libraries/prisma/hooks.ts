// Hooks around the operations of a client: `$extends({ query: { model: { async update({ args, query }) {...} } } })`
// and middleware. Functions of an extension run around each operation that they are for.
import type { PrismaModel } from "../../../schema/prisma/model";
import { textOf, UNDEFINED, type HandleValue, type Value } from "../../values";
import { callsOf, type Call, type Tools } from "../library";
import { aboutOf, passesParametersOn, passesQueryOn } from "./passThrough";

/** The functions of extensions around a client's operations, outermost first, and what is not known of them. */
export interface Hooks {
  /** The `query` part of each extension. */
  readonly queries: readonly Value[];
  readonly losses: readonly string[];
  /** Other servers answer what is read outside of transactions. */
  readonly isReplicated?: boolean;
}

/** Result of `@prisma/extension-read-replicas`. */
export const READ_REPLICAS = "readReplicas()";

/** The operations that it has replicas answer. */
const REPLICATED: ReadonlySet<string> = new Set(
  "findFirst findFirstOrThrow findMany findUnique findUniqueOrThrow groupBy aggregate count".split(" "), // prettier-ignore
);
const REPLICA = "a replica may answer this, which may be behind";

const UNKNOWN_EXTENSION = "what an extension of the client does to queries is not known";
const MIDDLEWARE = "what middleware ($use) does to queries is not known";

/** Extensions of others that change no query. */
const HARMLESS = /^(?:withAccelerate|withOptimize)\b/u;

/** The hooks of a client that is extended; undefined where the extension gives it none. */
export function extendedBy(
  before: Hooks | undefined,
  extension: Value,
  tools: Tools,
): Hooks | undefined {
  const { queries, losses } = before ?? { queries: [], losses: [] };
  if (extension.kind === "handle" && extension.path === READ_REPLICAS) {
    return { queries, losses, isReplicated: true };
  }
  if (extension.kind === "external" && HARMLESS.test(extension.name)) return before;
  const fields = tools.fields(extension);
  if (!fields) return { ...before, queries, losses: [...losses, UNKNOWN_EXTENSION] };
  const query = fields.get("query");
  if (!query || query.kind === "undefined") return before;
  return { ...before, queries: [...queries, query], losses };
}

/** An operation that hooks stand around. */
export interface HookedOperation {
  /** Undefined: of the client itself (`$queryRaw`). */
  readonly model?: PrismaModel;
  readonly name: string;
  readonly isInTransaction: boolean;
  readonly args: Value | undefined;
  readonly source: Call["source"];
  /** The operation itself, as it is asked for in the end. */
  readonly run: (args: Value | undefined, losses: readonly string[]) => Value;
  /** The function that a hook calls to go on. */
  readonly asQuery: (run: (args: Value | undefined) => Value) => HandleValue;
}

/** Runs an operation with what stands around it. */
export function runWithHooks(
  hooks: Hooks | undefined,
  hooked: HookedOperation,
  tools: Tools,
): Value {
  const { model, name, source } = hooked;
  const losses = [...(hooks?.losses ?? [])];
  const around: Value[] = [];
  for (const query of hooks?.queries ?? []) {
    const those = hooksFor(query, hooked, tools);
    if (those) around.push(...those);
    else losses.push(UNKNOWN_EXTENSION);
  }
  losses.push(...middlewareLosses(hooked, tools));
  if (hooks?.isReplicated === true && !hooked.isInTransaction && REPLICATED.has(name)) {
    losses.push(REPLICA);
  }
  const goOn = (args: Value | undefined, [hook, ...inner]: readonly Value[]): Value => {
    if (!hook) return hooked.run(args, losses);
    const given = tools.object({
      args: copied(args ?? UNDEFINED, tools),
      query: hooked.asQuery((next) => goOn(next, inner)),
      model: model ? textOf(model.name) : UNDEFINED,
      operation: textOf(name),
    });
    return tools.settle(tools.call(hook, [given], source));
  };
  return goOn(hooked.args, around);
}

/** The functions of an extension that run around an operation, without those that pass it on as it is. */
function hooksFor(
  query: Value,
  { model, name }: HookedOperation,
  tools: Tools,
): readonly Value[] | undefined {
  const parts = tools.fields(query);
  if (!parts) return undefined;
  const found: (Value | undefined)[] = [];
  const places = model ? [firstLower(model.name), "$allModels"] : [];
  for (const place of places) {
    const part = parts.get(place);
    if (!part || part.kind === "undefined") continue;
    const own = tools.fields(part);
    if (!own) return undefined;
    found.push(own.get(name), own.get("$allOperations"));
  }
  if (!model) found.push(parts.get(name));
  found.push(parts.get("$allOperations"));
  const hooks = found.filter((each) => each !== undefined && each.kind !== "undefined");
  if (hooks.some((each) => each.kind !== "function")) return undefined;
  return hooks.filter((each) => each.kind !== "function" || !passesQueryOn(each.function));
}

function firstLower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** The client gives its hooks a copy of what it is asked for. */
function copied(value: Value, tools: Tools): Value {
  if (value.kind === "undefined") return tools.object({});
  if (value.kind !== "object" || value.class) return value;
  const parts = [...value.fields].map(([name, { value: part }]) => {
    const isRecord = part?.kind === "object";
    return [name, isRecord ? copied(part, tools) : (part ?? UNDEFINED)] as const;
  });
  const copy = tools.object(Object.fromEntries(parts));
  return copy.kind === "object" && value.rest ? { ...copy, rest: value.rest } : copy;
}

const MIDDLEWARE_CALLS = callsOf("$use");

/** Middleware runs around the operations of every client that it was told to, which is taken to be all of them. */
function middlewareLosses({ model, name }: HookedOperation, tools: Tools): readonly string[] {
  const calls = tools.declared(MIDDLEWARE_CALLS);
  const isAbout = calls.some(({ arguments: [middleware] }) => {
    if (middleware?.kind !== "function") return middleware !== undefined;
    if (passesParametersOn(middleware.function)) return false;
    const about = aboutOf(middleware.function);
    return !about || about.some((each) => matches(each, model?.name, name));
  });
  return isAbout ? [MIDDLEWARE] : [];
}

function matches(
  about: { readonly model?: string; readonly action?: string },
  model: string | undefined,
  action: string,
): boolean {
  const isModel = about.model === undefined || about.model === model;
  return isModel && (about.action === undefined || about.action === action);
}
