// A schema change where the project keeps its schema: after the table in a script that is applied anew, as a new file beside migrations, or
// in the model of Prisma's schema with a migration.
import { nextMigration } from "../../../frontend/schema/migrations";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";
import type { Workshop } from "../workshop";

export interface SchemaChange {
  /** The name of the migration file, in lower case with underscores. */
  readonly name: string;
  readonly statement: string;
  /** The text that reverts the migration. */
  readonly undo: string;
  /** The columns of the key that it adds; absent: it adds none. */
  readonly unique?: readonly string[];
}

/** The edits; undefined if the table is declared in code, inferred, or undeclared. */
export function schemaChange(
  workshop: Workshop,
  table: Table,
  change: SchemaChange,
): readonly TextEdit[] | undefined {
  const { source } = table;
  const lines = source && workshop.textOf(source.file);
  const end = source && workshop.endOf(source);
  if (!source || !lines || end === undefined) return undefined;
  const { file } = source;
  const { unique } = change;
  const model = unique
    ? workshop.files.flatMap((each) => modelEdit(each, table.name, unique) ?? [])
    : [];
  if (/\.prisma$/iu.test(file))
    return model.length > 0 ? [...model, ...besidePrisma(workshop, file, change)] : undefined;
  if (!/\.sql$/iu.test(file)) return undefined;
  const next = nextMigration(file, workshop.files, change.name);
  if (next) return [...model, ...newMigration(next.file, next.last.text, change, workshop)];
  if (/migrations?\//iu.test(file)) return undefined;
  const semicolon = /^\s*;/u.exec(lines.text.slice(end))?.[0].length ?? 0;
  if (semicolon === 0) return undefined;
  const at = end + semicolon;
  return [{ file, start: at, end: at, newText: `\n\n${change.statement}` }];
}

/** The new file, with the tool markers of the last one, and a reverting file if the last one has such. */
function newMigration(
  file: FileId,
  last: string,
  { statement, undo }: SchemaChange,
  { files }: Workshop,
): readonly TextEdit[] {
  const marks = [...last.matchAll(MARKS)].map(([mark]) => mark);
  const [up, down] = [
    marks.find((mark) => !DOWN.test(mark)),
    marks.find((mark) => DOWN.test(mark)),
  ];
  const text = [...(up === undefined ? [] : [up]), statement, ...(down === undefined ? [] : ["", down, undo])]; // prettier-ignore
  const creating = (name: FileId, newText: string): TextEdit => ({
    file: name,
    start: 0,
    end: 0,
    newText,
    creates: true,
  });
  const other = file.replace(UP, (way) => way.replace(/up/iu, "down").replace(/do\b/iu, "undo"));
  const hasOther = other !== file && files.some((each) => DOWN_FILE.test(each.file));
  return [
    creating(file, `${text.join("\n")}\n`),
    // The same name with the other suffix.
    ...(hasOther ? [creating(other as FileId, `${undo}\n`)] : []),
  ];
}

const MARKS = /^[^\S\n]*--[^\S\n]*(?:\+goose\s+(?:up|down)|\+migrate\s+(?:up|down)|migrate:(?:up|down))\b[^\n]*/gimu; // prettier-ignore
const DOWN = /down/iu;
const UP = /(?:^|[./])(?:up|do)(?=\.[^/]*$|\.sql$)/iu;
const DOWN_FILE = /(?:^|[./])(?:down|undo)(?=\.[^/]*$|\.sql$)/iu;

/** Appends `@@unique([room, day])` to the table's model; undefined if there is none. */
function modelEdit(
  { file, text }: Workshop["files"][number],
  table: string,
  unique: readonly string[],
): TextEdit | undefined {
  if (!/\.prisma$/iu.test(file)) return undefined;
  for (const { 0: block, 1: name, 2: body = "", index } of text.matchAll(MODEL)) {
    const mapped = /^\s*@@map\("([^"]*)"\)/mu.exec(body)?.[1] ?? name;
    if (mapped !== table) continue;
    const fields = unique.map((column) => fieldOf(body, column));
    if (fields.includes(undefined)) return undefined;
    const close = index + block.length - 1;
    return { file, start: close, end: close, newText: `  @@unique([${fields.join(", ")}])\n` };
  }
  return undefined;
}

/** The closing brace of a model has its own line. */
const MODEL = /^model\s+(\w+)\s*\{([^]*?)^\}/gmu;

/** The field of the column: with the same name, or mapped to it. */
function fieldOf(body: string, column: string): string | undefined {
  const fields = body.split("\n").map((line) => ({
    name: /^\s*(\w+)\s/u.exec(line)?.[1],
    mapped: /@map\("([^"]*)"\)/u.exec(line)?.[1],
  }));
  return fields.find(({ name, mapped }) => name !== undefined && (mapped ?? name) === column)?.name;
}

/** A migration beside a Prisma schema, if there are some. */
function besidePrisma(
  workshop: Workshop,
  schema: FileId,
  change: SchemaChange,
): readonly TextEdit[] {
  const folder = schema.slice(0, schema.lastIndexOf("/") + 1);
  const first = workshop.files.find(
    ({ file }) => file.startsWith(`${folder}migrations/`) && /\/migration\.sql$/u.test(file),
  );
  const next = first && nextMigration(first.file, workshop.files, change.name);
  return next ? newMigration(next.file, next.last.text, change, workshop) : [];
}
