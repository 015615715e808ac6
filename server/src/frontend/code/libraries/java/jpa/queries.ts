// Queries of JPA: their text, parameters and what they give.
import type { HirMethod } from "../../../hir";
import { constant, scalar, UNDEFINED, unknown, type Value } from "../../../values";
import {
  quoteIdentifier,
  runUnread,
  draftOf,
  raw,
  sequence,
  valueFragment,
  type Fragment,
} from "../../builders/draft";
import type { Call, ClassValue, SqlOutcome, SqlParameters, Tools } from "../../library";
import { modelRows } from "../../orm/statements";
import { requireVersion } from "../../orm/rowVersions";
import { flushUnit, keep, keptByKey, mayFlush, mayKeep } from "../../orm/unitOfWork";
import { rowsOf } from "../../rawSql";
import { entityOf, type JpaModel } from "./entities";
import { translateJpql, type Translated } from "./jpql";
import { enterRow, HIBERNATE, queryLock, tellKept, type Session } from "./session";

export interface Asked {
  readonly text: string;
  readonly isNative: boolean;
  readonly parameter: (name: string) => Value | undefined;
  readonly lock?: string | undefined;
  readonly limit?: Value | undefined;
  readonly offset?: Value | undefined;
}

export interface Answer {
  readonly outcome: SqlOutcome;
  /** Rows of an entity, or of columns. */
  readonly rows: Value;
  /** The only row, where the query asks by a key. */
  readonly row?: Value;
  readonly isOfEntity: boolean;
}

/** The entity that a query names: of those that the classes around it know. */
export function entityNamed(
  name: string,
  scopes: readonly (ClassValue | undefined)[],
  tools: Tools,
): JpaModel | undefined {
  // prettier-ignore
  const short = name.slice(name.lastIndexOf(".") + 1);
  for (const of of scopes) {
    const own = of && entityOf(of, tools);
    if (own && (own.entityName === short || own.name === short || name === "#{#entityName}")) return own; // prettier-ignore
    const found = of && entityOf(of.scope.module.lookup(short), tools);
    if (found) return found;
  }
  return undefined;
}

/** Runs a query. What it is not understood of is a statement of which only its tables are known. */
export function runQuery(
  session: Session,
  asked: Asked,
  scopes: readonly (ClassValue | undefined)[],
): Answer {
  const { tools, connection, source } = session;
  if (asked.isNative) {
    writeBefore(session, undefined);
    const outcome = tools.sql(connection, nativeText(asked), nativeParameters(asked), source);
    const isOfEntity = /^\s*select\s+(?:\w+\.)?\*\s+from\b/iu.test(asked.text);
    return { outcome, rows: isOfEntity ? entities(session, outcome) : rowsOf(outcome, tools), isOfEntity }; // prettier-ignore
  }
  const query = translateJpql(asked.text, {
    entity: (name) => entityNamed(name, [session.model.class, ...scopes], tools),
    parameter: asked.parameter,
    tools,
  });
  if (!query) return unread(session, asked.text);
  writeBefore(session, new Set(query.models.map(({ table }) => table)));
  const outcome = tools.sql(connection, { kind: "text", parts: whole(query, asked, tools) }, {}, source); // prettier-ignore
  if (!query.entity) return { outcome, rows: rowsOf(outcome, tools), isOfEntity: false };
  const own: Session = { ...session, model: query.entity.model };
  const rows = modelRows(own, outcome);
  return { outcome, rows, ...keptRow(own, rows, query, asked.lock), isOfEntity: true };
}

function entities(session: Session, outcome: SqlOutcome): Value {
  const rows = modelRows(session, outcome);
  if (session.keeps && mayKeep(session)) tellKept(session);
  if (session.keeps) keep(session, rows, HIBERNATE);
  return rows;
}

/** Rows that are kept already stay as they were read, whatever the query reads. */
function keptRow(
  session: Session,
  rows: Value,
  { key }: Translated,
  lock: string | undefined,
): Pick<Answer, "row"> {
  const { tools } = session;
  const expression = key && tools.expression(key);
  const known = expression && session.keeps ? keptByKey(session, expression) : undefined;
  if (known) {
    requireVersion(session, tools.firstRow(rows), known);
    return { row: known };
  }
  if (session.keeps && mayKeep(session)) tellKept(session);
  return { row: enterRow(session, rows, { key: expression, mode: lock }) };
}

