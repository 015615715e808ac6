// From the texts of a project to its program, with the additions of its configuration.
import { relative, sep } from "node:path";
import { codeLanguageOf, type CodeParsers } from "../frontend/code/workspace/codeParsers";
import type { FirstFiles } from "../frontend/code/workspace/readingOrder";
import { withOutsideFunctions } from "../frontend/code/roots/externalFunctions";
import { atOnce, type IsStopped, type SlicedWork } from "../frontend/code/queries/slices";
import {
  createWorkspaceCode,
  type WorkspaceCodeReader,
} from "../frontend/code/workspace/workspaceCode";
import { readConfiguredInvariants } from "../frontend/sql/annotations/readInvariants";
import { createDialectReader } from "../frontend/sql/dialectDetection/dialectsOf";
import type { DialectReader, Indications } from "../frontend/sql/dialectDetection/dialectsOf";
import { variantNotes, withoutVariants } from "../frontend/schema/variants";
import { createReader } from "../frontend/sql/readProgram";
import type { CodeSources, ProgramReader } from "../frontend/sql/readProgram";
import type { SqlParsers } from "../frontend/sql/parsers";
import { atBegin, namedLevel } from "../program/declaredLevel";
import type { Note, Program, Transaction } from "../program/program";
import { defaultLevel, findLevel, isLevelOf } from "../isolation/levels";
import type { Level, PaperLevel } from "../isolation/levels";
import { dialectLabel } from "../program/dialect";
import { ownEntry } from "../protocol/dictionary";
import type { FileId, Range } from "../protocol/source";
import { CONFIGURATION_FILE } from "../workspace/configuration";
import type { Configuration, DistinctParameters } from "../workspace/configuration";
import type { ProjectCode } from "../workspace/codeFiles";
import { nearestNames } from "../workspace/nearestFile";
import type { Project } from "../workspace/projects";
import { digestOf, type KeptReadings, type ReadingFiles } from "./cache/readings";
import { statementsOf, tablesOf } from "./statements";

/** The parts of a project that reading needs. */
export type ProjectTexts = Pick<Project, "files" | "context" | "configuration"> &
  Partial<Pick<Project, "folder" | "configurationFile">> & {
    readonly code?: Omit<ProjectCode, "source">;
  };

/** Reads projects repeatedly; unchanged files are not parsed again. */
export interface ProjectReader {
  /**
   * The program of a project's files. Context files are read only if a table's declaration is missing; their own transactions and notes are
   * dropped. Never throws for bad input.
   */
  read(project: ProjectTexts): Program;
  /**
   * As `read`, in time slices, one reading after the other. A stopped reading ends soon with the files read so far; the program lists the
   * missing ones.
   */
  reading(project: ProjectTexts, isStopped?: IsStopped): SlicedWork<Program>;
  /**
   * The transactions of some of the files, read before all others, together with the callers of their code if those are few. A part of the
   * whole program, whose other files are `unread`. Undefined if it would save no time, or if the project was read before.
   */
  early(
    project: ProjectTexts,
    first: FirstFiles,
    isStopped?: IsStopped,
  ): SlicedWork<Program | undefined>;
  /** Caches the summaries of the last reading of a project's code on disk; yields often. Undefined without a cache. */
  keep(program: Program, project: ProjectTexts): Generator<void, void, void> | undefined;
}

