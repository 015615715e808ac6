// Helpers of the tests that read whole programs.
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { SqlParsers } from "../../../../server/src/frontend/sql/parsers";
import type { Program } from "../../../../server/src/program/program";
import type { FileId } from "../../../../server/src/protocol/source";
import { renderCommand } from "./render";

/** The program of files by name. */
export function programOf(
  files: Readonly<Record<string, string>>,
  parsers: SqlParsers = {},
): Program {
  // Any text will do for an opaque file name.
  const sources = Object.entries(files).map(([name, text]) => ({ file: name as FileId, text }));
  return readProgram(sources, parsers);
}

/** Transactions as text: a line with name, boundary, parameters and level, then the body. */
export function describeTransactions(program: Program): readonly string[] {
  return program.transactions.flatMap((transaction) => {
    const parameters = transaction.parameters.map(({ name, type }) => `${name} ${type}`).join(", ");
    const level = transaction.level === undefined ? "" : ` @ ${transaction.level.name}`;
    return [`${transaction.id} (${parameters})${level}`, ...renderCommand(transaction.body, "  ")];
  });
}

/** Notes as `line:code`, lines counted from 1. */
export function describeNotes(program: Program): readonly string[] {
  return program.notes.map((note) => `${note.source.range.start.line + 1}:${note.code}`);
}
