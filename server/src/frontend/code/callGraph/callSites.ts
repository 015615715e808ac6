// Call sites that are certainly database calls, judging by their syntax alone. The evaluated calls are compared with them, so that no
// missed call goes unreported. Only certain shapes count; `reachability.ts` errs on the other side.
import { ofNode } from "../../../query/nodes";
import type { Span } from "../../sql/text/split";
import type { HirExpression, HirFunction, HirModule, HirStatement, TextRun } from "../hir";
import { originOf } from "../queries/origins";
import { addChildren, isFunction, isNode } from "../nodes";

/** A call as written; the same object as long as its top-level statement has the same text. */
export interface Site {
  /** The callee: `tx.user.create`. */
  readonly name: string;
  /** The enclosing functions, outermost first. */
  readonly functions: readonly HirFunction[];
}

interface PlacedSite {
  readonly site: Site;
  readonly span: Span;
}

/** The database calls in the functions of a module, in order. Linear in its size, and kept across edits. */
export function sitesOf(module: HirModule): Iterable<PlacedSite> {
  return placedSites(module).values();
}

/** The site at a position. */
export function siteAt(module: HirModule, span: Span): Site | undefined {
  return placedSites(module).get(keyOf(span))?.site;
}

const placedSites = ofNode((module: HirModule): ReadonlyMap<string, PlacedSite> => {
  const found = new Map<string, PlacedSite>();
  for (const statement of module.body) {
    const origin = originOf(statement);
    const sites = sitesIn(origin);
    const by = statement.span.start - origin.span.start;
    for (const { site, span } of sites) {
      const place = { start: span.start + by, end: span.end + by };
      found.set(keyOf(place), { site, span: place });
    }
  }
  return found;
});

function keyOf({ start, end }: Span): string {
  return `${String(start)}:${String(end)}`;
}

/** The callee of a call or tagged template, if it certainly is a database. */
export function databaseCall(hir: HirExpression): string | undefined {
  if (hir.kind === "template") {
    return hir.tag && isSql(hir) ? (writtenName(hir.tag) ?? "the template") : undefined;
  }
  if (hir.kind !== "call" || hir.callee.kind !== "member") return undefined;
  if (isOfBuilder(hir.callee, hir.arguments[0]?.value)) return writtenName(hir.callee);
  return isOfDatabase(hir.callee, hir.arguments[0]?.value)
    ? (writtenName(hir.callee) ?? hir.callee.property)
    : undefined;
}

/** True if a call runs SQL text, judging by its name and the text. */
export function runsSql(hir: HirExpression): boolean {
  if (hir.kind !== "call" || hir.callee.kind !== "member") return false;
  const first = hir.arguments[0]?.value;
  return RUNS_SQL.has(hir.callee.property) && first !== undefined && isSql(first);
}

function isOfDatabase(
  { object, property }: Extract<HirExpression, { kind: "member" }>,
  first: HirExpression | undefined,
): boolean {
  if (/^\$(?:transaction|queryRaw|executeRaw)/u.test(property)) return true;
  if (OF_MODELS.has(property) && object.kind === "member") {
    const client = writtenName(object.object)?.split(".").at(-1) ?? "";
    if (CLIENTS.test(client)) return true;
  }
  return RUNS_SQL.has(property) && first !== undefined && isSql(first);
}

/** True if a query builder names a table this way: `db.selectFrom("a")`, `db.insert(a).values(...)`, `knex("a").where(...)`. */
function isOfBuilder(
  { object, property }: Extract<HirExpression, { kind: "member" }>,
  first: HirExpression | undefined,
): boolean {
  if (OF_TABLES.has(property)) return first?.kind === "text";
  if (object.kind !== "call" || object.callee.kind === "call") return false;
  const { callee } = object;
  if (callee.kind === "member" && BEFORE.get(property) === callee.property) {
    const named = property === "from" ? first : object.arguments[0]?.value;
    return named?.kind === "name" || named?.kind === "member";
  }
  const [table] = object.arguments;
  if (OF_QUERIES.has(property) && table?.value.kind === "text" && object.arguments.length === 1) {
    return KNEX.test(writtenName(callee)?.split(".").at(-1) ?? "");
  }
  return false;
}

