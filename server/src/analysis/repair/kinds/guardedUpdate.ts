// An UPDATE that writes a value computed from a stale read computes it from the row itself instead, and fails if the earlier guard no
// longer holds. For SQL files (routines and scripts) and for code.
import type { GuardedEdits } from "../idioms/updateIdiom";
import { nameOf, tokensOf, type Token } from "../../../frontend/sql/text/tokens";
import { offsetsOf } from "../../../frontend/sql/text/lines";
import type { Candidate, Proposals, Refusal, TextEdit } from "../candidate";
import { guardsBetween, type Guard } from "../idioms/guards";
import { NO_ROW, NO_TEXT, NO_VARIABLES } from "../idioms/reasons";
import { heldColumns, occurrences, type Held } from "../idioms/routineVariables";
import { NOT_COUNTED } from "../idioms/routineCheck";
import { isOfSameRow, updatesBehind, type ReadSite, type UpdateSite } from "../pairs";
import type { Site, Workshop } from "../workshop";
import { guardedInCode } from "./guardedCode";

/** One candidate per UPDATE that overwrites a row from a stale read. */
export function guardedUpdates(workshop: Workshop): Proposals {
  const candidates: Candidate[] = [];
  const refusals: Refusal[] = [];
  for (const site of workshop.staleReads) {
    const { statement, transaction } = site;
    if (statement.kind !== "select") continue;
    const read: ReadSite = { ...site, statement };
    const edits: TextEdit[] = [];
    let isChecked = false;
    let isComputed = false;
    for (const update of updatesBehind(workshop, read)) {
      const written = guarded(workshop, read, update);
      if (typeof written === "string") refusals.push({ kind: "guarded-update", reason: written });
      else {
        edits.push(...written.edits);
        isChecked ||= written.isChecked;
        isComputed ||= written.isComputed;
      }
    }
    if (edits.length === 0) continue;
    const table = statement.query.relations[0]?.table ?? "";
    candidates.push({
      kind: "guarded-update",
      title: titleOf(`the UPDATE of ${table} in ${transaction.name}`, { isChecked, isComputed }),
      edits,
      costs: isChecked ? ["it may be refused by its UPDATE although its first look passed"] : [],
    });
  }
  return { candidates, refusals };
}

function titleOf(update: string, does: Pick<GuardedEdits, "isChecked" | "isComputed">): string {
  if (!does.isComputed) return `Check in ${update}`;
  return `Compute in ${update}${does.isChecked ? ", and check there" : ""}`;
}

function guarded(workshop: Workshop, read: ReadSite, update: UpdateSite): GuardedEdits | string {
  const lines = workshop.textOf(read.file);
  if (!lines) return NO_TEXT;
  const isSameRow = isOfSameRow(workshop, read, update);
  if (workshop.treeOf(read.file))
    return isSameRow
      ? guardedInCode(workshop, read, update)
      : "the UPDATE is of another row than the read";
  const { text } = lines;
  const held = heldColumns(text, read);
  if (held.length === 0) return NO_VARIABLES;
  const own = tokensOf(text, update.start, update.end);
  const where = own.findIndex(({ word }) => word === "where");
  if (where < 0) return NO_ROW;
  const set = own.slice(0, where);
  const uses = held.flatMap((each) =>
    occurrences(text, set, each.name).map((at) => ({ each, at })),
  );
  const edits = uses.map(({ each, at }) => replacing(read.file, set, at, each));
  const guards = guardsBetween(text, read.end, update.start).filter(({ condition }) =>
    held.some(({ name }) => occurrences(text, condition, name).length > 0),
  );
  if (uses.length === 0 && (guards.length === 0 || !isSameRow))
    return "the UPDATE does not compute from what was read";
  const last = own.at(-1);
  if (!last) return "the UPDATE is empty";
  const conditions = guards.map((guard) => conditionText(text, guard, held));
  const end = text.indexOf(";", last.end) + 1;
  const routine = offsetsOf(lines, update.transaction.source.range);
  const rest = tokensOf(text, end, routine.end);
  const later = held.flatMap((each) => occurrences(text, rest, each.name));
  const kept = later.length > 0 ? keptValue(text, { held, set, rest, later }) : undefined;
  if (typeof kept === "string") return kept;
  const isMysql = workshop.dialect !== "postgres";
  const returning = kept && !isMysql ? ` RETURNING ${kept.column} INTO ${kept.name.join("")}` : "";
  const added = conditions.map((each) => ` AND ${each}`).join("") + returning;
  const edit = (at: number, newText: string): TextEdit => ({
    file: read.file,
    start: at,
    end: at,
    newText,
  });
  if (added !== "") edits.push(edit(last.end, added));
  const indent = /[ \t]*$/u.exec(text.slice(0, update.start))?.[0] ?? "";
  const missed = isMysql ? "ROW_COUNT() = 0" : "NOT FOUND";
  const isRoutine = update.transaction.boundary === "routine";
  const checks = guards.filter(({ body }) => body !== undefined).map(({ body }) => body?.trim());
  if (guards.length > 0 && isRoutine) {
    const [body] = checks;
    if (body === undefined) return "what is to happen where the guard fails by then is not written";
    if (isMysql && !set.some((_, at) => isCounted(text, set, at, held))) return NOT_COUNTED;
    edits.push(edit(end, `\n${indent}IF ${missed} THEN\n${indent}  ${body}\n${indent}END IF;`));
  }
  if (guards.length === 0 && later.length === 0 && isForUpdateAlone(text, read, update, held))
    edits.push(removing(text, read));
  for (const each of kept?.uses ?? [])
    edits.push({
      file: read.file,
      start: each.start,
      end: each.end,
      newText: kept?.name.join("") ?? "",
    });
  return { edits, isChecked: guards.length > 0, isComputed: uses.length > 0 };
}

