// The statements of a folder as the SQL front end reads them, one by one: what each is, and why it is not exact.
// The folder counts as one database; its definitions are replayed in order before any statement is read.
import fs from "node:fs";
import path from "node:path";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { inRunOrder, migrationOf } from "../../../server/src/frontend/schema/migrations";
import { createDialectReader } from "../../../server/src/frontend/sql/dialectDetection/dialectsOf";
import { inferSchema } from "../../../server/src/frontend/sql/inferSchema";
import { languageOf, type Language } from "../../../server/src/frontend/sql/language";
import { offsetsOf, positionAt, type LineIndex } from "../../../server/src/frontend/sql/text/lines";
import {
  createIds,
  type Lowering,
  type LoweringContext,
} from "../../../server/src/frontend/sql/lowering";
import { createLowering } from "../../../server/src/frontend/sql/lowerSql";
import { mayDefine } from "../../../server/src/frontend/sql/definitionFilter";
import type { PgParser } from "../../../server/src/frontend/sql/pg/pgParser";
import { preLex } from "../../../server/src/frontend/sql/text/preLex";
import { readCanonical } from "../../../server/src/frontend/sql/text/canonical";
import { scanFile, type ScannedFile } from "../../../server/src/frontend/sql/scanFile";
import type { LowerSql } from "../../../server/src/frontend/sql/script/state";
import { spellingOf } from "../../../server/src/frontend/sql/text/spelling";
import {
  splitStatements,
  type Slice,
  type Span,
} from "../../../server/src/frontend/sql/text/split";
import {
  statementKind,
  type StatementKind,
} from "../../../server/src/frontend/sql/text/statementKind";
import { sameFamily, type Dialect } from "../../../server/src/program/dialect";
import type { Note, Transaction } from "../../../server/src/program/program";
import type { Table } from "../../../server/src/program/schema";
import type { Statement } from "../../../server/src/program/statement";
import type { FileId, SourceRange } from "../../../server/src/protocol/source";
import { statementsOf } from "../../../server/src/service/statements";
import type { Query } from "../../../server/src/program/expression";
import { isCode, sqlInCode } from "./sqlInCode";

/** One statement of the corpus that PostgreSQL's grammar (or that of the dialect) takes. */
export interface Judged {
  readonly file: string;
  /** From one; of a string in code, that of its file is not known: 0. */
  readonly line: number;
  readonly text: string;
  /** `body`: inside of a routine. */
  readonly what: StatementKind | "body";
  /** Why it is not exact. */
  readonly reasons: readonly string[];
  readonly statements: readonly Statement[];
  /** The context in which it was lowered, for whoever wants to lower it again. */
  readonly context?: LoweringContext;
}

export interface Corpus {
  readonly judged: readonly Judged[];
  /** Texts that the grammar refuses. */
  readonly refused: number;
  readonly tables: number;
  readonly files: number;
  /** Files that are written in another dialect. */
  readonly others: number;
}

/** Reads a folder. Linear in its texts; statements with the same text count once. */
export async function readCorpus(folder: string, dialect: Dialect): Promise<Corpus> {
  const pg = await loadPgParser();
  const texts = textsIn(folder);
  const scripts = texts.filter(({ file }) => /\.sql$/i.test(file));
  const dialects = createDialectReader().dialects(scripts);
  const own = scripts.filter(({ file }) => sameFamily(dialects.get(file) ?? dialect, dialect));
  const strings = texts
    .filter(({ file }) => isCode(file))
    .flatMap(({ file, text }) =>
      sqlInCode(file, text).map((sql, at) => ({
        file: fileId(`${file}#${String(at)}`),
        // Only PostgreSQL numbers its placeholders.
        text: dialect === "postgres" ? sql : sql.replaceAll(/\$9\d\d/g, "?"),
      })),
    );
  const scanned = [...own, ...strings].map(({ file, text }) => scanFile(file, text, dialect));
  const files = inRunOrder(scanned.map((each) => ({ ...each.lines, each }))).map(
    ({ each }) => each,
  );
  const language = languageOf(dialect, createLowering({ pg }));
  const reading = { dialect, language, files, pg };
  const first = judge(reading, []);
  const { tables } = inferSchema(first.transactions, (name) => first.known(name));
  const { judged, refused } = tables.length === 0 ? first : judge(reading, tables);
  return {
    judged,
    refused,
    tables: first.declared,
    files: files.length,
    others: scripts.length - own.length,
  };
}

interface Reading {
  readonly dialect: Dialect;
  readonly language: Language;
  readonly files: readonly ScannedFile[];
  readonly pg: PgParser;
}

