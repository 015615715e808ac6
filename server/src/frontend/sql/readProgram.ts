// From the texts of a workspace to its program: the entry of the SQL front end.
import { dialectLabel, type Dialect } from "../../program/dialect";
import type { Note, Program, Transaction } from "../../program/program";
import { renameInCommand, renameInInvariant, type Rename } from "../../program/renameTables";
import type { Table } from "../../program/schema";
import type { FileId, SourceRange } from "../../protocol/source";
import { createInterner, sameData } from "../../query/interner";
import { attribute, ofNode, ofNodes } from "../../query/nodes";
import { reconcile } from "../schema/reconciliation";
import { readCode, type CodeReading } from "../code/readCode";
import type { HirModule } from "../code/hir";
import { atOnce, type SlicedWork } from "../code/queries/slices";
import { readSuppressions, type ReadSuppressions } from "../suppressions";
import type { CodeSurroundings } from "../code/workspace/codeSurroundings";
import type { Query } from "../../program/expression";
import { withDeclaredToday, withToday } from "./currentDate";
import { spellingOf } from "./text/spelling";
import { withBooleanTexts } from "./booleanTexts";
import { withByteLiterals } from "./byteLiterals";
import { unknownColumns } from "./checkNames";
import type { CodeSources, SourceFile } from "./text/sources";
import { withEqualTexts } from "./collations";
import { withLockAnswers } from "./lockRequests";
import { withLooseTexts } from "./looseTexts";
import { createGrouping, type Group } from "./dialectDetection/databaseGroups";
import { createDialectReader, type Indications } from "./dialectDetection/dialectsOf";
import { doubtsOf } from "./doubts";
import { foreignKeyActions, tablesWithActions } from "./foreignKeyActions";
import { inferSchema } from "./inferSchema";
import { readInvariants } from "./annotations/readInvariants";
import { languageOf, type LanguageRoutines } from "./language";
import { indexLines, rangeOf, type LineIndex } from "./text/lines";
import { createLowering } from "./lowerSql";
import { besideNamesakes, inSoleDatabase } from "./namesakes";
import { namedTables } from "./tableNames";
import { withoutTransactions } from "./nontransactional";
import type { SqlParsers } from "./parsers";
import { replaceStatements, type Replace } from "./dialectDetection/replaceStatements";
import type { PgSchemaReading } from "./pg/schema/schema";
import { scanFile, type ScannedFile } from "./scanFile";
import { lowerRegion } from "./script/script";
import type { Span } from "./text/split";
import { tablesApart } from "./dialectDetection/tablesApart";
import { cascading } from "./text/truncation";
import { uniqueTransactions } from "./uniqueIds";
import { watchedTables } from "./annotations/watchedTables";

export type { CodeSources, SourceFile };

/** Reads a workspace repeatedly; unchanged texts are not scanned or parsed again. */
export interface ProgramReader {
  /** Files without a given dialect are detected by their texts. */
  read(files: readonly SourceFile[], told?: Indications, code?: CodeSources): Program;
  /** The same in time slices; one reading after the other. */
  reading(
    files: readonly SourceFile[],
    told?: Indications,
    code?: CodeSources,
  ): SlicedWork<Program>;
}

/**
 * The program of these files: schema over all of them, transactions in order of file and text. Never throws for bad input: what is not
 * understood is noted at its place. Linear in the text.
 */
export function readProgram(
  files: readonly SourceFile[],
  parsers: SqlParsers,
  told?: Indications,
): Program {
  return createReader(parsers).read(files, told);
}

