// The variable set by the handler for NOT FOUND, and whether anything but FETCH can have set it.
import { find } from "../routine/names";
import type { Span } from "../text/split";
import { tokensOf } from "../text/tokens";
import { handlerOf } from "./handlers";
import { NO_ROW } from "./conditions";
import type { State } from "./state";
import { assignedBy, partsOf, type Block, type RoutineStatement } from "./tree";
import type { Constants } from "./fold";

export interface Flags {
  /** The variables' values after the handler has run. */
  readonly after: Constants;
  /** Their values if it has not. */
  readonly before: Constants;
  /** Their names in the routine. */
  readonly names: ReadonlySet<string>;
}

/** The effect of the current handler for NOT FOUND on variables that it sets to numbers. */
export function flagsOf(state: State): Flags {
  const after = new Map<string, number>();
  const before = new Map<string, number>();
  const names = new Set<string>();
  const visit = (statements: readonly RoutineStatement[]): void => {
    for (const each of statements) {
      if (each.kind === "block") visit(each.block.body);
      if (each.kind !== "set") continue;
      for (const { target, value } of each.items) {
        const [name = "", ...others] = target.path;
        const binding = find(state.names, target.path)?.binding;
        const number = numberAt(state, value);
        if (binding?.kind !== "variable" || others.length > 0 || number === undefined) continue;
        after.set(binding.variable, number);
        before.set(binding.variable, number === 0 ? 1 : 0);
        names.add(name);
      }
    }
  };
  visit(handlerOf(state, NO_ROW)?.body ?? []);
  return { after, before, names };
}

/** TRUE, FALSE or a number. */
function numberAt(state: State, span: Span): number | undefined {
  const { text } = state.body;
  const [token, ...others] = tokensOf(text, span.start, span.end);
  if (token === undefined || others.length > 0) return undefined;
  if (token.word === "true") return 1;
  if (token.word === "false") return 0;
  return token.kind === "number" ? Number(text.slice(token.start, token.end)) : undefined;
}

/**
 * True if the variables keep their initial values in every round of a loop: they have them at its start, and only FETCH can change them.
 */
export function isQuiet(
  state: State,
  body: readonly RoutineStatement[],
  loop: Span,
  flags: Flags,
): boolean {
  if (flags.names.size === 0) return false;
  if (eventsIn(state, body, flags).length > 0) return false;
  const around = state.frames.findLast((frame) => frame.kind === "loop")?.start ?? -1;
  const earlier = [
    ...initialEvents(state, state.tree, flags),
    ...eventsIn(state, state.tree, flags),
  ]
    .filter(({ at }) => at < loop.start && at > around)
    .toSorted((a, b) => a.at - b.at);
  return earlier.at(-1)?.resets === true;
}

interface Event {
  readonly at: number;
  /** True if the variable gets the value that it has before the handler runs. */
  readonly resets: boolean;
}

/** Every statement that may change the variables, including those in branches. */
function eventsIn(
  state: State,
  statements: readonly RoutineStatement[],
  flags: Flags,
): readonly Event[] {
  const { text } = state.body;
  return statements.flatMap((each): readonly Event[] => {
    const at = each.span.start;
    if (each.kind === "set") {
      return each.items
        .filter(({ target }) => flags.names.has(target.path[0] ?? ""))
        .map(({ value }) => ({ at, resets: isReset(state, flags, value) }));
    }
    const inner = eventsIn(state, bodyParts(each), flags);
    // A query without rows runs the handler, too.
    const asks = each.kind === "fetch" || each.kind === "call" || each.kind === "execute";
    const into = each.kind === "sql" && each.into !== undefined && !isAggregate(text, each.span);
    const assigns = assignedBy(each, text).some((name) => flags.names.has(name));
    return asks || into || assigns ? [...inner, { at, resets: false }] : inner;
  });
}

/** The inner statements, except those of handlers. */
function bodyParts(statement: RoutineStatement): readonly RoutineStatement[] {
  return statement.kind === "block" ? statement.block.body : partsOf(statement);
}

/** A SELECT of aggregates only always has a row. */
function isAggregate(text: string, span: Span): boolean {
  const words = text.slice(span.start, span.end);
  return (
    /^\s*select\s+(?:(ifnull\s*\(|coalesce\s*\()\s*)?(count|sum|min|max|avg)\s*\(/i.test(words) &&
    !/\bgroup\s+by\b/i.test(words)
  );
}

function initialEvents(
  state: State,
  statements: readonly RoutineStatement[],
  flags: Flags,
): readonly Event[] {
  return statements.flatMap((each): readonly Event[] => {
    const inner = initialEvents(state, bodyParts(each), flags);
    return each.kind === "block" ? [...declaredIn(state, each.block, flags), ...inner] : inner;
  });
}

function declaredIn(state: State, block: Block, flags: Flags): readonly Event[] {
  return block.declarations.flatMap((each): readonly Event[] => {
    if (each.kind !== "variables" || !each.names.some((name) => flags.names.has(name))) return [];
    const { value, span } = each;
    return [{ at: span.start, resets: value !== undefined && isReset(state, flags, value) }];
  });
}

function isReset(state: State, flags: Flags, value: Span): boolean {
  const number = numberAt(state, value);
  return number !== undefined && [...flags.before.values()].every((each) => each === number);
}
