// From the texts of a workspace to its program: the entry of the SQL front end.
import type { Note, Program, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { FileId } from "../../protocol/source";
import { unknownColumns } from "./checkNames";
import { inferSchema } from "./inferSchema";
import { createLowering } from "./lowerSql";
import { rangeOf, type LineIndex } from "./lines";
import { plainPiece } from "./lowering";
import { readNspSchema, type SchemaReading } from "./nsp/schema";
import type { SqlParsers } from "./parsers";
import { scanFile, type ScannedFile } from "./scanFile";
import { lowerRegion } from "./script";
import type { LowerSql } from "./scriptState";
import type { Span } from "./split";
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
      return readScanned([...next.values()], lowering.lower);
    },
  };
}

interface Lowering {
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
}

function readScanned(files: readonly ScannedFile[], lowerSql: LowerSql): Program {
  const schema = readSchema(files);
  const declared = schema.tables;
  const first = lowerFiles(files, declared, lowerSql);
  const inferred = inferSchema(first.transactions, lookup(declared));
  const tables = [...declared, ...inferred.tables];
  // With the guessed tables, `*` and unqualified columns resolve.
  const lowered = inferred.tables.length === 0 ? first : lowerFiles(files, tables, lowerSql);
  const table = lookup(tables);
  const unique = uniqueTransactions(lowered.transactions);
  const notes = [
    ...files.flatMap((file) => file.notes),
    ...schema.notes,
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
  lowerSql: LowerSql,
): Lowering {
  const notes: Note[] = [];
  const transactions: Transaction[] = [];
  const table = lookup(tables);
  const note = (added: Note): void => {
    notes.push(added);
  };
  for (const { lines, regions, routines } of files) {
    for (const routine of routines) note(unreadRoutine(lines, routine));
    for (const { region, name } of regions) {
      transactions.push(lowerRegion(region, name, { lines, table, lowerSql, note }));
    }
  }
  return { transactions, notes };
}

function unreadRoutine(lines: LineIndex, routine: Span): Note {
  const header = lines.text.slice(routine.start, routine.end).split(/\r?\n/, 1)[0] ?? "";
  const source = rangeOf(lines, routine.start, routine.start + header.length);
  const message = "This routine was left out: PostgreSQL's parser could not be loaded.";
  return { severity: "warning", code: "routine-unread", message, source };
}

function inOrder(notes: readonly Note[], files: readonly ScannedFile[]): readonly Note[] {
  const order = new Map(files.map((file, at) => [file.lines.file, at] as const));
  return notes.toSorted((a, b) => {
    const file = (order.get(a.source.file) ?? 0) - (order.get(b.source.file) ?? 0);
    const { start: left } = a.source.range;
    const { start: right } = b.source.range;
    return file || left.line - right.line || left.character - right.character;
  });
}
