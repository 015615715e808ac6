// The stored routines of MySQL and MariaDB files: all definitions first, since they call each other, then the transactions of each.
import type { Dialect } from "../../../program/dialect";
import type { Note, Transaction } from "../../../program/program";
import { runsBefore } from "../../schema/migrations";
import { applyAnnotations } from "../annotations/attachment";
import { currentSchemaAt } from "../text/currentSchema";
import type { LineIndex } from "../text/lines";
import type { WrittenName } from "../relationNames";
import { commentName } from "../annotations/annotations";
import type { RoutineSlice } from "../script/region";
import type { Span } from "../text/split";
import type { TriggerEvent } from "../triggers/trigger";
import { withId } from "../uniqueIds";
import { readDefinition, type DefinitionResult, type RoutineDefinition } from "./definition";
import { lowerRoutine } from "./routine";
import type { RoutineContext } from "./state";
import type { StoredTrigger } from "./triggers";

/** A file as far as its routines go. */
export interface RoutineFile {
  readonly lines: LineIndex;
  readonly routines: readonly RoutineSlice[];
  /** The places of its definitions and drops. */
  readonly ddl: readonly Span[];
  readonly dialect: Dialect;
}

interface Definition {
  readonly definition: RoutineDefinition;
  readonly slice: RoutineSlice;
}

export interface StoredRoutines {
  readonly definitions: readonly Definition[];
  readonly triggers: readonly StoredTrigger[];
  readonly notes: readonly Note[];
}

/**
 * The definitions in these files; later ones of the same name replace earlier ones, and a later DROP removes them, if the order is known.
 */
export function readStoredRoutines(files: readonly RoutineFile[]): StoredRoutines {
  const byName = new Map<string, Definition[]>();
  const notes: Note[] = [];
  const triggers: PlacedTrigger[] = [];
  for (const { lines, routines, dialect } of files) {
    for (const slice of routines) {
      const result = readDefinition(lines, slice, dialect);
      if (result.kind === "routine") {
        const { definition } = result;
        const key = JSON.stringify([schemaOf(definition), definition.name]);
        const earlier = (byName.get(key) ?? []).filter(
          ({ definition: { lines: own } }) =>
            own.file !== lines.file && !runsBefore(own.file, lines.file),
        );
        byName.delete(key);
        byName.set(key, [...earlier, { definition, slice }]);
      } else if (result.kind === "trigger") {
        triggers.push({ trigger: triggerOf(result), lines, start: slice.start });
      } else {
        notes.push(noteOf(result));
      }
    }
  }
  const dropped = (what: RegExp): readonly Drop[] =>
    files.flatMap(({ lines, ddl }) =>
      ddl.flatMap((span): readonly Drop[] => {
        const names = what.exec(lines.text.slice(span.start, span.end))?.[1];
        return (names?.split(",") ?? []).map((each) => {
          const { name, schema = currentSchemaAt(lines, span.start) } = pathOf(each);
          return { name, schema, lines, start: span.start };
        });
      }),
    );
  const drops = dropped(DROP);
  const definitions = [...byName.values()].flat().filter(({ definition, slice }) => {
    const own = { name: definition.name.toLowerCase(), schema: schemaOf(definition) };
    const { lines } = definition;
    return !drops.some((each) => isSameName(each, own) && follows(each, lines, slice));
  });
  return { definitions, triggers: standing(triggers, dropped), notes };
}

/** The database of a routine or trigger, as far as its definition or its file says. */
function schemaOf({ schema, lines, span }: RoutineDefinition): string | undefined {
  return schema ?? currentSchemaAt(lines, span.start);
}

/** True for names that may be one: those without a database may be of any. */
function isSameName(one: WrittenName, other: WrittenName): boolean {
  const isApart =
    one.schema !== undefined && other.schema !== undefined && one.schema !== other.schema;
  return one.name === other.name && !isApart;
}

interface Drop extends WrittenName {
  readonly lines: LineIndex;
  readonly start: number;
}

