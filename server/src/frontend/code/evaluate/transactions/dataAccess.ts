// Objects that reach the database by ways that are not read: repositories of frameworks, data access objects, mappers.
// They are told by their declared types, so that a function which calls one does not look as if it did nothing.
import type { HandleValue, Value } from "../../values";
import { unknown } from "../../values";
import { readsOf } from "../values/convert";
import { emitStatement } from "../sql/emitStatement";
import { lose, sourceOf, type CallSite, type State } from "../state";
import { semanticsOf } from "../../semantics";
import { isDataAccess, asksByName } from "../../callGraph/dataAccessNames";

/** The value of something that is declared with such a type; undefined for other types. */
export function dataAccess(type: string): Value | undefined {
  const name = type.replace(/^.*\./u, "");
  return isDataAccess(name) ? { kind: "external", name, isDataAccess: true } : undefined;
}

/** Methods that begin transactions of their own: what they are given is not followed. */
const TRANSACTIONS = /^(?:transaction|transactionResult|inTransaction|useTransaction)$/u;

const CONVERTS = /^(?:to|from|as|map|convert|read|write|configure)/u;

const OF_ALL = /^(?:toString|equals|hashCode|getClass)$/u;

/** Result of a call on such an object: a statement of which nothing is known, in a transaction or where its name asks. */
export function callDataAccess(
  state: State,
  type: string,
  args: readonly Value[],
  site: CallSite,
): Value {
  const { name } = site;
  const method = /\w*$/u.exec(name)?.[0] ?? "";
  const why = `what ${name}() does with the database is not known`;
  const reads = args.flatMap((arg) => readsOf(arg));
  const isQuiet = OF_ALL.test(method) || (/Mapper\b/u.test(type) && CONVERTS.test(method));
  if (isQuiet) return unknown(`what ${name}() gives is not known`, reads);
  const source = sourceOf(state, site.span);
  // Spring's repositories commit each call that stands outside of transactions.
  const commits = semanticsOf(state.frame.file).commitsEachCall && asksByName(name);
  const isOpening = TRANSACTIONS.test(method);
  if (state.open.length === 0 && !isOpening && !commits) lose(state, why, source, "opaque");
  else {
    const taint = [why];
    emitStatement(state, undefined, { kind: "opaque", tables: [], writes: true, taint }, source);
  }
  return unknown(why, reads);
}

/**
 * A call of a connection, or of what came from one, that its library does not understand, as of a model whose definition
 * was not found: where its name says that it asks the database, a statement of which nothing is known, so that what
 * calls it is not taken for idle. Returns whether it is one.
 */
export function isUnreadCall(state: State, handle: HandleValue, site: CallSite): boolean {
  const { library, path, connection } = handle;
  if (connection === undefined || site.isNew || !asksByName(path)) return false;
  const why = `${library.name}: ${site.name}() is not understood: its model or its arguments are not known`;
  const source = sourceOf(state, site.span);
  const draft = { kind: "opaque", tables: [], writes: true, taint: [why] } as const;
  emitStatement(state, connection, draft, source);
  return true;
}

/**
 * Says that something of which nothing is known may be a row that saves itself, where its method is one of those of rows
 * and gives a promise.
 */
export function noteUnknownRow(state: State, callee: Value, site: CallSite): void {
  const { libraries, used } = state.workspace;
  const isPromise = site.isAwaited === true || site.isReturned === true;
  if (!isPromise || site.isNew || !isUntyped(callee)) return;
  const method = /\.(\w+)$/u.exec(site.name)?.[1];
  const owner = libraries.find(
    (each) => used.has(each.name) && method !== undefined && each.statementsOfRows?.has(method),
  );
  if (!owner) return;
  const why = `${site.name}() may use the database: what it is called on may be a row of ${owner.name}'s`;
  lose(state, why, sourceOf(state, site.span), "opaque");
}

/** True for methods of arguments without a type, and of what is not known at all. */
function isUntyped(method: Value): boolean {
  if (method.kind === "unknown") return true;
  return method.kind === "input" && (method.ofType === undefined || /^(?:any|unknown)$/u.test(method.ofType)); // prettier-ignore
}
