// A script's transaction as lines that a test runs: statements with `:name` for values, and psql commands for variables and branches. All
// kinds of user placeholders become `:name`.
import { preLex, withPlaceholders } from "../frontend/sql/text/preLex";
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { ScriptItem } from "../frontend/sql/script/region";
import type { Span } from "../frontend/sql/text/split";
import { positionAt } from "../frontend/sql/text/lines";
import { writtenList } from "../program/arrays";
import type { Transaction } from "../program/program";
import { ownEntry } from "../protocol/dictionary";
import type { Position } from "../protocol/source";
import type { Value } from "../protocol/witness";

export interface Script {
  readonly lines: readonly string[];
  readonly values: Readonly<Record<string, Value>>;
  /** The line number of the statement at this position, from 1. */
  placeOf(start: Position): number | undefined;
}

/** The lines, or the reason why a test cannot run the script. */
export function scriptOf(
  files: readonly ScannedFile[],
  { source }: Transaction,
  args: Readonly<Record<string, Value>>,
): Script | string {
  const file = files.find(({ lines }) => lines.file === source.file);
  const region = file?.regions.find(({ region: { source: span } }) =>
    isSame(positionAt(file.lines, span.start), source.range.start),
  )?.region;
  if (!file || !region) return "its text cannot be found again";
  const writer = { file, anonymous: 0, lines: [] as string[], starts: [] as Position[] };
  for (const item of region.items) {
    const problem = addItem(writer, item);
    if (problem !== undefined) return problem;
  }
  return {
    lines: writer.lines,
    values: Object.fromEntries(
      [...Object.entries(args), ...listsIn(args)].map(([name, value]) => [plain(name), value]),
    ),
    placeOf: (start) => {
      const at = writer.starts.findIndex((each) => isSame(each, start));
      return at < 0 ? undefined : at + 1;
    },
  };
}

/** Lists whose items are arguments of their own, each in one text. */
function listsIn(args: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
  return Object.keys(args).flatMap((name) => {
    const [, list] = /^(.*)\[1\]$/su.exec(name) ?? [];
    const text = list === undefined ? undefined : writtenList(list, (item) => ownEntry(args, item));
    return list === undefined || text === undefined ? [] : [[list, text] as const];
  });
}

interface Writer {
  readonly file: ScannedFile;
  anonymous: number;
  readonly lines: string[];
  /** The start of each line in the file. */
  readonly starts: Position[];
}

function addItem(writer: Writer, item: ScriptItem): string | undefined {
  switch (item.kind) {
    case "statement":
      // The test sets the level itself.
      if (item.what !== "session") add(writer, item.start, withNames(writer, item));
      return undefined;
    case "control": {
      const { kind } = item.control;
      if (kind === "begin") return undefined;
      if (kind === "commit" || kind === "twoPhase") add(writer, item.start, "COMMIT");
      else if (kind === "rollback") add(writer, item.start, "ROLLBACK");
      else add(writer, item.start, textOf(writer, item));
      return undefined;
    }
    case "meta":
      return addMeta(writer, item.command);
  }
}

function addMeta(
  writer: Writer,
  command: Extract<ScriptItem, { kind: "meta" }>["command"],
): string | undefined {
  switch (command.kind) {
    case "set":
      add(writer, command.start, `\\set ${command.name} ${withNames(writer, command.value)}`);
      return undefined;
    case "gset": {
      const last = writer.lines.pop();
      if (last !== undefined) writer.lines.push(`${last} \\gset ${command.prefix}`.trimEnd());
      return undefined;
    }
    case "if":
    case "elif":
      add(writer, command.start, `\\${command.kind} ${withNames(writer, command.condition)}`);
      return undefined;
    case "else":
    case "endif":
      add(writer, command.start, `\\${command.kind}`);
      return undefined;
    case "include":
    case "dynamic":
      return "it runs SQL that is only known when it runs";
    default:
      return undefined;
  }
}

function add(writer: Writer, start: number, line: string): void {
  writer.lines.push(line);
  writer.starts.push(positionAt(writer.file.lines, start));
}

function textOf({ file }: Writer, { start, end }: Span): string {
  return file.lines.text.slice(start, end).trim();
}

/** The text with `:name` for each placeholder. */
function withNames(writer: Writer, span: Span): string {
  const { lines } = writer.file;
  const { placeholders, edits } = preLex(lines, span.start, span.end, writer.anonymous);
  writer.anonymous += placeholders.filter(({ name }) => name.startsWith("?")).length;
  return withPlaceholders(lines.text, span, edits, ({ name }) => `:${plain(name)}`).trim();
}

/** A placeholder's name as an identifier. */
function plain(name: string): string {
  return name
    .replace(/^[$?]/, "p")
    .replace(/^@/, "")
    .replace(/\[(\d+)\]$/, "_$1");
}

function isSame(one: Position, other: Position): boolean {
  return one.line === other.line && one.character === other.character;
}