/** A reader that remembers the files of its last reading by their texts. */
export function createReader(parsers: SqlParsers): ProgramReader {
  let scanned = new Map<FileId, ScannedFile>();
  const lowering = createLowering(parsers);
  const telling = createDialectReader();
  const grouping = createGrouping();
  const sameTables = createInterner<readonly Table[]>(sameData);
  const reader: ProgramReader = {
    read: (files, told, code) => atOnce(reader.reading(files, told, code)),
    *reading(files, told, code) {
      lowering.nextReading();
      const dialects = telling.dialects(files, told);
      const next = new Map<FileId, ScannedFile>();
      for (const { file, text } of files) {
        const known = scanned.get(file);
        const dialect = dialects.get(file) ?? "postgres";
        const { lines } = known ?? {};
        const isKnown = (lines?.written ?? lines?.text) === text && known?.dialect === dialect;
        next.set(file, isKnown ? known : scanFile(file, text, dialect));
      }
      scanned = next;
      const groups = grouping.groups([...next.values()], code, (dialect) =>
        languageOf(dialect, lowering),
      );
      const program = yield* readScanned([...next.values()], groups, sameTables, code);
      return told?.dialect === undefined ? withDialectNotes(program, [...next.values()]) : program;
    },
  };
  return reader;
}

interface Lowering {
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
  /** Files of code that were not reached before reading was stopped. */
  readonly unread: readonly FileId[];
}

interface GroupReading extends Lowering {
  readonly group: Group;
  readonly tables: readonly Table[];
}

/** One list for equal tables: it stands for them where something follows from all of them. */
type SameTables = (tables: readonly Table[]) => readonly Table[];

function* readScanned(
  scanned: readonly ScannedFile[],
  groups: readonly Group[],
  sameTables: SameTables,
  code?: CodeSources,
): SlicedWork<Program> {
  const readings: GroupReading[] = [];
  for (const group of groups) readings.push(yield* readGroup(group, sameTables));
  const unread = [...(code?.unread ?? []), ...readings.flatMap((each) => each.unread)];
  const files = [
    ...scanned.map(({ lines }) => lines.file),
    ...(code?.files ?? []).map(({ file }) => file),
  ];
  const codeFiles = new Set((code?.files ?? []).map(({ file }) => file));
  const isOfCode = (file: FileId): boolean => codeFiles.has(file);
  const transactions = readings.flatMap((reading) => reading.transactions);
  const unique = uniqueTransactions(inOrder(transactions, files));
  const said = readings.map(({ group, tables: own }) =>
    readInvariants(
      group.files,
      ofGroup(unique.transactions, group),
      own,
      group.language.lowerConditions(spellingOf(own)),
    ),
  );
  const { names, tables } = tablesApart(
    readings.map(({ group, tables: own }) => ({ ...group, tables: own })),
  );
  const apart = <Kind>(
    from: readonly (readonly Kind[])[],
    put: (each: Kind, rename: Rename) => Kind,
  ) =>
    from.flatMap((list, at) => {
      const rename = names[at];
      return rename === undefined ? list : list.map((each) => put(each, rename));
    });
  const invariants = apart(
    said.map((each) => each.invariants),
    renameInInvariant,
  );
  const totals = apart(
    said.map((each) => each.totals),
    renameInInvariant,
  );
  const notes = [
    ...scanned.flatMap((file) => file.notes),
    ...withoutRepetition(readings.flatMap((reading) => reading.notes)),
    ...unreadNotes(unread, code),
    // Functions of code may share names.
    ...unique.notes.filter(({ source }) => !isOfCode(source.file)),
    ...said.flatMap((each) => each.notes),
    ...readings.flatMap(({ group, tables: own }) =>
      ofGroup(unique.transactions, group).flatMap((each) => misnamed(own, each)),
    ),
  ];
  const dialects = [...new Set(readings.flatMap(({ group }) => dialectsIn(group)))];
  const ignored = code ? codeSuppressions(code) : { suppressions: [], notes: [] };
  const suppressions = [...scanned.flatMap((file) => file.suppressions), ...ignored.suppressions];
  return {
    ...(dialects.some((each) => each !== "postgres") && { dialects }),
    schema: { tables: sameTables(tables) },
    transactions: inOrder(
      apart(
        said.map((each) => each.transactions),
        (each, rename) => ({ ...each, body: renameInCommand(each.body, rename) }),
      ),
      files,
    ),
    ...(invariants.length > 0 && { invariants }),
    ...(totals.length > 0 && { totals }),
    ...(suppressions.length > 0 && { suppressions }),
    notes: inOrder([...notes, ...ignored.notes], files),
    files: unread.length === 0 ? files : files.filter((each) => !unread.includes(each)),
    ...(unread.length > 0 && { unread }),
  };
}

