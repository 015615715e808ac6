// The functions and procedures of a workspace: all definitions first, since they call each other, then a transaction for each.
import type { Note, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import { runsBefore } from "../schema/migrations";
import type { Query } from "../../program/expression";
import { applyAnnotations } from "./annotations/attachment";
import { rangeOf, type LineIndex } from "./text/lines";
import type { PgParser } from "./pg/pgParser";
import { droppedRoutines } from "./pg/plpgsql/routineDrops";
import { lowerRoutine } from "./pg/plpgsql/routine";
import {
  readDefinition,
  typesText,
  type RoutineDefinition,
  type RoutineContext,
} from "./pg/plpgsql/routineDefinition";
import { commentName } from "./annotations/annotations";
import type { ScannedFile } from "./scanFile";
import type { RoutineSlice } from "./script/region";
import type { Span } from "./text/split";
import { withId } from "./uniqueIds";

interface Definition {
  readonly definition: RoutineDefinition;
  readonly slice: RoutineSlice;
}

export interface Routines {
  readonly definitions: readonly Definition[];
  readonly notes: readonly Note[];
}

/**
 * The final definitions of all files: a later one replaces one of the same signature, and DROP removes it, if the order is known. Without
 * PostgreSQL's parser each is noted as skipped.
 */
export function readRoutines(files: readonly ScannedFile[], pg: PgParser | undefined): Routines {
  const definitions: Definition[] = [];
  const endings = new Map<string, Ending[]>();
  const notes: Note[] = [];
  for (const { lines, routines, ddl } of files) {
    for (const slice of routines) {
      if (pg === undefined) {
        notes.push(unread(lines, slice));
        continue;
      }
      const result = readDefinition({ lines, start: slice.start, end: slice.end }, pg);
      if (result.ok) {
        const { definition } = result;
        definitions.push({ definition, slice });
        if (isNamed(definition)) {
          const takes = [inputTypes(definition)];
          const isCreate = !/^create\s+or\s+replace\b/i.test(textOf(definition));
          add(endings, definition.name, { ...definition, takes, isCreate });
        }
      } else {
        const message = `This routine cannot be read: ${result.message}.`;
        notes.push({ severity: "error", code: "syntax", message, source: result.source });
      }
    }
    for (const span of pg === undefined ? [] : ddl) {
      for (const drop of pg === undefined ? [] : droppedRoutines({ lines, ...span }, pg)) {
        add(endings, drop.name, { ...drop, lines, span, isCreate: false });
      }
    }
  }
  const stands = ({ definition }: Definition): boolean =>
    !(endings.get(definition.name) ?? []).some((ending) => ends(ending, definition));
  return { definitions: definitions.filter(stands), notes };
}

/** A statement that removes routines of a name; `takes` restricts the argument types. */
interface Ending {
  readonly schema: string | undefined;
  readonly takes: readonly string[] | undefined;
  /** True for CREATE without OR REPLACE: two in one file are ambiguous. */
  readonly isCreate: boolean;
  readonly lines: LineIndex;
  readonly span: Span;
}

function ends({ schema, takes, isCreate, lines, span }: Ending, each: RoutineDefinition): boolean {
  const isLater =
    lines.file === each.lines.file
      ? each.span.start < span.start && !isCreate
      : runsBefore(each.lines.file, lines.file);
  if (!isLater || (schema ?? PUBLIC) !== (each.schema ?? PUBLIC)) return false;
  return takes?.includes(inputTypes(each)) ?? isNamed(each);
}

/** The default schema. */
const PUBLIC = "public";

/** DO blocks have no name that could be dropped. */
const isNamed = (definition: RoutineDefinition): boolean => /^create\b/i.test(textOf(definition));

const textOf = ({ lines, span }: RoutineDefinition): string =>
  lines.text.slice(span.start, span.end);

function add<Kind>(lists: Map<string, Kind[]>, name: string, each: Kind): void {
  const known = lists.get(name);
  if (known === undefined) lists.set(name, [each]);
  else known.push(each);
}

export interface RoutineSurroundings {
  readonly pg: PgParser;
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  readonly note: (note: Note) => void;
}

/** The context of lowering routines and the scripts that call them. */
export function routineContext(
  { definitions }: Routines,
  { pg, table, view, note }: RoutineSurroundings,
): RoutineContext {
  const routine = byCall(definitions.map(({ definition }) => definition));
  return { parser: pg, table, view, note, routine };
}

/**
 * The routine that a call with this number of arguments means; undefined if ambiguous. Linear in the routines of that name, the first time.
 */
export function byCall(definitions: readonly RoutineDefinition[]): RoutineContext["routine"] {
  const byName = new Map<string, RoutineDefinition[]>();
  for (const definition of definitions) add(byName, definition.name, definition);
  const inForce = new Map<string, readonly RoutineDefinition[]>();
  return (name, count, schema) => {
    const all = inForce.get(name) ?? withoutCopies(byName.get(name) ?? []);
    inForce.set(name, all);
    const ofSchema = schema === undefined ? [] : all.filter((each) => each.schema === schema);
    const meant = ofSchema.length > 0 ? ofSchema : all;
    const [only, ...others] =
      meant.length === 1 ? meant : meant.filter((each) => takes(each, count));
    // Overloads with equal numbers of arguments differ in types, which are unknown here.
    return others.length === 0 ? only : undefined;
  };
}

/** The definitions without identical copies in several files. */
function withoutCopies(all: readonly RoutineDefinition[]): readonly RoutineDefinition[] {
  return all.filter((each, at) => !all.slice(at + 1).some((later) => isCopy(each, later)));
}

function isCopy(each: RoutineDefinition, later: RoutineDefinition): boolean {
  return each.schema === later.schema && writtenText(each) === writtenText(later);
}

/** The definition's text, normalised. */
function writtenText(definition: RoutineDefinition): string {
  const text = textOf(definition).replaceAll(/\s+/g, " ");
  return text.replace(/^create or replace /i, "create ").replace(/^create /i, "create ");
}

/** True if a call with that number of arguments may mean it: defaults may be omitted. */
function takes({ arguments: all }: RoutineDefinition, count: number): boolean {
  const inputs = all.filter((each) => each.isInput);
  const needed = inputs.filter(({ value }) => value === undefined);
  return needed.length <= count && count <= inputs.length;
}

/** The transactions of the routines, named and annotated by their comments. */
export function lowerRoutines(
  { definitions }: Routines,
  context: RoutineContext,
): readonly Transaction[] {
  return definitions.flatMap(({ definition, slice }) => {
    const wanted = commentName(slice.annotations);
    return lowerRoutine(definition, context).map((transaction) => {
      const named =
        wanted === undefined ? transaction : { ...withId(transaction, wanted), name: wanted };
      return applyAnnotations(named, slice.annotations, definition.lines, context.note);
    });
  });
}

/** The types that distinguish a routine from others of its name. */
function inputTypes({ arguments: all }: RoutineDefinition): string {
  return typesText(all.filter((each) => each.isInput).map(({ type }) => type));
}

function unread(lines: LineIndex, routine: Span): Note {
  const header = lines.text.slice(routine.start, routine.end).split(/\r?\n/, 1)[0] ?? "";
  const source = rangeOf(lines, routine.start, routine.start + header.length);
  const message = "This routine was left out: PostgreSQL's parser could not be loaded.";
  return { severity: "warning", code: "routine-unread", message, source };
}
