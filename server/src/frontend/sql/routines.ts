// The functions and procedures of a workspace: their definitions first, since they call each other, then each as
// a transaction of its own.
import type { Note, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Query } from "../../program/statement";
import { migrationOf } from "../schema/migrations";
import { applyAnnotations } from "./annotated";
import { rangeOf, type LineIndex } from "./lines";
import type { PgParser } from "./pg/pgParser";
import type { RoutineContext } from "./pg/plState";
import { lowerRoutine } from "./pg/routine";
import { readDefinition, type RoutineDefinition } from "./pg/routineDefinition";
import { commentName, type ScannedFile } from "./scanFile";
import type { RoutineSlice } from "./scriptRegions";
import type { Span } from "./split";
import { withId } from "./uniqueIds";

interface Definition {
  readonly definition: RoutineDefinition;
  readonly slice: RoutineSlice;
}

export interface Routines {
  readonly definitions: readonly Definition[];
  readonly notes: readonly Note[];
}

/** The definitions of all files. Without PostgreSQL's parser each is noted as left out. */
export function readRoutines(files: readonly ScannedFile[], pg: PgParser | undefined): Routines {
  const definitions: Definition[] = [];
  const notes: Note[] = [];
  for (const { lines, routines } of files) {
    const ofFile = new Map<string, Definition>();
    for (const slice of routines) {
      if (pg === undefined) {
        notes.push(unread(lines, slice));
        continue;
      }
      const result = readDefinition({ lines, start: slice.start, end: slice.end }, pg);
      if (result.ok) {
        const { definition } = result;
        // CREATE OR REPLACE of the same signature, later in the file: what came before is gone.
        const replaces = /^create\s+or\s+replace\b/i.test(lines.text.slice(slice.start, slice.end));
        const key = replaces ? signature(definition) : `${ofFile.size} ${signature(definition)}`;
        ofFile.delete(key);
        ofFile.set(key, { definition, slice });
      } else {
        const message = `This routine cannot be read: ${result.message}.`;
        notes.push({ severity: "error", code: "syntax", message, source: result.source });
      }
    }
    definitions.push(...ofFile.values());
  }
  return { definitions, notes };
}

export interface RoutineSurroundings {
  readonly pg: PgParser;
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  readonly note: (note: Note) => void;
}

/** What routines and the scripts that call them are lowered in. */
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
  for (const definition of definitions) {
    const known = byName.get(definition.name);
    if (known === undefined) byName.set(definition.name, [definition]);
    else known.push(definition);
  }
  const inForce = new Map<string, readonly RoutineDefinition[]>();
  return (name, count, schema) => {
    const all = inForce.get(name) ?? withoutReplaced(byName.get(name) ?? []);
    inForce.set(name, all);
    const ofSchema = schema === undefined ? [] : all.filter((each) => each.schema === schema);
    const meant = ofSchema.length > 0 ? ofSchema : all;
    const [only, ...others] =
      meant.length === 1 ? meant : meant.filter((each) => takes(each, count));
    // Overloads that take as many arguments are told apart by types, which nobody knows here.
    return others.length === 0 ? only : undefined;
  };
}

/** Without definitions that a later one of the same signature takes the place of, where it is known which is later. */
function withoutReplaced(all: readonly RoutineDefinition[]): readonly RoutineDefinition[] {
  return all.filter((each, at) => !all.slice(at + 1).some((later) => isReplaced(each, later)));
}

function isReplaced(each: RoutineDefinition, later: RoutineDefinition): boolean {
  if (each.schema !== later.schema || signature(each) !== signature(later)) return false;
  if (writtenText(each) === writtenText(later)) return true;
  const [first, second] = [each, later].map(({ lines }) => migrationOf(lines.file));
  return first?.isCertain === true && second?.isCertain === true && first.set === second.set;
}

/** The definition's text without what makes no difference. */
function writtenText({ lines, span }: RoutineDefinition): string {
  const text = lines.text.slice(span.start, span.end).replaceAll(/\s+/g, " ");
  return text.replace(/^create or replace /i, "create ").replace(/^create /i, "create ");
}

/** Whether a call with that many arguments may mean it: those with a default may be left out. */
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

function signature(definition: RoutineDefinition): string {
  const types = definition.arguments.map(({ type }) => JSON.stringify(type?.names ?? null));
  return `${definition.name}(${types.join()})`.replaceAll(/"location":\d+/g, "");
}

function unread(lines: LineIndex, routine: Span): Note {
  const header = lines.text.slice(routine.start, routine.end).split(/\r?\n/, 1)[0] ?? "";
  const source = rangeOf(lines, routine.start, routine.start + header.length);
  const message = "This routine was left out: PostgreSQL's parser could not be loaded.";
  return { severity: "warning", code: "routine-unread", message, source };
}
