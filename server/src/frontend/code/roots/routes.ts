// Names of handlers by the frameworks that find them: by the verb and path of the call that they are given to, or by
// the file that they stand in.
import type { FileId } from "../../../protocol/source";
import type { HirExpression, HirModule } from "../hir";
import { constantText, type Value } from "../values";

type HirCall = Extract<HirExpression, { kind: "call" | "new" }>;
type FunctionValue = Extract<Value, { kind: "function" }>;

/** One of a chain of routes, whatever holds the chain: `const app = new Hono().get("/a", f).post("/b", g)`. */
export function isRoute({ callee, arguments: [first] }: HirCall): boolean {
  if (callee.kind !== "member" || first?.value.kind !== "text") return false;
  return VERBS.test(callee.property) && first.value.runs[0]?.text.startsWith("/") === true;
}

const VERBS = /^(?:get|post|put|patch|delete|all|options|head|on)$/u;

/** `app.post("/transfer", ...)` is known as `POST /transfer`. */
export function routeName(
  { callee, arguments: [first] }: HirCall,
  constant: (value: HirExpression) => string | undefined,
): string {
  const verb =
    callee.kind === "member" ? callee.property : callee.kind === "name" ? callee.name : "";
  const path = first?.value.kind === "text" ? constant(first.value) : undefined;
  return path === undefined ? verb : `${verb.toUpperCase()} ${path}`;
}

/** The name of a handler that a method of that name is given: a path, or a record of a route. */
export function handlerName(method: string, args: readonly Value[]): string {
  for (const arg of args) {
    const text = constantText(arg);
    if (text !== undefined) return `${method.toUpperCase()} ${text}`;
    const [verb, path] = ["method", "path"].map((key) =>
      arg.kind === "object" ? constantText(arg.fields.get(key)?.value) : undefined,
    );
    if (verb !== undefined && path !== undefined) return `${verb.toUpperCase()} ${path}`;
  }
  return method;
}

/** The handlers of `app.route({ method: "PUT", url: "/items/:id", handler })` with what they are known as. */
export function routesIn(
  name: string,
  args: readonly Value[],
): readonly { readonly name: string; readonly callee: FunctionValue }[] {
  if (!/(?:^|\.)route$/u.test(name)) return [];
  return args.flatMap((arg) => {
    if (arg.kind !== "object") return [];
    const field = (key: string): Value | undefined => arg.fields.get(key)?.value;
    const callee = field("handler");
    const path = constantText(field("url") ?? field("path"));
    if (callee?.kind !== "function" || path === undefined) return [];
    const verb = constantText(field("method"))?.toUpperCase();
    return [{ name: verb === undefined ? path : `${verb} ${path}`, callee }];
  });
}

const HTTP: ReadonlySet<string> = new Set("GET POST PUT PATCH DELETE HEAD OPTIONS".split(" "));

/**
 * The names by which a framework knows the functions of a file that it finds by the file's place, by their names there: `POST` of
 * `app/api/items/[id]/route.ts` is `POST /api/items/[id]`. Linear in the exports.
 */
export function namesByPlace(file: FileId, { exports }: HirModule): ReadonlyMap<string, string> {
  const place = placeOf(file);
  if (place === undefined) return new Map();
  const names = new Map<string, string>();
  for (const { name, local = name, from } of exports) {
    if (from !== undefined) continue;
    const own = name === "default" ? place.whole : HTTP.has(name) ? place.verb?.(name) : undefined;
    if (own === undefined) continue;
    const before = names.get(local);
    // One function for several verbs.
    names.set(local, before === undefined ? own : `${before.split(" ")[0] ?? ""}|${own}`);
  }
  return names;
}

interface Place {
  /** The name of its default export. */
  readonly whole?: string;
  /** The name of its export of that verb's name. */
  readonly verb?: (verb: string) => string;
}

function placeOf(file: FileId): Place | undefined {
  const segments = file.split("/");
  const base = (segments.pop() ?? "").replace(/\.[cm]?[jt]sx?$/u, "");
  const below = (folder: string): readonly string[] | undefined => {
    const at = segments.lastIndexOf(folder);
    return at === -1 ? undefined : segments.slice(at + 1);
  };
  const path = (parts: readonly string[]): string =>
    // Groups of routes and slots are of no path.
    `/${parts.filter((part) => part !== "index" && !/^(?:\(.*\)|@.*)$/u.test(part)).join("/")}`;
  if (base === "route") {
    const parts = below("app");
    return parts && { verb: (verb) => `${verb} ${path(parts)}` };
  }
  if (base === "+server") {
    const parts = below("routes");
    return parts && { verb: (verb) => `${verb} ${path(parts)}` };
  }
  const pages = below("pages");
  if (pages?.[0] === "api") return { whole: path([...pages, base]) };
  const server = below("server");
  if (server?.[0] !== "api") return undefined;
  const [stem = "", verb] = base.split(".");
  const whole = path([...server, stem]);
  return { whole: verb === undefined ? whole : `${verb.toUpperCase()} ${whole}` };
}
