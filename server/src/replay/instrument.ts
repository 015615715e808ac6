// A routine of the user's with gates: calls before the statements that a witness names, at which it can be stopped. The
// text stays the user's own otherwise, so the server runs the user's own control flow.
import type { SqlParsers } from "../frontend/sql/parsers";
import type { Block, PlStatement } from "../frontend/sql/pg/plTree";
import { parsePlBody } from "../frontend/sql/pg/plParser";
import { readDefinition, type RoutineDefinition } from "../frontend/sql/pg/routineDefinition";
import type { ScannedFile } from "../frontend/sql/scanFile";
import { positionAt } from "../frontend/sql/lines";
import type { Position } from "../protocol/source";

/** A routine as it is created on the server. */
export interface Instrumented {
  readonly definition: RoutineDefinition;
  readonly sql: string;
  /** The places of its gates in the file, by their numbers. */
  readonly gates: ReadonlyMap<number, Position>;
  /** The number of the gate before the statement that holds the place; undefined if there is none. */
  gateOf(place: Position): number | undefined;
}

/** The routines of a file; `gate` gives the text of a gate's call by its number, which is unique in the file. */
export function instrumentRoutines(
  file: ScannedFile,
  parsers: SqlParsers,
  places: readonly Position[],
  gate: (number: number) => string,
): readonly Instrumented[] {
  const { pg } = parsers;
  if (!pg) return [];
  return file.routines.flatMap((slice): Instrumented[] => {
    const result = readDefinition({ lines: file.lines, ...slice }, pg);
    return result.ok ? [instrument(result.definition, places, gate)] : [];
  });
}

function instrument(
  definition: RoutineDefinition,
  places: readonly Position[],
  gate: (number: number) => string,
): Instrumented {
  const { lines, span } = definition;
  const statements = definition.language === "plpgsql" ? statementsOf(definition) : [];
  const innermost = (place: Position): number | undefined =>
    statements.findLast(({ from, to }) => !isBefore(place, from) && isBefore(place, to))?.start;
  const starts = places.map(innermost).filter((start) => start !== undefined);
  const gated = [...new Set(starts)].sort((a, b) => a - b);
  let sql = "";
  let at = span.start;
  for (const start of gated) {
    sql += `${lines.text.slice(at, start)}${gate(start)} `;
    at = start;
  }
  sql += lines.text.slice(at, span.end);
  return {
    definition,
    sql,
    gates: new Map(gated.map((start) => [start, positionAt(lines, start)])),
    gateOf: innermost,
  };
}

interface Statement {
  /** In the file. */
  readonly start: number;
  readonly from: Position;
  readonly to: Position;
}

/** All statements of a body, each before those inside of it. */
function statementsOf({ body, lines }: RoutineDefinition): readonly Statement[] {
  const { block } = parsePlBody(body.text);
  const found: Statement[] = [];
  const visitBlock = (inner: Block): void => {
    inner.body.forEach(visit);
    for (const handler of inner.handlers) handler.body.forEach(visit);
  };
  function visit(statement: PlStatement): void {
    const start = body.toFile(statement.span.start);
    const end = body.toFile(statement.span.end);
    if (statement.kind !== "block")
      found.push({ start, from: positionAt(lines, start), to: positionAt(lines, end) });
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
  if (block) visitBlock(block);
  return found;
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
