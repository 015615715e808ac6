// From the texts of a project to its program, with what the configuration adds to it.
import { createReader } from "../frontend/sql/readProgram";
import type { ProgramReader } from "../frontend/sql/readProgram";
import type { SqlParsers } from "../frontend/sql/parsers";
import type { Note, Program, Transaction } from "../program/program";
import type { FileId } from "../protocol/source";
import type { Configuration } from "../workspace/configuration";
import { nearestNames } from "../workspace/nearest";
import type { Project } from "../workspace/projects";

/** What reading needs of a project. */
export type ProjectTexts = Pick<Project, "files" | "context" | "configuration">;

/** Reads projects again and again; files that did not change are not parsed a second time. */
export interface ProjectReader {
  /**
   * The program of a project's files. Files of the context are read only where a table's declaration is missing;
   * their own transactions and notes are left out. Never throws for bad input.
   */
  read(project: ProjectTexts): Program;
}

/** A reader that remembers the last few projects. */
export function createProjectReader(parsers: SqlParsers): ProjectReader {
  const readers = new Map<string, { readonly alone: ProgramReader; readonly all: ProgramReader }>();
  return {
    read: (project) => {
      const key = [...project.files, ...project.context].map(({ file }) => file).join("\n");
      const own = readers.get(key) ?? { alone: createReader(parsers), all: createReader(parsers) };
      readers.delete(key);
      readers.set(key, own);
      for (const oldest of readers.keys()) if (readers.size > MOST_PROJECTS) readers.delete(oldest);
      const alone = own.alone.read(project.files);
      const incomplete = alone.schema.tables.some((table) => table.inferred);
      const program =
        incomplete && project.context.length > 0 ? readInContext(project, own.all) : alone;
      return configured(program, project.configuration);
    },
  };
}

const MOST_PROJECTS = 16;

/** Remarks on names in the configuration that no transaction of the program has. */
export function configurationRemarks(
  program: Program,
  configuration: Configuration,
): readonly string[] {
  const known = [...new Set(program.transactions.flatMap((each) => [each.name, each.id]))];
  const levels = Object.keys(configuration.transactionLevels);
  const distinct = configuration.distinct.map((rule) => rule.transaction);
  const unknown = [...new Set([...levels, ...distinct])].filter((name) => !known.includes(name));
  return unknown.map((name) => {
    const near = nearestNames(name, known);
    const hint =
      near.length > 0 ? `; did you mean ${near.map((each) => `"${each}"`).join(", ")}?` : "";
    return `the configuration names the transaction "${name}", which does not occur${hint}`;
  });
}

/** Texts without any of this lend no tables and need not be read. */
const DECLARES = /\b(?:create|alter)\s+(?:\w+\s+){0,3}table\b|\bcreate\s+unique\s+index\b/iu;

function readInContext(project: ProjectTexts, reader: ProgramReader): Program {
  const asked = new Set<FileId>(project.files.map((each) => each.file));
  const program = reader.read([
    ...project.files,
    ...project.context.filter(({ text }) => DECLARES.test(text)),
  ]);
  const isAsked = (of: { readonly source: Note["source"] }): boolean => asked.has(of.source.file);
  return {
    ...program,
    transactions: program.transactions.filter(isAsked),
    notes: program.notes.filter(isAsked),
    files: program.files.filter((file) => asked.has(file)),
  };
}

function configured(program: Program, configuration: Configuration): Program {
  const { transactionLevels, distinct } = configuration;
  if (Object.keys(transactionLevels).length === 0 && distinct.length === 0) return program;
  return {
    ...program,
    transactions: program.transactions.map((each) => configuredTransaction(each, configuration)),
  };
}

function configuredTransaction(
  transaction: Transaction,
  { transactionLevels, distinct }: Configuration,
): Transaction {
  const level = transactionLevels[transaction.id] ?? transactionLevels[transaction.name];
  const rules = distinct.filter(
    (rule) => rule.transaction === transaction.id || rule.transaction === transaction.name,
  );
  const isParameter = (name: string): boolean =>
    transaction.parameters.some((parameter) => parameter.name === name);
  const preconditions = rules
    .filter((rule) => isParameter(rule.left) && isParameter(rule.right))
    .map((rule) => ({
      kind: "comparison" as const,
      operator: "<>" as const,
      left: { kind: "parameter" as const, name: rule.left },
      right: { kind: "parameter" as const, name: rule.right },
    }));
  return {
    ...transaction,
    preconditions: [...transaction.preconditions, ...preconditions],
    // What stands in the code itself is nearer to the code's author than a file elsewhere.
    ...(level && !transaction.level && { level: { name: level.name, from: "configuration" } }),
  };
}