const OF_TABLES = new Set(["selectFrom", "insertInto", "updateTable", "deleteFrom"]);

/** The preceding part of a chain, by method. */
const BEFORE: ReadonlyMap<string, string> = new Map([
  ["from", "select"],
  ["values", "insert"],
  ["set", "update"],
]);

const KNEX = /^(?:knex|db|tx|trx)$/iu;

const OF_QUERIES = new Set(
  "where select insert update del delete first increment decrement count forUpdate".split(" "),
);

/** Names of Prisma's clients. */
const CLIENTS = /prisma|^(?:tx|trx|db)$/iu;

const OF_MODELS = new Set(
  (
    "findUnique findUniqueOrThrow findFirst findFirstOrThrow findMany create createMany createManyAndReturn " +
    "update updateMany updateManyAndReturn upsert delete deleteMany count aggregate groupBy"
  ).split(" "),
);

const RUNS_SQL = new Set(
  (
    "query execute exec run all get raw unsafe prepare prepareStatement executeQuery executeUpdate queryForObject " +
    "queryForList one none many any oneOrNone manyOrNone"
  ).split(" "),
);

/** SQL as written by people, in contrast to prose: in one case throughout. */
const SQL =
  /^\s*(?:SELECT\s[^]*\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|WITH\s+\S+\s+AS\s|BEGIN\b|START\s+TRANSACTION\b|select\s[^]*\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|with\s+\S+\s+as\s)/u;

function isSql(hir: HirExpression): boolean {
  if (hir.kind === "text") return SQL.test(`${textOf(hir.runs)} `);
  // Interpolated parts count as a name.
  return hir.kind === "template" && SQL.test(`${hir.texts.map(textOf).join("_")} `);
}

function textOf(runs: readonly TextRun[]): string {
  return runs.map(({ text }) => text).join("");
}

/** The path `this.db.user` as written; undefined for anything else. */
function writtenName(hir: HirExpression): string | undefined {
  switch (hir.kind) {
    case "name":
      return hir.name;
    case "this":
      return "this";
    case "typed":
    case "await":
      return writtenName(hir.operand);
    case "member": {
      const object = writtenName(hir.object);
      return object === undefined ? undefined : `${object}.${hir.property}`;
    }
    case "call": {
      const callee = writtenName(hir.callee);
      return callee === undefined ? undefined : `${callee}()`;
    }
    default:
      return undefined;
  }
}

const sitesIn = ofNode((statement: HirStatement): readonly PlacedSite[] => {
  const found: PlacedSite[] = [];
  // Two lists side by side: a pair for each part would be more than all the rest.
  const parts: object[] = [statement];
  const holders: (readonly HirFunction[])[] = [[]];
  for (let part = parts.pop(); part; part = parts.pop()) {
    const functions = holders.pop() ?? [];
    if (isFunction(part)) {
      parts.push([part.parameters, part.body]);
      holders.push([...functions, part]);
      continue;
    }
    if (isExpression(part) && functions.length > 0) {
      const name = databaseCall(part);
      if (name !== undefined) found.push({ site: { name, functions }, span: part.span });
    }
    if (Array.isArray(part)) for (const each of reachable(part)) parts.push(each);
    else addChildren(part, parts);
    while (holders.length < parts.length) holders.push(functions);
  }
  return found.toSorted((a, b) => a.span.start - b.span.start);
});

/** The statements up to the one that always leaves. */
function reachable(parts: readonly unknown[]): readonly object[] {
  const last = parts.findIndex((part) => isNode(part) && "kind" in part && LEAVES.has(part.kind));
  return parts
    .filter(isNode)
    .filter((part, at) => last < 0 || at <= last || ("kind" in part && part.kind === "function"));
}

const LEAVES: ReadonlySet<unknown> = new Set(["return", "throw", "break", "continue"]);

function isExpression(part: object): part is HirExpression {
  return "kind" in part && (part.kind === "call" || part.kind === "template");
}
