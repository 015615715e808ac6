// Groups the slices of a script into transactions: BEGIN ... COMMIT, marked statements, single statements. Works on text only; script.ts
// lowers a region to the AR.
import { atBegin } from "../../../program/declaredLevel";
import type { DeclaredLevel, Note } from "../../../program/program";
import { findLevel } from "../../../isolation/levels";
import { dialectLabel, type Dialect } from "../../../program/dialect";
import { nearestName, type AnnotationComment } from "../annotations/annotations";
import { readControl, type Control } from "../control";
import { readDialectControl } from "../dialectControl";
import { rangeOf, type LineIndex } from "../text/lines";
import { mayDefine } from "../definitionFilter";
import { commitsImplicitly } from "../implicitCommit";
import type { Slice, Span } from "../text/split";
import { firstWords, KEYWORDS, statementKind } from "../text/statementKind";
import { settingRemark, unfollowedSettingOf } from "./settings";
import { readMetaCommand, type MetaCommand } from "./metaCommand";
import { createDefinitions, type Definitions, type Environment } from "./environment";
import type {
  ControlItem,
  MetaItem,
  Region,
  RoutineSlice,
  ScriptItem,
  StatementItem,
} from "./region";

export interface Regions {
  readonly regions: readonly Region[];
  readonly ddl: readonly Span[];
  readonly routines: readonly RoutineSlice[];
  readonly notes: readonly Note[];
}

/** The transactions of a file. Linear in the number of slices and comments. */
export function groupRegions(
  lines: LineIndex,
  slices: readonly Slice[],
  comments: readonly AnnotationComment[],
  dialect: Dialect = "postgres",
): Regions {
  const state: State = {
    lines,
    dialect,
    autocommit: true,
    hasLockedTables: false,
    isCatching: false,
    comments,
    nextComment: 0,
    waiting: [],
    definitions: createDefinitions(),
    regions: [],
    ddl: [],
    routines: [],
    notes: [],
  };
  for (const slice of slices) {
    takeComments(state, slice.start);
    addSlice(state, slice);
    takeComments(state, slice.end, slice);
  }
  takeComments(state, Number.POSITIVE_INFINITY);
  if (state.open?.boundary === "explicit" && state.autocommit) {
    note(state, "warning", "no-commit", "This transaction has no COMMIT.", state.open.header);
    state.open.isLeftOpen = true;
  }
  closeRegion(state);
  dropWaiting(state);
  return { regions: state.regions, ddl: state.ddl, routines: state.routines, notes: state.notes };
}

/** One \if that was opened inside of the current transaction. */
interface Frame {
  branches: number;
  /** Branches that end the transaction. */
  ended: number;
  endedHere: boolean;
  hasElse: boolean;
}

interface Open {
  isLeftOpen?: true;
  readonly boundary: Region["boundary"];
  readonly header: Span;
  end: number;
  readonly items: ScriptItem[];
  level: DeclaredLevel | undefined;
  readonly annotations: AnnotationComment[];
  readonly environment: Environment;
  readonly frames: Frame[];
  /** The depth of open \if beyond the limit. */
  skipped: number;
}

interface State {
  readonly lines: LineIndex;
  readonly dialect: Dialect;
  /** When off, a statement outside of a transaction begins one. */
  autocommit: boolean;
  /** True while LOCK TABLES holds. */
  hasLockedTables: boolean;
  /** True between BEGIN CATCH and END CATCH. */
  isCatching: boolean;
  readonly comments: readonly AnnotationComment[];
  nextComment: number;
  /** Comments for the next transaction. */
  waiting: AnnotationComment[];
  readonly definitions: Definitions;
  sessionLevel?: DeclaredLevel;
  /** The level of the next transaction only. */
  nextLevel?: DeclaredLevel | undefined;
  open?: Open | undefined;
  readonly regions: Region[];
  readonly ddl: Span[];
  readonly routines: RoutineSlice[];
  readonly notes: Note[];
}

function note(
  state: State,
  severity: Note["severity"],
  code: string,
  message: string,
  at: Span,
): void {
  state.notes.push({ severity, code, message, source: rangeOf(state.lines, at.start, at.end) });
}