interface Judgement {
  readonly judged: readonly Judged[];
  readonly refused: number;
  readonly declared: number;
  readonly transactions: readonly Transaction[];
  readonly known: (name: string) => Table | undefined;
}

function judge(reading: Reading, inferred: readonly Table[]): Judgement {
  const { language, files, dialect, pg } = reading;
  const schema = language.schema(files);
  const byName = new Map([...schema.tables, ...inferred].map((each) => [each.name, each] as const));
  const table = (name: string): Table | undefined => byName.get(name);
  const tablesIn = tablesOfMigrations(reading);
  const spelling = spellingOf([...byName.values()]);
  const view = (name: string): Query | undefined => schema.view(name, table);
  const notes: Note[] = [];
  const note = (each: Note): void => void notes.push(each);
  const routines = language.routines(files);
  const { triggers, policies } = schema;
  const around = { table, view, note, spelling, triggers, policies };
  const { calling, transactions } = routines.lowered(around);
  const ofSchema = grouped([...schema.notes, ...schema.losses]);
  const ofRoutines = grouped([...routines.notes, ...notes]);
  const judged: Judged[] = [];
  const lowered: Transaction[] = [...transactions];
  const seen = new Set<string>();
  let refused = 0;
  const bodies = grouped(transactions);
  for (const { lines } of files) {
    for (const slice of slicesOf(lines, dialect)) {
      const text = (lines.written ?? lines.text).slice(slice.start, slice.end);
      if (seen.has(text)) continue;
      seen.add(text);
      const what = statementKind(lines.text, slice.start, slice.end, dialect);
      const context = contextOf(lines, slice, { table: tablesIn(lines.file) ?? table, view });
      const isRead = dialect === "postgres" ? pg.parse(context.piece.sql).ok : true;
      if (!isRead) {
        refused += 1;
        continue;
      }
      const base = { file: lines.file, line: positionAt(lines, slice.start).line + 1, text, what };
      if (what === "ddl") {
        const found = [...ofSchema(lines, slice), ...ofRoutines(lines, slice)];
        const reasons = found.map(({ message }) => message);
        judged.push({ ...base, reasons, statements: [] });
      } else if (what === "routine") {
        const own = bodies(lines, slice);
        const inside = own.flatMap(({ body }) => statementsOf(body));
        const reasons = [
          ...ofRoutines(lines, slice).map(({ message }) => message),
          ...own.flatMap(({ taint }) => taint.map(({ reason }) => reason)),
          ...inside.flatMap(reasonsOf),
        ];
        judged.push({ ...base, reasons, statements: [] });
        for (const each of inside) {
          const key = `${each.kind} ${each.text}`;
          if (seen.has(key)) continue;
          seen.add(key);
          if (dialect === "postgres" && each.taint.some(({ reason }) => UNREADABLE.test(reason))) {
            refused += 1;
            continue;
          }
          const { text: written, source } = each;
          const line = source.range.start.line + 1;
          const inner = { ...base, line, text: written, what: "body" } as const;
          judged.push({ ...inner, reasons: reasonsOf(each), statements: [each] });
        }
      } else {
        const ofText = lowerOne(context, what, calling);
        const { statements } = ofText;
        const reasons =
          what === "call" && mayDefine(text)
            ? [
                ...ofSchema(lines, slice).map(({ message }) => message),
                // As outside of blocks, definitions are the schema's business.
                ...ofText.reasons.filter((reason) => !REPLAYED.test(reason)),
              ]
            : ofText.reasons;
        if (reasons.some((reason) => reason.startsWith("This cannot be read as"))) {
          refused += 1;
          continue;
        }
        judged.push({ ...base, reasons, statements, context });
        lowered.push(transactionOf(context, statements));
      }
    }
  }
  return { judged, refused, declared: schema.tables.length, transactions: lowered, known: table };
}

const REPLAYED =
  /^opaque: (CREATE TABLE AS|(Create(Enum|Trig|Domain|Policy)?|AlterTable|Drop|Rename|Index|View|Rule)Stmt) is not followed$/;
const UNREADABLE = /^PostgreSQL cannot read this statement/;

/**
 * A migration runs when the tables are those of its time: with the columns that they have before or
 * behind it, or on the way, where it makes some only to drop them. Undefined for other files.
 */