/** A reader that remembers the last few projects and uses the disk cache. Without code parsers it reads SQL files only. */
export function createProjectReader(
  parsers: SqlParsers,
  codeParsers?: CodeParsers,
  readings?: ReadingFiles,
): ProjectReader {
  const readers = new Map<string, Readers>();
  const readersOf = (project: ProjectTexts): Readers => {
    const key = [...project.files, ...project.context].map(({ file }) => file).join("\n");
    const own = readers.get(key) ?? {
      alone: createReader(parsers),
      all: createReader(parsers),
      telling: createDialectReader(),
      isWhole: false,
      ...(codeParsers && codeReaders(project, codeParsers, readings)),
    };
    readers.delete(key);
    readers.set(key, own);
    for (const oldest of readers.keys()) if (readers.size > MOST_PROJECTS) readers.delete(oldest);
    return own;
  };

  function* reading(
    project: ProjectTexts,
    isStopped?: IsStopped,
    first?: FirstFiles,
  ): SlicedWork<Program> {
    const own = readersOf(project);
    const { dialect, detected } = project.configuration;
    const all = project.files.filter(isSql);
    const codeFiles = project.files.filter((each) => !isSql(each));
    const found =
      codeFiles.length > 0 && own.code
        ? yield* own.code.reading(codeFiles, project.code, isStopped)
        : undefined;
    const sql = [...all, ...project.context];
    const told =
      detected?.dialect?.value ?? own.telling.told(sql, () => found?.dialect) ?? found?.dialect;
    const usual = dialect ?? told ?? own.telling.usual(sql);
    const variants = withoutVariants(all, usual);
    const files = variants.kept;
    const code = found && {
      ...found,
      dialect: dialect ?? found.dialect ?? usual,
      ...(dialect && { sources: found.sources?.map((source) => ({ ...source, dialect })) ?? [] }),
      ...(first && { first }),
      ...(own.kept && { lasting: { environment: environmentOf(project), digest: digestOf } }),
    };
    const alone = yield* own.alone.reading(files, { dialect, usual }, code);
    const incomplete = alone.schema.tables.some((table) => table.inferred);
    const program =
      incomplete && project.context.length > 0
        ? yield* readInContext({ ...project, files }, own.all, { dialect, usual }, code)
        : alone;
    const notes = [...(found?.notes ?? []), ...variantNotes(variants, usual)];
    own.isWhole ||= program.unread === undefined;
    return configured(withNotes(withOutsideFunctions(program), notes), project, parsers);
  }

  return {
    read: (project) => atOnce(reading(project)),
    reading,
    *early(project, first, isStopped) {
      if (readersOf(project).isWhole) return undefined;
      const own = project.files.filter(({ file }) => first.files.includes(file));
      const others = project.files.filter((each) => !isSql(each) && !own.includes(each));
      if (own.length === 0 || others.length < FEW) return undefined;
      return partOf(yield* reading(project, isStopped, first), first.files);
    },
    keep: ({ unread }, project) => {
      const { code, kept } = readersOf(project);
      // The results are captured now, so that a later reading does not change them.
      return kept && code ? kept.save(code.lasting(), unread === undefined) : undefined;
    },
  };
}

/** Readers of code are kept per project folder. */
function codeReaders(
  { folder, configurationFile = "" }: ProjectTexts,
  parsers: CodeParsers,
  readings: ReadingFiles | undefined,
): Pick<Readers, "code" | "kept"> {
  const kept = folder === undefined ? undefined : readings?.of(`${folder}\n${configurationFile}`);
  return { code: createWorkspaceCode(parsers, kept), ...(kept && { kept }) };
}

/** All that the summaries of code depend on beside the code, as a text. */
function environmentOf({ files, context, code }: ProjectTexts): string {
  const { schemas = [], packages, pathMaps, nullChecks, described } = code ?? {};
  const texts = schemas.map((file) => [file, code?.text(file)]);
  const sql = [...files.filter(isSql), ...context].map(({ file, text }) => [file, text]);
  return JSON.stringify([sql, texts, packages, pathMaps, nullChecks, described]);
}

/** Projects with fewer files of code are read at once. */
const FEW = 10;

/**
 * The transactions with code in some of the files. Those that use inferred tables are left out: the inferred columns may change with every
 * file.
 */
function partOf(program: Program, first: readonly FileId[]): Program {
  const guessed = program.schema.tables.filter(({ inferred }) => inferred);
  const transactions = program.transactions.filter((each) => {
    const places = [each.source, ...statementsOf(each.body).map(({ source }) => source)];
    const tables = tablesOf(each);
    return (
      places.some(({ file }) => first.includes(file)) &&
      !guessed.some(({ name }) => tables.has(name))
    );
  });
  const isRead = (file: FileId): boolean => first.includes(file) || isSql({ file });
  const { files, unread = [] } = program;
  return {
    ...program,
    transactions,
    files: files.filter(isRead),
    unread: [...files, ...unread].filter((file) => !isRead(file)),
  };
}

const MOST_PROJECTS = 16;