/** Hibernate writes before a query of what was changed. */
function writeBefore(
  { tools, connection, source, keeps }: Session,
  tables?: ReadonlySet<string>,
): void {
  // prettier-ignore
  if (keeps && mayFlush(tools, connection, tables)) flushUnit(tools, connection, source);
}

function whole(query: Translated, { lock, limit, offset }: Asked, tools: Tools): Fragment {
  const clause = queryLock(lock, tools);
  const isOf = query.hasJoin && query.entity !== undefined && tools.dialect === "postgres";
  const of = isOf ? ` OF ${quoteIdentifier(query.entity.alias, tools.dialect)}` : "";
  return sequence(
    query.text,
    limit ? sequence("LIMIT ", valueFragment(limit), " ") : "",
    offset ? sequence("OFFSET ", valueFragment(offset), " ") : "",
    clause === undefined ? "" : `${clause}${of}`,
  );
}

/** The text with the values of `?1` in it. */
function nativeText({ text, parameter }: Asked): Value {
  const parts = text.split(/('(?:[^']|'')*'|\?\d+)/u).map((part): Fragment => {
    const value = /^\?\d/u.test(part) ? parameter(part.slice(1)) : undefined;
    return value ? valueFragment(value) : raw(part);
  });
  return { kind: "text", parts: sequence(...parts) };
}

function nativeParameters({ parameter }: Asked): SqlParameters {
  return { at: (position) => parameter(String(position)), named: parameter };
}

function unread(session: Session, text: string): Answer {
  const { tools, connection, source, model } = session;
  const verb = /^\s*(update|delete|insert)\b/iu.test(text) ? "update" : "select";
  writeBefore(session, undefined);
  const draft = draftOf(verb, raw(model.table));
  const rows = runUnread(draft, "a query of JPA is not understood", connection, source, tools);
  const count = unknown("how many rows a query changes");
  return { outcome: { kind: verb === "update" ? "change" : "select", count }, rows, isOfEntity: false }; // prettier-ignore
}

/** Result of a method that is declared with a type. */
export function methodResult(
  { function: { returns = "" } }: HirMethod,
  answer: Answer,
  { source }: Call,
  tools: Tools,
): Value {
  const { rows, outcome } = answer;
  if (outcome.kind === "change") return returns === "void" ? UNDEFINED : outcome.count;
  const [, wrapped] = /^(?:[\w.]+\.)?Optional<(.*)>$/su.exec(returns) ?? [];
  if (wrapped !== undefined) {
    const value = single(wrapped, answer, tools);
    return tools.call({ kind: "builtin", name: "Optional.ofNullable" }, [value], source);
  }
  const isMany = /^(?:[\w.]+\.)?(?:List|Set|Collection|Iterable|Stream|Page|Slice|Streamable)<|\[\]$/u.test(returns); // prettier-ignore
  return isMany ? rows : single(returns, answer, tools);
}

function single(type: string, { row, rows, isOfEntity }: Answer, tools: Tools): Value {
  if (row) return row;
  const first = tools.firstRow(rows);
  if (isOfEntity || !SCALARS.test(type)) return first;
  return onlyColumn(first, tools);
}

export function onlyColumn(first: Value, tools: Tools): Value {
  const [name, ...others] = first.kind === "row" ? first.columns.order : [];
  if (name === undefined || others.length > 0) return unknown("the value of a query", [tools.expression(first)]); // prettier-ignore
  return tools.field(first, name);
}

const SCALARS =
  /^(?:int|long|short|byte|boolean|double|float|(?:java\.\w+\.)?(?:Integer|Long|Short|Byte|Boolean|Double|Float|Number|String|BigDecimal|BigInteger|UUID|LocalDate|LocalDateTime|Instant|Date|Timestamp|Object))$/u;

/** True if there is a row. */
export function isThere(rows: Value, tools: Tools): Value {
  return scalar(tools.condition(tools.firstRow(rows)), "bool");
}

export const ONE = constant(1);
