// A change of the schema where the project keeps its schema: behind the table in a script that is applied anew, as a new
// file where the script is a migration that was applied, in the model of Prisma's schema with a migration beside it.
import { nextMigration } from "../../../frontend/schema/migrations";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";
import type { Workshop } from "../workshop";

export interface SchemaChange {
  /** The name of a migration's file, in lower case with underscores. */
  readonly name: string;
  readonly statement: string;
  /** The text that undoes a migration that can be undone. */
  readonly undo: string;
  /** The columns of the key that it adds; absent: it adds none. */
  readonly unique?: readonly string[];
}

/** The edits; undefined where the table is declared in code, by inference, or nowhere. */
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

/** The new file, with the marks of tools that the last one has, and one that undoes it where the last one has such a one. */
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
    // Named as the other one, which is a file's name.
    ...(hasOther ? [creating(other as FileId, `${undo}\n`)] : []),
  ];
}

const MARKS = /^[^\S\n]*--[^\S\n]*(?:\+goose\s+(?:up|down)|\+migrate\s+(?:up|down)|migrate:(?:up|down))\b[^\n]*/gimu; // prettier-ignore
const DOWN = /down/iu;
const UP = /(?:^|[./])(?:up|do)(?=\.[^/]*$|\.sql$)/iu;
const DOWN_FILE = /(?:^|[./])(?:down|undo)(?=\.[^/]*$|\.sql$)/iu;

/** `@@unique([room, day])` as the last line of the model that stands for the table; undefined: there is none. */
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

/** The closing brace of a model stands alone in its line. */
const MODEL = /^model\s+(\w+)\s*\{([^]*?)^\}/gmu;

/** The field of that column: of the same name, or mapped to it. */
function fieldOf(body: string, column: string): string | undefined {
  const fields = body.split("\n").map((line) => ({
    name: /^\s*(\w+)\s/u.exec(line)?.[1],
    mapped: /@map\("([^"]*)"\)/u.exec(line)?.[1],
  }));
  return fields.find(({ name, mapped }) => name !== undefined && (mapped ?? name) === column)?.name;
}

/** A migration beside a schema of Prisma, where there are some. */
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
