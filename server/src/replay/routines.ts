// The routines of a file as a replay needs them, in any language: their parameters, the positions of their statements, and the variables
// that these fill.
import { positionAt, type LineIndex } from "../frontend/sql/text/lines";
import { readDefinition as readMysql } from "../frontend/sql/mysql/definition";
import { readStoredRoutines } from "../frontend/sql/mysql/routines";
import { parseBody } from "../frontend/sql/mysql/parser";
import { partsOf, type RoutineStatement } from "../frontend/sql/mysql/tree";
import type { SqlParsers } from "../frontend/sql/parsers";
import type { Block, PlStatement } from "../frontend/sql/pg/plpgsql/tree";
import { parsePlBody } from "../frontend/sql/pg/plpgsql/parser";
import { readDefinition as readPg } from "../frontend/sql/pg/plpgsql/routineDefinition";
import type { Body } from "../frontend/sql/routine/body";
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { Span } from "../frontend/sql/text/split";
import type { Position } from "../protocol/source";

export interface LiveRoutine {
  readonly name: string;
  readonly isProcedure: boolean;
  /** True if it runs with other statements instead of being called. */
  readonly isTrigger: boolean;
  /** True if its text also names the table that it is a trigger of. */
  readonly isBound?: true;
  /** The place of a body that is one statement without a block. */
  readonly bare?: number;
  readonly arguments: readonly {
    readonly name: string;
    readonly isInput: boolean;
    readonly isOutput: boolean;
  }[];
  readonly lines: LineIndex;
  readonly span: Span;
  /** All statements, each before its inner ones. */
  readonly statements: readonly LiveStatement[];
}

export interface LiveStatement {
  /** Offset in the file. */
  readonly start: number;
  readonly end: number;
  readonly from: Position;
  readonly to: Position;
  /** The variables that it fills from rows, as written. */
  readonly fills: readonly string[];
  /** COMMIT or ROLLBACK ("end"), or the begin of a transaction. */
  readonly control?: "end" | "begin";
}

/** The readable routines of a file. */
export function routinesOf(file: ScannedFile, parsers: SqlParsers): readonly LiveRoutine[] {
  return file.routines.flatMap((slice) => {
    const routine =
      file.dialect === "postgres"
        ? pgRoutine(file.lines, slice, parsers)
        : mysqlRoutine(file, slice);
    return routine ?? [];
  });
}

/** The routines of the files that stand at the end: a trigger of MySQL that is replaced or dropped does not. */
export function standingRoutines(
  files: readonly ScannedFile[],
  parsers: SqlParsers,
): readonly LiveRoutine[] {
  const { triggers } = readStoredRoutines(files.filter(({ dialect }) => dialect !== "postgres"));
  const stands = ({ isBound, lines, span }: LiveRoutine): boolean =>
    isBound !== true ||
    triggers.some(
      ({ definition }) => definition.lines === lines && definition.span.start === span.start,
    );
  return files.flatMap((file) => routinesOf(file, parsers)).filter(stands);
}

function pgRoutine(lines: LineIndex, slice: Span, { pg }: SqlParsers): LiveRoutine | undefined {
  const result = pg && readPg({ lines, ...slice }, pg);
  if (!result?.ok) return undefined;
  const { definition } = result;
  const { name, isProcedure, isTrigger, span, body } = definition;
  const statements = definition.language === "plpgsql" ? plStatements(body) : [];
  return {
    name,
    isProcedure,
    isTrigger,
    arguments: definition.arguments,
    lines,
    span,
    statements: statements.map((each) => {
      const { kind } = each;
      const ends = kind === "commit" || kind === "rollback";
      return placed(body, each.span, plFills(each, body), ends ? "end" : undefined);
    }),
  };
}

function plFills(statement: PlStatement, body: Body): readonly string[] {
  switch (statement.kind) {
    case "sql":
    case "execute":
      return statement.into ? targetsText(body, statement.into.span) : [];
    case "fetch":
      return statement.plain ? statement.targets.map(({ path }) => path.join(".")) : [];
    default:
      return [];
  }
}

function plStatements({ text }: Body): readonly PlStatement[] {
  const found: PlStatement[] = [];
  const visitBlock = (inner: Block): void => {
    inner.body.forEach(visit);
    for (const handler of inner.handlers) handler.body.forEach(visit);
  };
  function visit(statement: PlStatement): void {
    if (statement.kind !== "block") found.push(statement);
    switch (statement.kind) {
      case "block":
        visitBlock(statement.block);
        return;
      case "if":
      case "case":
        for (const branch of statement.branches) branch.body.forEach(visit);
        statement.otherwise?.forEach(visit);
        return;
      case "loop":
        statement.body.forEach(visit);
        return;
      default:
        return;
    }
  }
  const { block } = parsePlBody(text);
  if (block) visitBlock(block);
  return found;
}

/** The value of `ROW_COUNT()` and the like depends on the last statement, so nothing may be inserted between. */
const ASKS_FOR_LAST = /\b(?:row_count|found_rows)\s*\(|\bget\s+(?:\w+\s+)?diagnostics\b/i;

function mysqlRoutine({ lines, dialect }: ScannedFile, slice: Span): LiveRoutine | undefined {
  const result = readMysql(lines, slice, dialect);
  if (result.kind !== "routine" && result.kind !== "trigger") return undefined;
  const { definition } = result;
  const { name, isProcedure, span, body } = definition;
  const isQuiet = !ASKS_FOR_LAST.test(body.text);
  const found: RoutineStatement[] = [];
  const visit = (statement: RoutineStatement): void => {
    if (statement.kind !== "block") found.push(statement);
    partsOf(statement).forEach(visit);
  };
  const { statements } = parseBody(body.text);
  statements.forEach(visit);
  const isBare = statements.every(({ kind }) => kind !== "block");
  const isTrigger = result.kind === "trigger";
  return {
    name,
    isProcedure,
    isTrigger,
    ...(isTrigger && { isBound: true }),
    ...(isBare && { bare: body.toFile(statements[0]?.span.start ?? 0) }),
    arguments: definition.arguments,
    lines,
    span,
    statements: found.map((each) => {
      const fills = isQuiet ? mysqlFills(each, body) : [];
      return placed(body, each.span, fills, mysqlControl(each, body.text));
    }),
  };
}

function mysqlFills(statement: RoutineStatement, body: Body): readonly string[] {
  if (statement.kind === "sql" && statement.into) return targetsText(body, statement.into.span);
  return statement.kind === "fetch" ? statement.targets.map(({ path }) => path.join(".")) : [];
}

function mysqlControl({ kind, span }: RoutineStatement, text: string): "end" | "begin" | undefined {
  if (kind !== "control") return undefined;
  const words = text.slice(span.start, span.end);
  if (/^(?:commit|rollback\s*(?:work\s*)?$)/i.test(words)) return "end";
  return /^(?:start\s+transaction|begin)/i.test(words) ? "begin" : undefined;
}

/** The variables after INTO. */
function targetsText({ text }: Body, { start, end }: Span): readonly string[] {
  const words = text.slice(start, end).replace(/^\s*into\s+(?:strict\s+)?/i, "");
  return words.split(",").map((each) => each.trim());
}

function placed(
  { lines, toFile }: Body,
  span: Span,
  fills: readonly string[],
  control: "end" | "begin" | undefined,
): LiveStatement {
  const [start, end] = [toFile(span.start), toFile(span.end)];
  return {
    start,
    end,
    from: positionAt(lines, start),
    to: positionAt(lines, end),
    fills,
    ...(control && { control }),
  };
}