/** Comments before `until` belong to the open transaction, or wait for the next one. */
function takeComments(state: State, until: number, within?: Slice): void {
  for (; state.nextComment < state.comments.length; state.nextComment++) {
    const comment = state.comments[state.nextComment];
    if (comment === undefined || comment.start >= until) return;
    // A new name ends a marked group of statements; inside of BEGIN ... COMMIT it names that transaction.
    if (isName(comment) && isMarked(state.open)) closeRegion(state);
    if (comment.kind === "query") {
      // In place of one that no statement followed.
      if (state.open === undefined && within === undefined)
        state.waiting = [...state.waiting.filter(({ kind }) => kind !== "query"), comment];
      continue;
    }
    const routine = state.routines.at(-1);
    if (routine !== undefined && comment.start < routine.end) {
      const annotations = [...routine.annotations, comment];
      state.routines[state.routines.length - 1] = { ...routine, annotations };
    } else if (state.open === undefined) {
      state.waiting.push(comment);
    } else {
      state.open.annotations.push(comment);
    }
  }
}

/** True if the comment begins a group of statements. */
function isName({ kind }: AnnotationComment): boolean {
  return kind === "transaction" || kind === "unit";
}

/** True if a comment, not BEGIN, began the region. */
function isMarked(open: Open | undefined): boolean {
  return open?.boundary === "script" || open?.boundary === "unit";
}

/** Opens a region if the waiting comments request one. */
function openMarked(state: State, header: Span): Open | undefined {
  const named = state.waiting.findLast(isName);
  if (named === undefined) return undefined;
  return openRegion(state, named.kind === "unit" ? "unit" : "script", header);
}

/** Drops waiting comments without a target. */
function dropWaiting(state: State): void {
  for (const comment of state.waiting) {
    if (comment.kind === "invariant" || comment.kind === "query") continue;
    const message = `No transaction follows that "@isolens ${comment.kind}" could belong to.`;
    note(state, "warning", "annotation-unattached", message, comment);
  }
  state.waiting = [];
}

function addSlice(state: State, slice: Slice): void {
  const { text } = state.lines;
  if (state.dialect === "sqlserver" && isInCatch(state, slice)) return;
  if (slice.kind === "data") {
    state.ddl.push(slice);
  } else if (slice.kind === "meta") {
    addMeta(state, readMetaCommand(text, slice.start, slice.end));
  } else {
    const { dialect } = state;
    const control =
      dialect === "postgres"
        ? readControl(text, slice.start, slice.end)
        : readDialectControl(text, slice.start, slice.end, dialect);
    const span = { start: slice.start, end: slice.end };
    if (control !== undefined) addControl(state, { kind: "control", control, ...span });
    else {
      const what = statementKind(text, slice.start, slice.end, dialect);
      addStatement(state, { kind: "statement", what, ...span });
    }
  }
}

/** BEGIN CATCH ... END CATCH of SQL Server only runs on errors, which end the transaction here. */
function isInCatch(state: State, slice: Slice): boolean {
  const head = state.lines.text.slice(slice.start, Math.min(slice.end, slice.start + 40));
  if (/^begin\s+catch\b/i.test(head)) {
    state.isCatching = true;
    const message =
      "What happens after an error is not followed: an error is taken to undo the transaction.";
    note(state, "information", "catch", message, slice);
  }
  const isInside = state.isCatching;
  if (/^end\s+catch\b/i.test(head)) state.isCatching = false;
  return isInside;
}

function addStatement(state: State, item: StatementItem): void {
  const setting = unfollowedSettingOf(state.dialect, state.lines.text, item);
  if (setting !== undefined) note(state, "warning", "setting", settingRemark(setting), item);
  const by = isMysql(state) ? commitsImplicitly(state.lines.text, item) : undefined;
  if (item.what === "routine") {
    if (by !== undefined) commitImplicitly(state, by, item);
    state.routines.push({ start: item.start, end: item.end, annotations: state.waiting });
    state.waiting = [];
    return;
  }
  if (item.what === "ddl") {
    state.ddl.push({ start: item.start, end: item.end });
    // DDL ends a group of marked statements: the following ones are another part of the file.
    if (isMarked(state.open)) closeRegion(state);
  }
  if (by !== undefined) commitImplicitly(state, by, item);
  // The next statements follow it in the same session.
  if (item.what === "ddl" && isMysql(state) && state.open !== undefined) return;
  if (isDefiningBlock(state, item)) state.ddl.push({ start: item.start, end: item.end });
  if (state.open !== undefined) {
    addItem(state, state.open, item);
    if (by !== undefined) addEnd(state, state.open, by, item);
  } else if (item.what === "assign") {
    addDefinition(state, item);
  } else if (!state.autocommit && item.what === "data") {
    addItem(state, openRegion(state, "explicit", item), item);
  } else if (item.what === "unknown") {
    noteUnknown(state, item);
  } else if (item.what === "ddl" || item.what === "session") {
    dropWaiting(state);
  } else {
    const marked = openMarked(state, item);
    addItem(state, marked ?? openRegion(state, "autocommit", item), item);
    if (marked === undefined) closeRegion(state);
  }
}