interface Readers {
  readonly alone: ProgramReader;
  readonly all: ProgramReader;
  readonly telling: DialectReader;
  readonly code?: WorkspaceCodeReader;
  /** The cached summaries of its code. */
  readonly kept?: KeptReadings;
  /** True once all files have been read. */
  isWhole: boolean;
}

function isSql({ file }: { readonly file: FileId }): boolean {
  return codeLanguageOf(file) === undefined;
}

function withNotes(program: Program, notes: readonly Note[]): Program {
  return notes.length === 0 ? program : { ...program, notes: [...program.notes, ...notes] };
}

/** Remarks on a level that the databases of the files' dialects do not have, or that is an alias of one of theirs. */
export function dialectRemarks(
  { dialects = [] }: Program,
  { levelIsDefault }: Configuration,
  level: Level,
): readonly string[] {
  return dialects.flatMap((dialect) => {
    const label = dialectLabel(dialect);
    if (!isLevelOf(level, dialect)) {
      const own = defaultLevel(dialect).name;
      return [
        `${level.name} is no level of ${label}, in which files here are written; try --level ${own}`,
      ];
    }
    const isSubstitute = levelIsDefault && level.family === "paper" && dialect !== "postgres";
    if (!isSubstitute) return [];
    return [
      `the levels of ${label} itself are not known here; ${level.name} of the papers was taken instead of its default`,
    ];
  });
}

/** Remarks on configuration without effect: names that no transaction has, pairs at a product's level. */
export function configurationRemarks(
  program: Program,
  configuration: Configuration,
  level: Level,
): readonly string[] {
  const known = [...new Set(program.transactions.flatMap((each) => [each.name, each.id]))];
  const levels = Object.keys(configuration.transactionLevels);
  const distinct = configuration.distinct.map((rule) => rule.transaction);
  const { serializablePairs } = configuration;
  const paired = serializablePairs.flatMap(({ pair, range }) =>
    pair.map((name) => ({ name, range })),
  );
  const named = [...levels, ...distinct].map((name) => ({ name, range: undefined }));
  const places = new Map([...paired, ...named].map(({ name, range }) => [name, range]));
  const remarks = [...places].flatMap(([name, range]) => {
    if (known.includes(name)) return [];
    const near = nearestNames(name, known);
    const hint =
      near.length > 0 ? `; did you mean ${near.map((each) => `"${each}"`).join(", ")}?` : "";
    const where = range ? `${placeText(range)}: ` : "";
    return [
      `${where}the configuration names the transaction "${name}", which does not occur${hint}`,
    ];
  });
  const [first] = serializablePairs;
  if (first === undefined || level.family === "paper") return remarks;
  const unheeded = `"serializablePairs" has no effect at ${level.name}; it means something at the papers' levels`;
  return [...remarks, `${placeText(first.range)}: ${unheeded}`];
}

function placeText({ start }: Range): string {
  return `${CONFIGURATION_FILE}:${String(start.line + 1)}:${String(start.character + 1)}`;
}

/** Texts without any of this declare no tables and need not be read. */
const DECLARES = /\b(?:create|alter)\s+(?:\w+\s+){0,3}table\b|\bcreate\s+unique\s+index\b/iu;

function* readInContext(
  project: ProjectTexts,
  reader: ProgramReader,
  told: Indications,
  code: CodeSources | undefined,
): SlicedWork<Program> {
  const asked = new Set<FileId>(
    [...project.files, ...(code?.files ?? [])].map((each) => each.file),
  );
  const declaring = project.context.filter(({ text }) => DECLARES.test(text));
  const usual = told.dialect ?? told.usual ?? "postgres";
  const { left } = withoutVariants([...project.files, ...declaring], usual);
  const lending = declaring.filter((each) => !left.includes(each));
  const program = yield* reader.reading([...project.files, ...lending], told, code);
  const isAsked = (of: { readonly source: Note["source"] }): boolean => asked.has(of.source.file);
  return {
    ...program,
    transactions: program.transactions.filter(isAsked),
    notes: program.notes.filter(isAsked),
    ...(program.suppressions && { suppressions: program.suppressions.filter(isAsked) }),
    files: program.files.filter((file) => asked.has(file)),
  };
}

