// The functions and procedures of a workspace: their definitions first, since they call each other, then each as
// a transaction of its own.
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
import { commentName, type ScannedFile } from "./scanFile";
import type { RoutineSlice } from "./script/regions";
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
 * The definitions of all files that stand in the end: a later one of the same signature takes the place of one, and DROP
 * takes it away, where it is known which is later. Without PostgreSQL's parser each is noted as left out.
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

/** The statement that takes away routines of a name; `takes`: of these arguments alone. */
interface Ending {
  readonly schema: string | undefined;
  readonly takes: readonly string[] | undefined;
  /** CREATE alone: of two in one file nobody knows which one is meant. */
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

/** The schema of what names none. */
const PUBLIC = "public";

/** DO has no name that a statement could take away. */
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

/** The context in which routines and the scripts that call them are lowered. */
export function routineContext(
  { definitions }: Routines,
  { pg, table, view, note }: RoutineSurroundings,
): RoutineContext {
  const routine = byCall(definitions.map(({ definition }) => definition));
  return { parser: pg, table, view, note, routine };
}

/**
 * The routine that a call of that name with so many arguments means; undefined where several may be meant. Linear in the
 * routines of that name, the first time.
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
    // Overloads that take as many arguments are told apart by types, which nobody knows here.
    return others.length === 0 ? only : undefined;
  };
}

/** Without definitions that stand in several files alike. */
function withoutCopies(all: readonly RoutineDefinition[]): readonly RoutineDefinition[] {
  return all.filter((each, at) => !all.slice(at + 1).some((later) => isCopy(each, later)));
}

function isCopy(each: RoutineDefinition, later: RoutineDefinition): boolean {
  return each.schema === later.schema && writtenText(each) === writtenText(later);
}

/** The definition's text without what makes no difference. */
function writtenText(definition: RoutineDefinition): string {
  const text = textOf(definition).replaceAll(/\s+/g, " ");
  return text.replace(/^create or replace /i, "create ").replace(/^create /i, "create ");
}

/** True if a call with that many arguments may mean it: those with a default may be left out. */
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

/** The types that tell a routine from others of its name. */
function inputTypes({ arguments: all }: RoutineDefinition): string {
  return typesText(all.filter((each) => each.isInput).map(({ type }) => type));
}

function unread(lines: LineIndex, routine: Span): Note {
  const header = lines.text.slice(routine.start, routine.end).split(/\r?\n/, 1)[0] ?? "";
  const source = rangeOf(lines, routine.start, routine.start + header.length);
  const message = "This routine was left out: PostgreSQL's parser could not be loaded.";
  return { severity: "warning", code: "routine-unread", message, source };
}
