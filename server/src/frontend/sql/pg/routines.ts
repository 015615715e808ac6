// All routines of a workspace: their definitions by name, and the transactions that they are.
import type { Note, Transaction } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Query } from "../../../program/statement";
import type { PgParser } from "./pgParser";
import { lowerRoutine } from "./routine";
import { readDefinition, type RoutineDefinition, type RoutineText } from "./routineDefinition";

export interface Routines<Text extends RoutineText> {
  readonly definitions: readonly { readonly text: Text; readonly definition: RoutineDefinition }[];
  readonly notes: readonly Note[];
}

/** Reads the definitions. Never fails: what PostgreSQL cannot read is noted at its place. */
export function readRoutines<Text extends RoutineText>(
  texts: readonly Text[],
  parser: PgParser,
): Routines<Text> {
  const definitions: { text: Text; definition: RoutineDefinition }[] = [];
  const notes: Note[] = [];
  for (const text of texts) {
    const result = readDefinition(text, parser);
    if (result.ok) definitions.push({ text, definition: result.definition });
    else {
      const message = `PostgreSQL cannot read this routine: ${result.message}.`;
      notes.push({ severity: "error", code: "syntax", message, source: result.source });
    }
  }
  return { definitions, notes };
}

export interface RoutineLowering {
  readonly parser: PgParser;
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  readonly note: (note: Note) => void;
}

/** Lowers one routine; calls of the others are followed. A name that several share is not followed. */
export function createRoutineLowering(
  routines: Routines<RoutineText>,
  lowering: RoutineLowering,
): (definition: RoutineDefinition) => readonly Transaction[] {
  const byName = new Map<string, RoutineDefinition | undefined>();
  for (const { definition } of routines.definitions) {
    const { name } = definition;
    byName.set(name, byName.has(name) ? undefined : definition);
  }
  const shared = { ...lowering, routine: (name: string) => byName.get(name) };
  return (definition) => lowerRoutine(definition, shared);
}