/** True if a column is assigned its read value plus or minus a number other than zero: no row stays as it is. */
function isCounted(
  text: string,
  set: readonly Token[],
  at: number,
  held: readonly Held[],
): boolean {
  return held.some(({ name, column }) => {
    const [sign, number, next] = set.slice(at + 2 + name.length);
    return (
      set[at]?.word === column.toLowerCase() &&
      set[at + 1]?.word === "=" &&
      name.every((word, n) => set[at + 2 + n]?.word === word.toLowerCase()) &&
      (sign?.word === "+" || sign?.word === "-") &&
      number !== undefined &&
      /^[1-9]\d*$/u.test(text.slice(number.start, number.end)) &&
      (next === undefined || next.word === ",")
    );
  });
}

/** True if nothing else uses what was read, so that the read can be removed. */
function isForUpdateAlone(
  text: string,
  read: ReadSite,
  update: UpdateSite,
  held: readonly Held[],
): boolean {
  const between = tokensOf(text, read.end, update.start);
  return held.every(({ name }) => occurrences(text, between, name).length === 0);
}

/** Deletes the statement with its terminator, and its line if that becomes empty. */
function removing(text: string, { file, start, end }: ReadSite): TextEdit {
  const rest = tokensOf(text, end, Math.min(text.length, end + 12));
  const isGset = rest[0]?.kind === "backslash";
  const close = (isGset ? rest[1]?.end : rest[0]?.word === ";" ? rest[0].end : undefined) ?? end;
  const line = text.lastIndexOf("\n", start - 1) + 1;
  const isOwnLine = text.slice(line, start).trim() === "" && text[close] === "\n";
  return isOwnLine
    ? { file, start: line, end: close + 1, newText: "" }
    : { file, start, end: close, newText: "" };
}

function replacing(
  file: Site["file"],
  tokens: readonly Token[],
  at: number,
  { name, column }: Held,
): TextEdit {
  const start = tokens[at]?.start ?? 0;
  return { file, start, end: tokens[at + name.length - 1]?.end ?? start, newText: column };
}

const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ["<", ">="],
  ["<=", ">"],
  [">", "<="],
  [">=", "<"],
  ["=", "<>"],
  ["<>", "="],
]);

/** The guard as a condition of the UPDATE. */
function conditionText(text: string, { condition, isExit }: Guard, held: readonly Held[]): string {
  const parts: string[] = [];
  for (let at = 0; at < condition.length; at += 1) {
    const found = held.find(({ name }) => occurrences(text, condition, name).includes(at));
    const token = condition[at];
    if (!token) continue;
    const previous = condition[at - 1];
    const gap = previous ? text.slice(previous.end, token.start) : "";
    parts.push(gap, found ? found.column : text.slice(token.start, token.end));
    if (found) at += found.name.length - 1;
  }
  const own = parts.join("").trim();
  if (!isExit) return /\bor\b/iu.test(own) ? `(${own})` : own;
  const signs = condition.flatMap(({ word, start }, at) => {
    const two =
      word + (condition[at + 1]?.start === start + 1 ? (condition[at + 1]?.word ?? "") : "");
    return OPPOSITES.has(two) ? [two] : OPPOSITES.has(word) ? [word] : [];
  });
  const isSimple =
    signs.length > 0 &&
    !condition.some(({ word }) =>
      ["and", "or", "not", "is", "between", "in", "case"].includes(word),
    );
  const [sign] = signs;
  const opposite = sign === undefined ? undefined : OPPOSITES.get(sign);
  if (isSimple && sign !== undefined && opposite !== undefined) return own.replace(sign, opposite);
  return `NOT (${own})`;
}

interface KeptValue extends Held {
  readonly uses: readonly { readonly start: number; readonly end: number }[];
}

/** Keeps the new value in the old one's variable, if later code uses what the UPDATE computed. */
function keptValue(
  text: string,
  {
    held,
    set,
    rest,
    later,
  }: {
    readonly held: readonly Held[];
    readonly set: readonly Token[];
    readonly rest: readonly Token[];
    readonly later: readonly number[];
  },
): KeptValue | string {
  const other = "what was read is used again behind the UPDATE";
  const sign = set.findIndex(({ word }) => word === "=");
  const before = set[sign - 1];
  const value = set.slice(sign + 1);
  if (!before || value.some(({ word }) => word === ",")) return other;
  const column = nameOf(text, before);
  const own = held.find((each) => each.column === column);
  if (!own) return other;
  const words = value.map(({ start, end }) => text.slice(start, end));
  const uses = occurrences(text, rest, words);
  const covered = new Set(uses.flatMap((at) => words.map((_, n) => at + n)));
  if (later.some((at) => !covered.has(at))) return other;
  return {
    ...own,
    uses: uses.map((at) => ({
      start: rest[at]?.start ?? 0,
      end: rest[at + words.length - 1]?.end ?? 0,
    })),
  };
}
