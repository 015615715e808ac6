// The stored routines of MySQL and MariaDB files: all definitions first, since they call each other, then the transactions of each.
import type { Dialect } from "../../../program/dialect";
import type { Note, Transaction } from "../../../program/program";
import { runsBefore } from "../../schema/migrations";
import { applyAnnotations } from "../annotations/attachment";
import type { LineIndex } from "../text/lines";
import { commentName } from "../scanFile";
import type { RoutineSlice } from "../script/region";
import type { Span } from "../text/split";
import { withId } from "../uniqueIds";
import { readDefinition, type RoutineDefinition } from "./definition";
import { lowerRoutine } from "./routine";
import type { RoutineContext } from "./state";
import type { UnreadTrigger } from "./unreadTriggers";

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
  readonly triggers: readonly UnreadTrigger[];
  readonly notes: readonly Note[];
}

/**
 * The definitions in these files; later ones of the same name replace earlier ones, and a later DROP removes them, if the order is known.
 */
export function readStoredRoutines(files: readonly RoutineFile[]): StoredRoutines {
  const byName = new Map<string, Definition[]>();
  const notes: Note[] = [];
  const triggers: UnreadTrigger[] = [];
  for (const { lines, routines, dialect } of files) {
    for (const slice of routines) {
      const result = readDefinition(lines, slice, dialect);
      if (result.kind === "routine") {
        const { definition } = result;
        const earlier = (byName.get(definition.name) ?? []).filter(
          ({ definition: { lines: own } }) =>
            own.file !== lines.file && !runsBefore(own.file, lines.file),
        );
        byName.delete(definition.name);
        byName.set(definition.name, [...earlier, { definition, slice }]);
      } else {
        notes.push(noteOf(result));
        if (result.kind === "trigger" && result.table !== undefined) {
          const { name, table, moment } = result;
          triggers.push(...moment.map((event) => ({ name, table, event: event.toLowerCase() })));
        }
      }
    }
  }
  const drops = files.flatMap(({ lines, ddl }) =>
    ddl.flatMap((span): readonly Drop[] => {
      const name = DROP.exec(lines.text.slice(span.start, span.end))?.[1];
      return name === undefined ? [] : [{ name: plainName(name), lines, start: span.start }];
    }),
  );
  const isDropped = ({ definition, slice }: Definition): boolean =>
    drops.some(
      ({ name, lines, start }) =>
        name === plainName(definition.name) &&
        (lines.file === definition.lines.file
          ? slice.start < start
          : runsBefore(definition.lines.file, lines.file)),
    );
  const definitions = [...byName.values()].flat();
  return { definitions: definitions.filter((each) => !isDropped(each)), triggers, notes };
}

interface Drop {
  readonly name: string;
  readonly lines: LineIndex;
  readonly start: number;
}

/** The last part of the name, quoted or without quotes. */
const DROP =
  /^drop\s+(?:procedure|function)\s+(?:if\s+exists\s+)?(?:(?:["`][^"`]*["`]|\w+)\s*\.\s*)?(["`][^"`]*["`]|[\w$]+)/iu;

/** Routine names are case-insensitive. */
const plainName = (name: string): string => name.replaceAll(/["`]/gu, "").toLowerCase();

function noteOf(result: Exclude<ReturnType<typeof readDefinition>, { kind: "routine" }>): Note {
  const { source } = result;
  switch (result.kind) {
    case "trigger": {
      const on = result.table === undefined ? "" : ` on ${result.table}`;
      const message = `The trigger ${result.name}${on} is not analysed.`;
      return { severity: "warning", code: "trigger", message, source };
    }
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
