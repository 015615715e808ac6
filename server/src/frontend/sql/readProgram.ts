// From the texts of a workspace to its program: the entry of the SQL front end.
import type { Note, Program, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Query } from "../../program/statement";
import type { FileId, SourceRange } from "../../protocol/source";
import { unknownColumns } from "./checkNames";
import { inferSchema } from "./inferSchema";
import { createLowering, type StatementLowering } from "./lowerSql";
import { plainPiece } from "./lowering";
import { readNspSchema } from "./nsp/schema";
import type { SqlParsers } from "./parsers";
import type { PgParser } from "./pg/pgParser";
import { readPgSchema, type PgSchemaReading } from "./pg/schema";
import { createCallingLower } from "./pg/scriptCalls";
import { readInvariants } from "./readInvariants";
import { lowerRoutines, readRoutines, routineContext, type Routines } from "./routines";
import { scanFile, type ScannedFile } from "./scanFile";
import { lowerRegion } from "./script";
import { uniqueTransactions } from "./uniqueIds";

export interface SourceFile {
  readonly file: FileId;
  readonly text: string;
}

/** Reads a workspace again and again; what did not change is not scanned or parsed a second time. */
export interface ProgramReader {
  read(files: readonly SourceFile[]): Program;
}

/**
 * The program of the given files: schema over all of them, transactions in order of file and text. Never
 * throws for bad input: what is not understood is noted at its place. Linear in the text.
 */
export function readProgram(files: readonly SourceFile[], parsers: SqlParsers): Program {
  return createReader(parsers).read(files);
}

/** A reader that remembers the files of its last reading by their texts. */
export function createReader(parsers: SqlParsers): ProgramReader {
  let scanned = new Map<FileId, ScannedFile>();
  const lowering = createLowering(parsers);
  return {
    read(files) {
      lowering.nextReading();
      const next = new Map<FileId, ScannedFile>();
      for (const { file, text } of files) {
        const known = scanned.get(file);
        next.set(file, known?.lines.text === text ? known : scanFile(file, text));
      }
      scanned = next;
      return readScanned([...next.values()], lowering);
    },
  };
}

interface Lowering {
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
}

function readScanned(files: readonly ScannedFile[], lowering: StatementLowering): Program {
  const schema = readSchema(files, lowering.pg);
  const declared = schema.tables;
  const routines = readRoutines(files, lowering.pg);
  const lower = (known: readonly Table[]): Lowering =>
    lowerFiles(files, { tables: known, view: schema.view, routines, lowering });
  const first = lower(declared);
  const inferred = inferSchema(first.transactions, lookup(declared));
  const tables = [...declared, ...inferred.tables];
  // With the guessed tables, `*` and unqualified columns resolve.
  const lowered = inferred.tables.length === 0 ? first : lower(tables);
  const table = lookup(tables);
  const unique = uniqueTransactions(lowered.transactions);
  const said = readInvariants(files, unique.transactions, tables, lowering.lower);
  const notes = [
    ...files.flatMap((file) => file.notes),
    ...schema.notes,
    ...routines.notes,
    ...lowered.notes,
    ...inferred.notes,
    ...unique.notes,
    ...said.notes,
    ...unique.transactions.flatMap((each) => unknownColumns(each, table)),
  ];
  return {
    schema: { tables },
    transactions: said.transactions,
    ...(said.invariants.length > 0 && { invariants: said.invariants }),
    notes: inOrder(notes, files),
    files: files.map((file) => file.lines.file),
  };
}

function readSchema(files: readonly ScannedFile[], pg: PgParser | undefined): PgSchemaReading {
  const pieces = files.flatMap(({ lines, ddl }) =>
    ddl.map(({ start, end }) => plainPiece(lines, start, end)),
  );
  if (pg !== undefined) return readPgSchema(pieces, pg);
  return { ...readNspSchema(pieces), view: () => undefined };
}

function lookup(tables: readonly Table[]): (name: string) => Table | undefined {
  const byName = new Map(tables.map((table) => [table.name, table] as const));
  return (name) => byName.get(name);
}

interface Surroundings {
  readonly tables: readonly Table[];
  readonly view: PgSchemaReading["view"];
  readonly routines: Routines;
  readonly lowering: StatementLowering;
}

function lowerFiles(files: readonly ScannedFile[], around: Surroundings): Lowering {
  const { lower: lowerSql, pg } = around.lowering;
  const notes: Note[] = [];
  const table = lookup(around.tables);
  const view = (name: string): Query | undefined => around.view(name, table);
  const note = (added: Note): void => {
    notes.push(added);
  };
  const context =
    pg === undefined ? undefined : routineContext(around.routines, { pg, table, view, note });
  const calling = context === undefined ? lowerSql : createCallingLower(lowerSql, context);
  const scripts = files.flatMap(({ lines, regions }) =>
    regions.map(({ region, name }) => {
      // A call alone is the transaction that its routine is already.
      const lower = region.boundary === "autocommit" ? lowerSql : calling;
      return lowerRegion(region, name, { lines, table, view, lowerSql: lower, note });
    }),
  );
  const called = context === undefined ? [] : lowerRoutines(around.routines, context);
  return { transactions: inOrder([...called, ...scripts], files), notes };
}

/** Sorted by file and place; what stands at the same place keeps its order. */
function inOrder<Placed extends { readonly source: SourceRange }>(
  placed: readonly Placed[],
  files: readonly ScannedFile[],
): readonly Placed[] {
  const order = new Map(files.map((file, at) => [file.lines.file, at] as const));
  return placed.toSorted((a, b) => {
    const file = (order.get(a.source.file) ?? 0) - (order.get(b.source.file) ?? 0);
    const { start: left } = a.source.range;
    const { start: right } = b.source.range;
    return file || left.line - right.line || left.character - right.character;
  });
}