/** True for a DO block with definitions. */
function isDefiningBlock({ lines }: State, { what, start, end }: StatementItem): boolean {
  return what === "call" && mayDefine(lines.text.slice(start, end));
}

function isMysql({ dialect }: State): boolean {
  return dialect === "mysql" || dialect === "mariadb";
}

/**
 * MySQL commits before a statement of this kind. The following statements are outside of the transaction, but still within its BEGIN ...
 * COMMIT.
 */
function commitImplicitly(state: State, by: string, at: Span): void {
  const { open } = state;
  if (open === undefined || open.boundary === "autocommit") return;
  if (open.boundary === "explicit" && !open.items.some(isImplicitCommit)) {
    const message = `${by} commits the transaction that is open here.`;
    note(state, "information", "implicit-commit", message, at);
  }
  if (open.boundary === "explicit" && !touchesRows(open.items)) closeRegion(state);
  else addEnd(state, open, by, at);
}

/** Ends the transaction here; without autocommit the next one begins. */
function addEnd(state: State, open: Open, by: string, at: Span): void {
  const { start, end } = at;
  const control = (kind: Control): ControlItem => ({ kind: "control", control: kind, start, end });
  addItem(state, open, control({ kind: "implicitCommit", by }));
  if (!state.autocommit) addItem(state, open, control({ kind: "begin", modes: {} }));
}

/** True if the item ends the transaction implicitly. */
export function isImplicitCommit(item: ScriptItem): boolean {
  return item.kind === "control" && item.control.kind === "implicitCommit";
}

/** True if nothing has run in a transaction since the current one was ended. */
function hasEnded({ items }: Open): boolean {
  const last = items.findLast((item) => item.kind === "control");
  return last !== undefined && isImplicitCommit(last);
}

function touchesRows(items: readonly ScriptItem[]): boolean {
  return items.some((item) => item.kind === "statement" && /^(?:data|call)$/.test(item.what));
}

/** A transaction that is committed implicitly and continues is a unit, whose first transaction is the part before. */
function tornRegion(open: Open, outside: DeclaredLevel | undefined): Open {
  const at = open.items.findIndex(isImplicitCommit);
  if (at < 0 || open.boundary === "unit" || open.boundary === "autocommit") return open;
  const { header, items, level } = open;
  if (!touchesRows(items.slice(at))) return { ...open, items: items.slice(0, at) };
  const begin: ControlItem = {
    kind: "control",
    control: { kind: "begin", modes: {} },
    ...header,
    ...(level && { level }),
  };
  return { ...open, boundary: "unit", items: [begin, ...items], level: outside };
}

/** `@x = value`, in SQL Server optionally with a type before it. */
const ASSIGNED =
  /@([A-Za-z_0-9.$]+)(?:\s+(?:as\s+)?[A-Za-z]\w*(?:\s*\([^)]*\))?)?\s*:?=\s*([^,;]*)/gi;

/** SET @x = ... outside of a transaction: an initial value for later ones. */
function addDefinition(state: State, item: StatementItem): void {
  const head = state.lines.text.slice(item.start, item.end);
  for (const match of head.matchAll(ASSIGNED)) {
    const [whole, name = "", value = ""] = match;
    const start = item.start + match.index + whole.length - value.length;
    // Only a literal is the same in every run; anything else is an external value.
    const isLiteral = /^(-?[\d.]+|'[^']*')\s*$/.test(value);
    const end = start + value.trimEnd().length;
    state.definitions.define(name.toLowerCase(), isLiteral ? { start, end } : undefined);
  }
}

function noteUnknown(state: State, item: StatementItem): void {
  const { text } = state.lines;
  const [first = ""] = firstWords(text, item.start, Math.min(item.end, item.start + 200), 1);
  const near = first === "" ? undefined : nearestName(first, KEYWORDS);
  const hint = near === undefined ? "" : ` Did you mean ${near.toUpperCase()}?`;
  const end = Math.min(item.end, item.start + Math.max(1, first.length));
  const message = `This is not the start of an SQL statement.${hint}`;
  note(state, "error", "syntax", message, { start: item.start, end });
}