function tablesOfMigrations({
  files,
  language,
}: Reading): (file: string) => LoweringContext["table"] | undefined {
  const found = new Map<string, LoweringContext["table"]>();
  let before: readonly Table[] = [];
  files.forEach((file, at) => {
    const { lines, ddl } = file;
    if (migrationOf(lines.file)?.isCertain !== true || ddl.length === 0) return;
    const earlier = files.slice(0, at);
    const { tables } = language.schema(files.slice(0, at + 1));
    const isDrop = ({ start, end }: Span): boolean =>
      /\bdrop\b/i.test(lines.text.slice(start, end));
    const ways = ddl.some(isDrop) ? [{ ...file, ddl: ddl.filter((span) => !isDrop(span)) }] : [];
    const all = new Map<string, Table>();
    const passed = ways.flatMap((way) => language.schema([...earlier, way]).tables);
    for (const each of [...before, ...passed, ...tables]) {
      const own = new Set(each.columns.map(({ name }) => name));
      const old = all.get(each.name)?.columns.filter(({ name }) => !own.has(name)) ?? [];
      all.set(each.name, { ...each, columns: [...each.columns, ...old] });
    }
    found.set(lines.file, (name) => all.get(name));
    before = tables;
  });
  return (file) => found.get(file);
}

function lowerOne(
  context: LoweringContext,
  what: StatementKind,
  lower: LowerSql,
): { readonly statements: readonly Statement[]; readonly reasons: readonly string[] } {
  if (what === "session" || what === "control" || what === "assign") {
    return { statements: [], reasons: [] };
  }
  const notes: string[] = [];
  const lowered: Lowering = lower({
    ...context,
    note: ({ severity, message }) => void (severity === "error" && notes.push(message)),
  });
  const statements =
    lowered.commands === undefined
      ? lowered.statements
      : statementsOf({ kind: "sequence", commands: lowered.commands });
  return { statements, reasons: [...notes, ...statements.flatMap(reasonsOf)] };
}

function reasonsOf(statement: Statement): readonly string[] {
  const losses = statement.taint.map(({ effect, reason }) => `${effect}: ${reason}`);
  return losses.length === 0 && statement.kind === "opaque" ? ["opaque"] : losses;
}

function contextOf(
  lines: LineIndex,
  slice: Span,
  around: Pick<LoweringContext, "table" | "view">,
): LoweringContext {
  const { piece, placeholders } = preLex(lines, slice.start, slice.end);
  const names = new Map(placeholders.map(({ number, name }) => [number, name] as const));
  return {
    piece,
    ...around,
    placeholder: (number) => ({
      kind: "parameter",
      name: names.get(number) ?? `$${String(number)}`,
    }),
    variable: () => undefined,
    ids: createIds("statement"),
    note: () => undefined,
  };
}

function transactionOf(context: LoweringContext, statements: readonly Statement[]): Transaction {
  const { lines } = context.piece;
  const source: SourceRange = {
    file: lines.file,
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
  };
  return {
    id: "statement",
    name: "statement",
    header: source,
    source,
    boundary: "autocommit",
    parameters: [],
    preconditions: [],
    body: {
      kind: "sequence",
      commands: statements.map((statement) => ({ kind: "statement", statement })),
    },
    annotations: [],
    taint: [],
  };
}

/** The content of a slice of a file. */
type At<Kind> = (lines: LineIndex, slice: Span) => readonly Kind[];

function grouped<Kind extends { readonly source: SourceRange }>(all: readonly Kind[]): At<Kind> {
  const byFile = new Map<string, Kind[]>();
  for (const each of all) {
    const ofFile = byFile.get(each.source.file) ?? [];
    byFile.set(each.source.file, ofFile);
    ofFile.push(each);
  }
  return (lines, slice) =>
    (byFile.get(lines.file) ?? []).filter(({ source }) => {
      const { start } = offsetsOf(lines, source.range);
      return slice.start <= start && start <= slice.end;
    });
}

function slicesOf(lines: LineIndex, dialect: Dialect): readonly Slice[] {
  const { slices } =
    dialect === "postgres"
      ? splitStatements(lines.text)
      : readCanonical(lines.written ?? "", dialect);
  return slices.filter(({ kind }) => kind === "statement");
}

/** The texts below a folder that may contain SQL. */
function textsIn(folder: string): readonly { readonly file: FileId; readonly text: string }[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.sql$/i.test(name) || isCode(name))
    .filter((name) => !/(^|\/)(node_modules|dist|\.git)\//.test(name))
    .sort()
    .map((name) => ({ name, place: path.join(folder, name) }))
    .filter(({ place }) => fs.statSync(place).isFile() && fs.statSync(place).size < LARGEST)
    .map(({ name, place }) => ({ file: fileId(name), text: fs.readFileSync(place, "utf8") }));
}

/** Larger files are data. */
const LARGEST = 4_000_000;

/** Any text is a name of a file, which nobody opens here. */
function fileId(name: string): FileId {
  return name as FileId;
}
