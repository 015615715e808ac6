// From the texts of a workspace to its program: the entry of the SQL front end.
import type { Note, Program, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { FileId, SourceRange } from "../../protocol/source";
import { unknownColumns } from "./checkNames";
import { inferSchema } from "./inferSchema";
import { createLowering, type StatementLowering } from "./lowerSql";
import { plainPiece } from "./lowering";
import { readNspSchema, type SchemaReading } from "./nsp/schema";
import type { SqlParsers } from "./parsers";
import { lowerRoutines, readRoutines, type Routines } from "./routines";
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
  const schema = readSchema(files);
  const declared = schema.tables;
  const routines = readRoutines(files, lowering.pg);
  const first = lowerFiles(files, declared, routines, lowering);
  const inferred = inferSchema(first.transactions, lookup(declared));
  const tables = [...declared, ...inferred.tables];
  // With the guessed tables, `*` and unqualified columns resolve.
  const lowered =
    inferred.tables.length === 0 ? first : lowerFiles(files, tables, routines, lowering);
  const table = lookup(tables);
  const unique = uniqueTransactions(lowered.transactions);
  const notes = [
    ...files.flatMap((file) => file.notes),
    ...schema.notes,
    ...routines.notes,
    ...lowered.notes,
    ...inferred.notes,
    ...unique.notes,
    ...unique.transactions.flatMap((each) => unknownColumns(each, table)),
  ];
  return {
    schema: { tables },
    transactions: unique.transactions,
    notes: inOrder(notes, files),
    files: files.map((file) => file.lines.file),
  };
}

function readSchema(files: readonly ScannedFile[]): SchemaReading {
  const pieces = files.flatMap(({ lines, ddl }) =>
    ddl.map(({ start, end }) => plainPiece(lines, start, end)),
  );
  return readNspSchema(pieces);
}

function lookup(tables: readonly Table[]): (name: string) => Table | undefined {
  const byName = new Map(tables.map((table) => [table.name, table] as const));
  return (name) => byName.get(name);
}

function lowerFiles(
  files: readonly ScannedFile[],
  tables: readonly Table[],
  routines: Routines,
  { lower: lowerSql, pg }: StatementLowering,
): Lowering {
  const notes: Note[] = [];
  const table = lookup(tables);
  const note = (added: Note): void => {
    notes.push(added);
  };
  const view = (): undefined => undefined;
  const scripts = files.flatMap(({ lines, regions }) =>
    regions.map(({ region, name }) => lowerRegion(region, name, { lines, table, lowerSql, note })),
  );
  const called = pg === undefined ? [] : lowerRoutines(routines, { pg, table, view, note });
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