/** True if the later statement surely runs behind the earlier one. */
function follows(
  later: Pick<Drop, "lines" | "start">,
  lines: LineIndex,
  { start }: Pick<Span, "start">,
): boolean {
  return later.lines.file === lines.file
    ? start < later.start
    : runsBefore(lines.file, later.lines.file);
}

/** The path of what goes, or the paths of tables. */
const DROP = /^drop\s+(?:procedure|function)\s+(?:if\s+exists\s+)?([^;]+)/iu;
const DROP_TRIGGER = /^drop\s+trigger\s+(?:if\s+exists\s+)?([^;]+)/iu;
const DROP_TABLE = /^drop\s+table\s+(?:if\s+exists\s+)?([^;]+)/iu;

/** A path of names, quoted or without quotes, whatever stands behind it. Names of routines are case-insensitive. */
function pathOf(text: string): WrittenName {
  const path = /^\s*(?:(["`][^"`]*["`]|[\w$]+)\s*\.\s*)?(["`][^"`]*["`]|[\w$]+)/u.exec(text);
  const folded = (name: string): string => name.replaceAll(/["`]/gu, "").toLowerCase();
  const schema = path?.[1];
  return { name: folded(path?.[2] ?? ""), schema: schema === undefined ? schema : folded(schema) };
}

interface PlacedTrigger {
  readonly trigger: StoredTrigger;
  readonly lines: LineIndex;
  readonly start: number;
}

function triggerOf({
  name,
  table,
  moment,
  beside,
  definition,
  source,
}: Extract<DefinitionResult, { kind: "trigger" }>): StoredTrigger {
  const [timing, ...others] = moment;
  const events = EVENTS.filter((each) => others.includes(each));
  const isKnown =
    (timing === "before" || timing === "after") &&
    others.every((each) => each === "or" || EVENTS.some((event) => event === each));
  const on = { name: table.name, schema: table.schema ?? schemaOf(definition) };
  return {
    name,
    on,
    table: table.name,
    timing: timing === "before" ? "before" : "after",
    events: isKnown ? events : EVENTS,
    perRow: true,
    columns: [],
    isEnabled: true,
    definition,
    source,
    ...(beside && { beside }),
    ...(!isKnown && { unread: "its moment cannot be read" }),
  };
}

const EVENTS: readonly TriggerEvent[] = ["insert", "update", "delete"];

/** The triggers that stand at the end, in the order in which they run; a name that several files define is none of theirs. */
function standing(
  all: readonly PlacedTrigger[],
  dropped: (what: RegExp) => readonly Drop[],
): readonly StoredTrigger[] {
  const own = dropped(DROP_TRIGGER);
  const tables = dropped(DROP_TABLE);
  const left = all.filter(
    ({ trigger, lines, start }, at) =>
      !own.some((each) => isSameName(each, nameOf(trigger)) && follows(each, lines, { start })) &&
      !tables.some(
        (each) => isSameName(each, tableOf(trigger)) && follows(each, lines, { start }),
      ) &&
      // CREATE OR REPLACE, and a text that several files repeat.
      !all.some(
        (each, place) =>
          place > at &&
          isSameName(nameOf(each.trigger), nameOf(trigger)) &&
          (follows(each, lines, { start }) || isSameText(each.trigger, trigger)),
      ),
  );
  const ordered: StoredTrigger[] = [];
  for (const { trigger, lines } of left) {
    const isSame = (each: PlacedTrigger): boolean =>
      isSameName(nameOf(each.trigger), nameOf(trigger));
    const isAmbiguous =
      left.filter(isSame).length > 1
        ? "several files define it"
        : left.some(
              (each) =>
                each.lines.file !== lines.file &&
                isAtOnce(each.trigger, trigger) &&
                !runsBefore(each.lines.file, lines.file) &&
                !runsBefore(lines.file, each.lines.file),
            )
          ? "whether it runs before those of other files is not known"
          : undefined;
    const read = isAmbiguous === undefined ? trigger : { ...trigger, unread: isAmbiguous };
    const { beside } = trigger;
    const place = ordered.findIndex(({ name }) => name === beside?.name);
    if (beside === undefined || place < 0) ordered.push(read);
    else ordered.splice(beside.where === "before" ? place : place + 1, 0, read);
  }
  return ordered;
}

/** A trigger is of the database of its table. */
function nameOf({ name, on: { schema } }: StoredTrigger): WrittenName {
  return { name, schema };
}

function tableOf({ on: { name, schema } }: StoredTrigger): WrittenName {
  return { name: name.toLowerCase(), schema };
}

function isAtOnce(one: StoredTrigger, other: StoredTrigger): boolean {
  return (
    isSameName(tableOf(one), tableOf(other)) &&
    one.timing === other.timing &&
    one.events.some((each) => other.events.includes(each))
  );
}

function isSameText(one: StoredTrigger, other: StoredTrigger): boolean {
  const text = ({ definition }: StoredTrigger): string =>
    definition.body.text.replaceAll(/\s+/gu, " ").replace(/[\s;]+$/u, "");
  return isAtOnce(one, other) && text(one) === text(other);
}

function noteOf(result: Extract<DefinitionResult, { kind: "event" | "unreadable" }>): Note {
  const { source } = result;
  switch (result.kind) {
    case "event": {
      const message = `The event ${result.name}, which the server runs by itself, is not analysed.`;
      return { severity: "warning", code: "event", message, source };
    }
    case "unreadable": {
      const message = `This routine cannot be read: ${result.message}.`;
      return { severity: "error", code: "syntax", message, source };
    }
  }
}

/** The context of lowering the routines and the scripts that call them. */
export function storedContext(
  { definitions }: StoredRoutines,
  around: Omit<RoutineContext, "routine">,
): RoutineContext {
  const byName = new Map<string, RoutineDefinition | undefined>();
  for (const { definition } of definitions) {
    // A name defined in several files is ambiguous.
    byName.set(definition.name, byName.has(definition.name) ? undefined : definition);
  }
  return { ...around, routine: (name) => byName.get(name) };
}

/** The transactions of the routines, named and annotated by their comments. */
export function lowerStoredRoutines(
  { definitions }: StoredRoutines,
  context: RoutineContext,
): readonly Transaction[] {
  const bare = new Map<LineIndex, Transaction[]>();
  const transactions = definitions.flatMap(({ definition, slice }) => {
    const wanted = commentName(slice.annotations);
    const lowered = lowerRoutine(definition, context);
    const [only, ...others] = lowered;
    if (only?.boundary === "routine" && others.length === 0 && definition.isProcedure) {
      const { lines } = definition;
      bare.set(lines, [...(bare.get(lines) ?? []), only]);
    }
    return lowered.map((transaction) => {
      const { name } = definition;
      const renamed =
        wanted === undefined ? transaction.name : transaction.name.replace(name, wanted);
      const named =
        renamed === transaction.name
          ? transaction
          : { ...withId(transaction, renamed), name: renamed };
      return applyAnnotations(named, slice.annotations, definition.lines, context.note);
    });
  });
  for (const routines of bare.values()) noteBare(routines, context.note);
  return transactions;
}

/** Procedures without START TRANSACTION are analysed as their callers' transactions; noted once per file. */
function noteBare(routines: readonly Transaction[], note: (note: Note) => void): void {
  const several = routines.filter(({ body }) => statementsIn(body) > 1);
  const [first, ...others] = several;
  if (first === undefined) return;
  const what =
    others.length === 0 ? `${first.name} begins` : `${first.name} and ${others.length} more begin`;
  const it = others.length === 0 ? "it is" : "each is";
  const message =
    `${what} no transaction: ${it} checked as the one that its caller begins. Called without one ` +
    `while autocommit is on, every statement would be a transaction of its own.`;
  note({ severity: "information", code: "no-begin", message, source: first.header });
}

function statementsIn(body: Transaction["body"]): number {
  switch (body.kind) {
    case "statement":
      return 1;
    case "sequence":
      return body.commands.reduce((sum, each) => sum + statementsIn(each), 0);
    case "if":
      return (
        statementsIn(body.then) + (body.otherwise === undefined ? 0 : statementsIn(body.otherwise))
      );
    case "loop":
      return statementsIn(body.body);
    case "try":
      return statementsIn(body.body) + statementsIn(body.handler);
    default:
      return 0;
  }
}