function configured(read: Program, project: ProjectTexts, parsers: SqlParsers): Program {
  const { transactionLevels, distinct, invariants, defined } = project.configuration;
  const program = defined.length > 0 ? withoutKnownLevels(read, defined) : read;
  const given = Object.keys(transactionLevels).length + distinct.length + invariants.length;
  if (given === 0) return program;
  const file = configurationId(project);
  const said = readConfiguredInvariants(invariants, file, program.schema.tables, parsers);
  const all = [...(program.invariants ?? []), ...said.invariants];
  const totals = [...(program.totals ?? []), ...said.totals];
  const unknown = distinct.flatMap((rule) => unknownParameters(program, rule, file));
  return {
    ...program,
    transactions: program.transactions.map((each) =>
      configuredTransaction(each, project.configuration),
    ),
    ...(all.length > 0 && { invariants: all }),
    ...(totals.length > 0 && { totals }),
    notes: [...program.notes, ...said.notes, ...unknown],
  };
}

/** The notes without those on levels that the user defined; a reader of files does not know these. */
function withoutKnownLevels(program: Program, defined: readonly PaperLevel[]): Program {
  const isKnown = ({ code, source }: Note): boolean =>
    code === "unknown-level" &&
    program.transactions.some(
      ({ level }) =>
        level?.source?.file === source.file &&
        level.source.range.start.line === source.range.start.line &&
        findLevel(level.name, defined) !== undefined,
    );
  return { ...program, notes: program.notes.filter((note) => !isKnown(note)) };
}

/** The configuration file's id, relative to its project as other files' ids are. */
function configurationId({ folder, configurationFile }: ProjectTexts): FileId {
  const path = folder !== undefined && configurationFile !== undefined;
  const name = path ? relative(folder, configurationFile).split(sep).join("/") : CONFIGURATION_FILE;
  // The one place where the name of a file without SQL becomes an id.
  return name as FileId;
}

function configuredTransaction(
  transaction: Transaction,
  { transactionLevels, distinct }: Configuration,
): Transaction {
  const level =
    ownEntry(transactionLevels, transaction.id) ?? ownEntry(transactionLevels, transaction.name);
  const preconditions = distinct
    .filter((rule) => isFor(rule, transaction))
    .flatMap(({ left, right }) => {
      const [a, b] = [parameterOf(transaction, left), parameterOf(transaction, right)];
      if (a === undefined || b === undefined) return [];
      return [{ kind: "comparison" as const, operator: "<>" as const, left: a, right: b }];
    });
  return {
    ...transaction,
    preconditions: [...transaction.preconditions, ...preconditions],
    // A comment in the code takes precedence over the configuration.
    ...(level && configuredLevel(transaction, level.name)),
  };
}

function configuredLevel(
  { level: declared }: Transaction,
  name: string,
): Pick<Transaction, "level"> | undefined {
  if (declared === undefined) return { level: { name, from: "configuration" } };
  const own = namedLevel(declared.name);
  if (own.name !== undefined) return undefined;
  return { level: { ...declared, name: atBegin(name), from: "configuration" } };
}

function isFor(rule: DistinctParameters, transaction: Transaction): boolean {
  return rule.transaction === transaction.id || rule.transaction === transaction.name;
}

function parameterOf(transaction: Transaction, written: string) {
  const bare = (name: string): string => name.replace(/^[:$@]/u, "").toLowerCase();
  const found = transaction.parameters.find((each) => bare(each.name) === bare(written));
  return found && { kind: "parameter" as const, name: found.name };
}

/** Names in a rule that are no parameters of its transaction. */
function unknownParameters(
  program: Program,
  rule: DistinctParameters,
  file: FileId,
): readonly Note[] {
  return program.transactions
    .filter((transaction) => isFor(rule, transaction))
    .flatMap((transaction) =>
      [rule.left, rule.right].flatMap((written): readonly Note[] => {
        if (parameterOf(transaction, written)) return [];
        const known = transaction.parameters.map(({ name }) => name);
        const near = nearestNames(written, known).map((each) => `"${each}"`);
        const hint = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : "";
        const message = `${transaction.name} has no parameter "${written}".${hint}`;
        const source = { file, range: rule.range };
        return [{ severity: "warning", code: "annotation-parameter", message, source }];
      }),
    );
}