/** A note at the first unread file. */
function unreadNotes(unread: readonly FileId[], code: CodeSources | undefined): readonly Note[] {
  const [first] = unread;
  if (first === undefined || code === undefined) return [];
  const all = new Set([...code.files.map(({ file }) => file), ...unread]).size;
  const message = `Reading was stopped: ${String(all - unread.length)} of ${String(all)} files of code were read. What the others do, and the functions that they may call, is not known.`;
  const source = rangeOf(indexLines(first, code.text(first) ?? ""), 0, 0);
  return [{ severity: "warning", code: "code-unread", message, source }];
}

function dialectsIn({ files, code }: Group): readonly Dialect[] {
  return [...files.map(({ dialect }) => dialect), ...(code ? [code.dialect] : [])];
}

/** Files of several databases are read for each of them, with the same notes. */
function withoutRepetition(notes: readonly Note[]): readonly Note[] {
  return [...new Map(notes.map((note) => [JSON.stringify(note), note] as const)).values()];
}

function ofGroup<Placed extends { readonly source: SourceRange }>(
  placed: readonly Placed[],
  { files, code }: Group,
): readonly Placed[] {
  const own = [
    ...files.map(({ lines }) => lines.file),
    ...(code?.files ?? []).map(({ file }) => file),
  ];
  const names = new Set(own);
  return placed.filter(({ source }) => names.has(source.file));
}

function* readGroup(group: Group, sameTables: SameTables): SlicedWork<GroupReading> {
  const { language, schema } = group;
  const { tables: reconciled, notes: drift } = reconcile(
    schema.tables,
    group.modelled,
    group.dialect,
  );
  const declared = sameTables(withDeclaredToday(reconciled));
  const routines = language.routines(group.declaring);
  const lower = (known: readonly Table[]): SlicedWork<Lowering> =>
    lowerFiles(group, { ...schema, tables: known, routines });
  let first = yield* lower(declared);
  let inferred = inferSchema(first.transactions, lookup(declared));
  const placed = sameTables(inSoleDatabase(declared, inferred.tables, group.dialect));
  if (placed !== declared) {
    first = yield* lower(placed);
    inferred = inferSchema(first.transactions, lookup(placed));
  }
  const isNamed = (name: string): boolean =>
    first.transactions.some(({ body }) => namedTables(body).tables.has(name));
  const tables = sameTables(besideNamesakes(placed, inferred.tables, group.dialect, isNamed));
  // With the inferred tables, `*` and unqualified columns resolve.
  const isEnough = inferred.tables.length === 0 || first.unread.length > 0;
  const lowered = isEnough ? first : yield* lower(tables);
  const notes = [...schema.notes, ...drift, ...routines.notes, ...lowered.notes, ...inferred.notes];
  const { transactions, unread } = lowered;
  return { group, tables, transactions, notes, unread };
}

const lookup = ofNode((tables: readonly Table[]): ((name: string) => Table | undefined) => {
  const byName = new Map(tables.map((table) => [table.name, table] as const));
  return (name) => byName.get(name);
});

const misnamed = ofNodes((tables: readonly Table[], transaction: Transaction) =>
  unknownColumns(transaction, lookup(tables)),
);

interface Surroundings {
  readonly tables: readonly Table[];
  readonly view: PgSchemaReading["view"];
  readonly triggers?: PgSchemaReading["triggers"];
  readonly policies?: PgSchemaReading["policies"];
  readonly routines: LanguageRoutines;
}