function openRegion(state: State, boundary: Region["boundary"], header: Span): Open {
  const open: Open = {
    boundary,
    header: { start: header.start, end: header.end },
    end: header.end,
    items: [],
    level: state.nextLevel ?? state.sessionLevel,
    annotations: state.waiting,
    environment: state.definitions.now(),
    frames: [],
    skipped: 0,
  };
  state.waiting = [];
  state.nextLevel = undefined;
  state.open = open;
  return open;
}

function closeRegion(state: State): void {
  if (state.open === undefined) return;
  const open = tornRegion(state.open, state.sessionLevel);
  const { boundary, header, items, level, annotations, environment, isLeftOpen } = open;
  state.open = undefined;
  for (const item of items) {
    if (item.kind === "meta" && item.command.kind === "set") {
      state.definitions.define(item.command.name, undefined);
    }
  }
  if (!items.some((item) => item.kind === "statement")) return;
  const source = { start: header.start, end: open.end };
  const withLevel = level === undefined ? {} : { level };
  const rest = { ...withLevel, ...(isLeftOpen && { isLeftOpen }) };
  const region = { boundary, header, source, items, annotations, environment, ...rest };
  state.regions.push(region);
}

function addItem(state: State, open: Open, item: ScriptItem): void {
  if (open.skipped > 0) return;
  if (item.kind !== "meta" && open.frames.at(-1)?.endedHere === true) {
    const message = "The transaction has ended in this branch; this statement is not analysed.";
    note(state, "information", "after-end", message, item);
    return;
  }
  const { hasLockedTables } = state;
  open.items.push(
    item.kind === "statement" && hasLockedTables ? { ...item, hasLockedTables } : item,
  );
  open.end = Math.max(open.end, item.end);
}

function addControl(state: State, item: ControlItem): void {
  const { control } = item;
  const { open } = state;
  switch (control.kind) {
    case "begin": {
      const isUnit = state.waiting.findLast(isName)?.kind === "unit";
      const unit = open === undefined && isUnit ? openMarked(state, item) : open;
      if (unit?.boundary === "unit") {
        const level = begunAt(state, item, declared(state, control.modes.level) ?? state.nextLevel);
        state.nextLevel = undefined;
        addItem(state, unit, { ...item, ...(level && { level }) });
        return;
      }
      if (open?.boundary === "explicit" && state.autocommit && !hasEnded(open)) {
        const message = "A transaction starts here before the last one has ended.";
        note(state, "warning", "nested-begin", message, item);
        if (isMysql(state) && touchesRows(open.items) && !state.waiting.some(isName)) {
          // The server commits it, but its author takes both for one.
          addEnd(state, open, "BEGIN", item);
          const level = begunAt(state, item, declared(state, control.modes.level));
          addItem(state, open, { ...item, ...(level && { level }) });
          return;
        }
      }
      closeRegion(state);
      const begun = openRegion(state, "explicit", item);
      begun.level = begunAt(state, item, declared(state, control.modes.level) ?? begun.level);
      return;
    }
    case "setTransaction": {
      if (open === undefined) return;
      const level = declared(state, control.modes.level);
      if (open.boundary === "unit") addItem(state, open, { ...item, ...(level && { level }) });
      else open.level = level ?? open.level;
      return;
    }
    case "setSession": {
      const level = declared(state, control.modes.level);
      if (level !== undefined) state.sessionLevel = level;
      return;
    }
    case "setNext":
      state.nextLevel = declared(state, control.modes.level);
      return;
    case "autocommit":
      // A setting without a change has no effect.
      if (control.on && !state.autocommit) {
        if (open?.boundary === "explicit") closeRegion(state);
        else if (open !== undefined) commitImplicitly(state, "SET autocommit", item);
      }
      state.autocommit = control.on;
      return;
    case "implicitCommit":
      if (control.by === "UNLOCK TABLES" && !state.hasLockedTables) return;
      commitImplicitly(state, control.by, item);
      state.hasLockedTables = control.by === "LOCK TABLES";
      if (control.by === "LOCK TABLES") {
        const message =
          "LOCK TABLES is not followed: what stands up to UNLOCK TABLES is checked as if nothing were locked.";
        note(state, "warning", "lock-tables", message, item);
      }
      return;
    case "commit":
    case "rollback":
      // Without autocommit nothing may have happened since the last COMMIT.
      if (open !== undefined || state.autocommit) endTransaction(state, item, control.chain);
      return;
    case "twoPhase":
      if (control.what === "prepare") endTransaction(state, item, false);
      return;
    case "savepoint":
    case "release":
    case "rollbackTo":
      if (open !== undefined) addItem(state, open, item);
      return;
    default:
      control satisfies never;
  }
}

