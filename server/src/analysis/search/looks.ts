// Formats of texts in columns of a type, and invented texts of each format.
import type { ValueType } from "../../program/expression";
import type { Takes } from "../../program/takes";
import { matchesPattern, matchingText } from "../../program/pattern";
import { MADE_UUID } from "../../protocol/witness";

/** The format of a column's texts, else that of its type. */
export type Look = Takes | { readonly kind: "date" | "json" | "bytes" | "text" };

export function lookOf(facts: {
  readonly type: ValueType;
  readonly takes: Takes | undefined;
}): Look {
  if (facts.takes) return facts.takes;
  const { type } = facts;
  if (type === "json" || type === "bytes") return { kind: type };
  return { kind: type === "time" ? "date" : "text" };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** True if a text has the format; plain text has no requirements. */
export function fits(look: Look, text: string): boolean {
  switch (look.kind) {
    case "uuid":
      return UUID.test(text);
    case "labels":
      return look.labels.includes(text);
    case "length":
      return text.length <= look.most;
    case "pattern":
      return matchesPattern(look.pattern, text) !== false;
    case "address":
      return /^\d+\.[\d.]+$|:/u.test(text);
    case "hardware":
      return text.includes(":");
    case "clock":
      return /^\d+:\d+/u.test(text);
    case "interval":
      return /^\d/u.test(text);
    case "date":
      return /^\d{4}-\d\d-\d\d/u.test(text);
    case "json":
      return /^[[{"\d]|^(?:true|false|null)$/u.test(text);
    case "bytes":
      return text.startsWith("\\x");
    case "text":
      return true;
  }
}

/** An invented text for each of the texts, in order, different from the taken ones as far as the format has enough. */
export function namesFor(
  look: Look,
  texts: readonly string[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  if (look.kind === "labels") {
    const free = look.labels.filter((label) => !taken.has(label));
    const all = [...free, ...look.labels.filter((label) => taken.has(label))];
    // If the format has too few texts, the last one stands for several; the store decides whether that matters.
    return new Map(texts.map((text, at) => [text, all[at] ?? all.at(-1) ?? text]));
  }
  const names = candidates(look);
  return new Map(
    texts.map((text) => {
      let next = names.next();
      while (next.done !== true && taken.has(next.value)) next = names.next();
      return [text, next.value ?? text];
    }),
  );
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];

/** More texts of one format than a witness has values. */
const MANY = 10_000;

function* candidates(look: Exclude<Look, { kind: "labels" }>): Generator<string, undefined> {
  if (look.kind === "pattern") {
    for (let at = 1; at < MANY; at += 1) {
      const text = matchingText(look.pattern, at);
      if (text === undefined) return undefined;
      yield text;
    }
    return undefined;
  }
  if (look.kind !== "length") {
    for (let at = 1; at < MANY; at += 1) yield numbered(look.kind, at);
    return undefined;
  }
  yield* LETTERS;
  if (look.most > 1)
    for (const first of LETTERS) for (const second of LETTERS) yield `${first}${second}`;
  return undefined;
}

function numbered(
  kind: Exclude<Look["kind"], "labels" | "length" | "pattern">,
  at: number,
): string {
  const digits = (value: number, width: number, base = 10): string =>
    value.toString(base).padStart(width, "0");
  switch (kind) {
    case "uuid":
      return `${MADE_UUID}${digits(at, 12)}`;
    case "address":
      return `10.0.${String(at >> 8)}.${String(at & 0xff)}`;
    case "hardware":
      return `02:00:00:00:${digits(at >> 8, 2, 16)}:${digits(at & 0xff, 2, 16)}`;
    case "clock":
      return `${digits(Math.floor(at / 3600), 2)}:${digits(Math.floor(at / 60) % 60, 2)}:${digits(at % 60, 2)}`;
    case "interval":
      return `${String(at)} days`;
    case "date":
      return new Date(Date.UTC(2025, 0, at)).toISOString().replace(/T.*/u, "");
    case "json":
      return `{"v": ${String(at)}}`;
    case "bytes":
      return `\\x${digits(at, 4, 16)}`;
    case "text":
      return at <= 26 ? String.fromCharCode(96 + at) : `v${String(at)}`;
  }
}