function* lowerFiles(group: Group, around: Surroundings): SlicedWork<Lowering> {
  const { files, language, code } = group;
  const notes: Note[] = [];
  const { table, spelling, watch } = watchedTables(around.tables);
  const view = (name: string): Query | undefined => around.view(name, table);
  const note = (added: Note): void => {
    notes.push(added);
  };
  const lower = language.lower(spelling);
  const { triggers, policies } = around;
  const ran = around.routines.lowered({ table, view, note, spelling, triggers, policies });
  const { calling, firing, transactions: all } = ran;
  const own = new Set(files.map(({ lines }) => lines.file));
  // Routines in files of several databases are transactions only once.
  const transactions = all.filter(({ source }) => own.has(source.file));
  const scripts = files.flatMap(({ lines, regions }) =>
    regions.map(({ region, name }) => {
      // A call alone equals the routine's own transaction.
      const lowerSql = region.boundary === "autocommit" ? lower : calling;
      return lowerRegion(region, name, { lines, table, view, lowerSql, note });
    }),
  );
  const called =
    code === undefined || code.files.length === 0
      ? { transactions: [], unread: [] }
      : yield* codeTransactions(code, {
          table,
          tables: around.tables,
          spelling,
          watchTables: watch,
          note,
          lowerSql: calling,
          environment: [
            code.dialect,
            // The cached analysis of routines depends on all tables.
            group.dialect === "postgres" || all.length === 0 ? "" : JSON.stringify(around.tables),
            code.models?.("prisma"),
            ...group.declaring,
            ...files,
            // Identifies databases of one workspace across reloads.
            [...group.declaring, ...files].map(({ lines }) => lines.file).join(),
            schemasOf(code).join(),
            // Views and policies that these declare.
            ...(code.migrations?.(group.dialect) ?? []).map(({ text }) => text),
          ],
        });
  const order = files.map(({ lines }) => lines.file);
  const read = [...inOrder([...transactions, ...scripts], order), ...called.transactions];
  // Actions of foreign keys fire PostgreSQL's triggers, and none of MySQL's.
  const first = group.dialect === "postgres" ? "actions" : "triggers";
  const whole = read.map((each) =>
    firing ? settle(around.tables, each, { firing, first }) : settled(around.tables, each),
  );
  const typed = withBooleanTexts(whole, around.tables, group.dialect);
  const told = withByteLiterals(typed, around.tables, group.dialect);
  const spelled = withEqualTexts(told, around.tables, group.dialect);
  const ofCode = new Set(called.transactions.map(({ id }) => id));
  const weakened = withLooseTexts(spelled, around.tables, group.dialect, ({ id }) =>
    ofCode.has(id),
  );
  return { transactions: weakened, notes, unread: called.unread };
}

const replacements = ofNode((tables: readonly Table[]) => ({
  spelledOut: cascading(tables),
  actions: foreignKeyActions(tables),
  parents: tablesWithActions(tables),
  doubts: doubtsOf(tables),
  asUnit: withoutTransactions(tables),
}));

/** The transaction with all that the tables that it names make of it. Linear in it. */
function settle(
  tables: readonly Table[],
  transaction: Transaction,
  triggers?: { readonly firing: Replace; readonly first: "actions" | "triggers" },
): Transaction {
  const { spelledOut, actions, parents, doubts, asUnit } = replacements(tables);
  const { cascades } = namedTables(transaction.body);
  const whole = cascades ? replaceStatements(transaction, spelledOut) : transaction;
  const acted = (each: Transaction): Transaction =>
    parents.size > 0 && [...namedTables(each.body).tables.keys()].some((name) => parents.has(name))
      ? replaceStatements(each, actions)
      : each;
  const { firing, first } = triggers ?? {};
  const fire = (each: Transaction): Transaction =>
    firing ? replaceStatements(each, firing) : each;
  const fired = first === "triggers" ? acted(fire(whole)) : fire(acted(whole));
  const isDoubtful =
    doubts.tables.size > 0 &&
    [...namedTables(fired.body).tables.keys()].some((name) => doubts.tables.has(name));
  const told = isDoubtful ? replaceStatements(fired, doubts.replace) : fired;
  return asUnit(withLockAnswers(withToday(told)));
}

const settled = ofNodes((tables: readonly Table[], transaction: Transaction) =>
  settle(tables, transaction),
);

