// Methods of query builders as rows: which part of the statement a call adds to, and how its arguments are read.
import type { Value } from "../../values";
import type { Call, Tools } from "../library";
import { joinFragments, raw, sequence, type Draft, type Fragment } from "./draft";

/** One call of a builder. */
export interface Step extends Call {
  readonly method: string;
  readonly tools: Tools;
}

/** Part of a statement by the arguments of a call; undefined where it is not known. */
export type Reader<Part> = (step: Step, draft: Draft) => Part | undefined;

/** The query with what a call adds; undefined where it is not known. */
export type Method<Query> = (query: Query, step: Step) => Query | undefined;

type DraftMethod = <Query extends { readonly draft: Draft }>(
  query: Query,
  step: Step,
) => Query | undefined;

type ListPart = "columns" | "joins" | "where" | "groupBy" | "having" | "orderBy" | "returning";

/** Rows by the names of methods, of which several may stand in one. */
export function methods<Query>(
  rows: Readonly<Record<string, Method<Query>>>,
): ReadonlyMap<string, Method<Query>> {
  return new Map(
    Object.entries(rows).flatMap(([names, row]) =>
      names.split(" ").map((name) => [name, row] as const),
    ),
  );
}

/** Reads the first argument alone. */
export function argument<Part>(
  read: (value: Value, tools: Tools) => Part | undefined,
): Reader<Part> {
  return ({ arguments: [value], tools }) => value && read(value, tools);
}

export const keeps: DraftMethod = (query) => query;

/** Changes parts of the statement. */
export function puts(read: Reader<Partial<Draft>>): DraftMethod {
  return (query, step) => {
    const change = read(step, query.draft);
    return change && { ...query, draft: { ...query.draft, ...change } };
  };
}

/** Adds to a list of the statement. */
export function addsAll(
  part: ListPart,
  read: Reader<readonly Fragment[]>,
  more: Partial<Draft> = {},
): DraftMethod {
  return puts((step, draft) => {
    const added = read(step, draft);
    return added && { ...more, [part]: [...draft[part], ...added] };
  });
}

/** Adds one item to a list of the statement. */
export function adds(part: ListPart, read: Reader<Fragment>): DraftMethod {
  return addsAll(part, (step, draft) => {
    const added = read(step, draft);
    return added && [added];
  });
}

export function clears(part: ListPart): DraftMethod {
  return puts(() => ({ [part]: [] }));
}

export function drops(part: "limit" | "offset"): DraftMethod {
  return (query) => {
    const { [part]: _, ...draft } = query.draft;
    return { ...query, draft };
  };
}

/** `limit` and `offset`. */
export function bounds(read: Reader<Fragment>): DraftMethod {
  return puts((step, draft) => {
    const many = read(step, draft);
    return many && { [step.method]: many };
  });
}

/** `forUpdate(...)` of the tables that are named. */
export function locks(read: Reader<readonly string[]>): DraftMethod {
  return puts((step, draft) => {
    const tables = read(step, draft);
    const words = step.method.replaceAll(/(?=[A-Z])/gu, " ").toUpperCase();
    return tables && { lock: `${words}${tables.length > 0 ? ` OF ${tables.join(", ")}` : ""}` };
  });
}

/** `skipLocked()`, `noWait()`. */
export const waits: DraftMethod = puts(({ method }, { lock = "FOR UPDATE" }) => ({
  lock: `${lock} ${/^nowait$/iu.test(method) ? "NOWAIT" : "SKIP LOCKED"}`,
}));

/** `union`, `unionAll`, `intersect`, `except` with other queries. */
export function compounds(read: Reader<readonly Fragment[]>): DraftMethod {
  return puts((step, draft) => {
    const word = step.method === "unionAll" ? "UNION ALL" : step.method.toUpperCase();
    const parts = read(step, draft)?.map((each) => sequence(`${word} `, each));
    return parts && { compound: joinFragments(draft.compound ? [draft.compound, ...parts] : parts, " ") }; // prettier-ignore
  });
}

/** `with(name, query)`: the words before the query, and the query. */
export function prefixed(
  before: Fragment | undefined,
  isRecursive: boolean,
  head: string,
  query: Fragment,
): Fragment {
  const start = before ? sequence(before, ", ") : raw(isRecursive ? "WITH RECURSIVE " : "WITH ");
  return sequence(start, `${head} AS (`, query, ")");
}
