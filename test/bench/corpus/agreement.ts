// Second readings of the same statements: the tables and lock clauses straight from PostgreSQL's tree, and the lowering
// of node-sql-parser's tree, which shares no code with that of PostgreSQL's.
import { lowerWithNsp } from "../../../server/src/frontend/sql/nsp/statement";
import { parseWithNsp } from "../../../server/src/frontend/sql/nsp/parse";
import { createIds, type LoweringContext } from "../../../server/src/frontend/sql/lowering";
import { lowerWithPg } from "../../../server/src/frontend/sql/pg/statement";
import type { PgParser } from "../../../server/src/frontend/sql/pg/pgParser";
import type { Statement } from "../../../server/src/program/statement";
import { renderStatement } from "../../unit/frontend/sql/render";
import { factsOfStatements, factsOfTree, lostLocks, type Facts } from "./facts";
import type { Judged } from "./readCorpus";

export interface Comparison {
  readonly statement: Judged;
  /** The tables of the tree that the AR does not have, or the other way round; undefined where they agree. */
  readonly tables?: string;
  readonly lostLocks: readonly string[];
  readonly locks: number;
  /** How node-sql-parser's lowering compares; undefined where it refuses the statement. */
  readonly light?: {
    readonly agrees: boolean;
    /** Both without loss, so that the whole AR was compared; else tables alone. */
    readonly whole: boolean;
    readonly text: string;
  };
}

/** Compares the readings of one statement; undefined for what is no statement on rows. */
export function compareReadings(statement: Judged, pg: PgParser): Comparison | undefined {
  const { context, what } = statement;
  if (context === undefined || what !== "data" || !ON_ROWS.test(statement.text)) return undefined;
  const parsed = pg.parse(context.piece.sql);
  // Without the routines that it may call, which the text does not tell.
  const full = lowerWithPg({ ...context, ids: createIds("full") }, pg);
  if (!parsed.ok || !full.ok) return undefined;
  const { statements } = full.lowered;
  const tree = factsOfTree(parsed.statements.map(({ node }) => node));
  const program = factsOfStatements(statements);
  const tables = difference(tree, program, context);
  const light = lightReading(context, pg);
  return {
    statement,
    ...(tables === undefined ? {} : { tables }),
    lostLocks: lostLocks(tree, program),
    locks: tree.locks.length,
    ...(light === undefined ? {} : { light }),
  };
}

const ON_ROWS = /^[\s(]*(?:select|insert|update|delete|with|values)\b/i;

/** Views stand for the tables that they read; catalogues of the system count on neither side. */
function difference(tree: Facts, program: Facts, context: LoweringContext): string | undefined {
  const isView = (name: string): boolean =>
    context.table(name) === undefined && context.view?.(name) !== undefined;
  const viewed = [...tree.reads].some(isView);
  const said = (names: ReadonlySet<string>): readonly string[] =>
    [...names].filter((name) => !isView(name) && !isSystem(name)).sort();
  const missing = [
    ...said(tree.reads).filter((name) => !program.reads.has(name)),
    ...said(tree.writes).filter((name) => !program.writes.has(name)),
  ];
  const added = [
    ...(viewed ? [] : [...program.reads].filter((name) => !tree.reads.has(name))),
    ...[...program.writes].filter((name) => !tree.writes.has(name)),
  ];
  if (missing.length + added.length === 0) return undefined;
  return `not in the AR: ${missing.join(" ") || "-"}; in the AR alone: ${added.join(" ") || "-"}`;
}

function isSystem(name: string): boolean {
  return name.startsWith("pg_") || SYSTEM.has(name);
}

const SYSTEM = new Set(
  "tables columns schemata routines table_constraints key_column_usage views".split(" "),
);

/** The light lowering knows no views: to both they are tables here. */
function lightReading(given: LoweringContext, pg: PgParser): Comparison["light"] {
  const { view: _view, ...context } = given;
  const light = lowerWithNsp({ ...context, ids: createIds("light") }, parseWithNsp);
  const again = lowerWithPg({ ...context, ids: createIds("full") }, pg);
  if (!light.ok || !again.ok) return undefined;
  const full = again.lowered.statements;
  const { statements } = light.lowered;
  const whole = [...statements, ...full].every(({ taint }) => taint.length === 0);
  const [left, right] = whole ? [full, statements].map(textOf) : [full, statements].map(tablesText);
  return {
    agrees: left === right,
    whole,
    text: `full:  ${left ?? ""}\n      light: ${right ?? ""}`,
  };
}

function textOf(statements: readonly Statement[]): string {
  return statements.map(renderStatement).join("; ");
}

function tablesText(statements: readonly Statement[]): string {
  const { reads, writes, locks } = factsOfStatements(statements);
  const list = (names: Iterable<string>): string =>
    [...names]
      .filter((name) => !isSystem(name))
      .sort()
      .join(" ");
  return `reads ${list(reads)}, writes ${list(writes)}, locks ${list(locks)}`;
}