function codeSuppressions({ files, modules }: CodeSources): ReadSuppressions {
  const read = files.flatMap(({ file, text }): ReadSuppressions[] => {
    const module = modules.moduleOf(file);
    if (module === undefined) return [];
    const own = ignoredIn.get(module) ?? suppressionsIn(indexLines(file, text), module.comments);
    ignoredIn.set(module, own);
    return [own];
  });
  return {
    suppressions: read.flatMap((each) => each.suppressions),
    notes: read.flatMap((each) => each.notes),
  };
}

const ignoredIn = attribute<HirModule, ReadSuppressions>();

function suppressionsIn(lines: LineIndex, comments: readonly Span[]): ReadSuppressions {
  const { suppressions, notes } = readSuppressions(lines, comments);
  return { suppressions, notes: [...notes, ...commentsOfSql(lines, comments)] };
}

/** SQL-only annotations in code, which have no effect there and are reported. */
function commentsOfSql(lines: LineIndex, comments: readonly Span[]): readonly Note[] {
  return comments.flatMap(({ start, end }): readonly Note[] => {
    const found = OF_SQL.exec(lines.text.slice(start, end));
    if (!found) return [];
    const message = `${found[0]} has a meaning in SQL only; in code, levels are those of the code or of isolens.json, and invariants stand in isolens.json.`;
    const source = rangeOf(lines, start, end);
    return [{ severity: "warning", code: "annotation-incomplete", message, source }];
  });
}

const OF_SQL = /@isolens (?:transaction|unit|level|distinct|invariant)\b/u;

/** The places of the ORM schemas that the code uses. */
function schemasOf({ sources = [], models }: CodeSources): readonly string[] {
  return sources.filter((each) => models?.(each.library) === each.models).map(({ place }) => place);
}

function noModels(): undefined {
  return undefined;
}

function codeTransactions(
  code: CodeSources,
  around: Pick<
    CodeSurroundings,
    "table" | "tables" | "spelling" | "watchTables" | "note" | "lowerSql" | "environment"
  >,
): SlicedWork<CodeReading> {
  const indexes = new Map<FileId, LineIndex>();
  const lines = (file: FileId): LineIndex => {
    const known = indexes.get(file) ?? indexLines(file, code.text(file) ?? "");
    indexes.set(file, known);
    return known;
  };
  const { modules, dialect, libraries, memory, lasting, isStopped, first } = code;
  const { models = noModels } = code;
  const files = code.files.map(({ file }) => file);
  return readCode({
    modules,
    files,
    lines,
    dialect,
    models,
    ...(libraries && { libraries }),
    ...(memory && { memory }),
    ...(lasting && { lasting }),
    ...(isStopped && { isStopped }),
    ...(first && { first }),
    ...around,
  });
}

/** Notes each dialect other than PostgreSQL at the first file in it. */
function withDialectNotes(program: Program, files: readonly ScannedFile[]): Program {
  const firsts = files.filter(
    ({ dialect }, at) =>
      dialect !== "postgres" && files.findIndex((each) => each.dialect === dialect) === at,
  );
  const notes = firsts.map(({ lines, dialect }): Note => {
    const label = dialectLabel(dialect);
    const message = `Read as ${label}, by what the file says. "dialect" in isolens.json decides otherwise.`;
    return { severity: "information", code: "dialect", message, source: rangeOf(lines, 0, 0) };
  });
  return notes.length === 0
    ? program
    : { ...program, notes: inOrder([...notes, ...program.notes], program.files) };
}

/** Sorted by file and place; stable. */
function inOrder<Placed extends { readonly source: SourceRange }>(
  placed: readonly Placed[],
  files: readonly FileId[],
): readonly Placed[] {
  const order = new Map(files.map((file, at) => [file, at] as const));
  return placed.toSorted((a, b) => {
    const file = (order.get(a.source.file) ?? 0) - (order.get(b.source.file) ?? 0);
    const { start: left } = a.source.range;
    const { start: right } = b.source.range;
    return file || left.line - right.line || left.character - right.character;
  });
}
