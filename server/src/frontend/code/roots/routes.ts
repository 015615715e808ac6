// Names of handlers as frameworks find them: by the verb and path of the call that they are passed to, or by their file.
import type { FileId } from "../../../protocol/source";
import type { HirExpression, HirModule } from "../hir";
import { constantText, type Value } from "../values";

type HirCall = Extract<HirExpression, { kind: "call" | "new" }>;
type FunctionValue = Extract<Value, { kind: "function" }>;

/** One of a chain of routes, wherever the chain is stored: `const app = new Hono().get("/a", f).post("/b", g)`. */
export function isRoute({ callee, arguments: [first] }: HirCall): boolean {
  if (callee.kind !== "member" || first?.value.kind !== "text") return false;
  return VERBS.test(callee.property) && first.value.runs[0]?.text.startsWith("/") === true;
}

const VERBS = /^(?:get|post|put|patch|delete|all|options|head|on)$/u;

/** `app.post("/transfer", ...)` is called `POST /transfer`. */
export function routeName(
  { callee, arguments: [first] }: HirCall,
  constant: (value: HirExpression) => string | undefined,
): string {
  const verb =
    callee.kind === "member" ? callee.property : callee.kind === "name" ? callee.name : "";
  const path = first?.value.kind === "text" ? constant(first.value) : undefined;
  return path === undefined ? verb : `${verb.toUpperCase()} ${path}`;
}

/** The name of a handler that is passed to a method: a path, or a route record. */
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

/** The handlers of `app.route({ method: "PUT", url: "/items/:id", handler })` with their names. */
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
 * The names of functions that a framework finds by their file's path, by export: `POST` of `app/api/items/[id]/route.ts` is `POST
 * /api/items/[id]`. Linear in the exports.
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
    // Route groups and slots do not appear in the path.
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