function declared(
  state: State,
  level: { readonly name: string; readonly at: Span } | undefined,
): DeclaredLevel | undefined {
  if (level === undefined) return undefined;
  const source = rangeOf(state.lines, level.at.start, level.at.end);
  if (state.dialect !== "postgres" && findLevel(level.name)?.family !== "product") {
    const message = `The rules of ${level.name.toUpperCase()} in ${dialectLabel(state.dialect)} are not known; this transaction is checked at the level that is asked for.`;
    note(state, "information", "level", message, level.at);
    return undefined;
  }
  return { name: level.name, from: "sql", source };
}

/** The level with BEGIN's snapshot option. */
function begunAt(
  state: State,
  { control, start, end }: ControlItem,
  level: DeclaredLevel | undefined,
): DeclaredLevel | undefined {
  if (control.kind !== "begin" || control.modes.isAtBegin !== true) return level;
  const source = rangeOf(state.lines, start, end);
  return { from: "sql", source, ...level, name: atBegin(level?.name) };
}

function endTransaction(state: State, item: ControlItem, chain: boolean): void {
  const { open } = state;
  if (open?.boundary === "unit") {
    addItem(state, open, item);
    return;
  }
  if (open?.boundary !== "explicit") {
    const message = "There is no transaction to end here.";
    note(state, "warning", "no-transaction", message, item);
    return;
  }
  const frame = open.frames.at(-1);
  if (frame !== undefined) {
    addItem(state, open, item);
    if (!frame.endedHere) frame.ended++;
    frame.endedHere = true;
    return;
  }
  if (item.control.kind === "rollback") addItem(state, open, item);
  open.end = item.end;
  closeRegion(state);
  if (chain) openRegion(state, "explicit", item);
}

function addMeta(state: State, command: MetaCommand): void {
  const item: MetaItem = { kind: "meta", command, start: command.start, end: command.end };
  const { open } = state;
  if (command.kind === "include") {
    const message = "The included file is only analysed by itself.";
    note(state, "information", "include", message, command);
  } else if (command.kind === "dynamic") {
    const message = `What \\${command.name} does is not known here and was left out.`;
    note(state, "warning", "dynamic-sql", message, command);
  } else if (open !== undefined) {
    if (isBranch(command)) addBranch(state, open, item);
    else if (command.kind !== "other") addItem(state, open, item);
  } else if (command.kind === "set") {
    state.definitions.define(command.name, command.value);
  } else if (command.kind === "unset") {
    state.definitions.define(command.name, undefined);
  }
}

function isBranch(command: MetaCommand): boolean {
  return ["if", "elif", "else", "endif"].includes(command.kind);
}

/** Nesting limit of branches, against stack overflow. */
const DEEPEST_IF = 100;

/** Tracks the branches in which the transaction ends; if all of them do, it is over. */
function addBranch(state: State, open: Open, item: MetaItem): void {
  const { command } = item;
  const frame = open.frames.at(-1);
  if (open.skipped > 0 || (command.kind === "if" && open.frames.length >= DEEPEST_IF)) {
    if (command.kind === "if" && ++open.skipped === 1) {
      const message = "\\if is nested too deeply here; what stands inside is left out.";
      note(state, "warning", "too-deep", message, command);
    }
    if (command.kind === "endif") open.skipped--;
    return;
  }
  if (command.kind === "if") {
    addItem(state, open, item);
    open.frames.push({ branches: 1, ended: 0, endedHere: false, hasElse: false });
    return;
  }
  if (frame === undefined) {
    // The \if precedes the transaction, which must have ended in this branch.
    if (open.boundary === "explicit") {
      const message = "The transaction has no COMMIT in this branch.";
      note(state, "warning", "no-commit", message, open.header);
      open.isLeftOpen = true;
    }
    closeRegion(state);
    return;
  }
  if (command.kind === "elif" && frame.branches >= DEEPEST_IF) {
    if (frame.branches === DEEPEST_IF) {
      const message = "There are too many \\elif here; what stands in them is left out.";
      note(state, "warning", "too-deep", message, command);
    }
    frame.branches++;
    frame.endedHere = true;
    return;
  }
  addItem(state, open, item);
  if (command.kind !== "endif") {
    frame.branches++;
    frame.endedHere = false;
    if (command.kind === "else") frame.hasElse = true;
    return;
  }
  open.frames.pop();
  if (!frame.hasElse || frame.ended < frame.branches) return;
  const outer = open.frames.at(-1);
  if (outer === undefined) {
    closeRegion(state);
  } else {
    outer.ended++;
    outer.endedHere = true;
  }
}
