// When and for whom reads are as weak as the level allows: after a loading phase, and for some connections alone.

/** Ends the loading phase: a statement that begins so has been carried out, or so many seconds have passed. */
export type StrongUntil =
  | { readonly kind: "statement"; readonly text: string }
  | { readonly kind: "seconds"; readonly seconds: number };

/** Transactions of which reads are weak. */
export interface WeakFor {
  readonly by: "application_name" | "user" | "comment";
  readonly value: string;
}

/** Facts about a transaction when it begins. */
export interface Beginning {
  readonly user: string | undefined;
  readonly applicationName: string | undefined;
  /** The text of its first statement. */
  readonly text: string;
}

/** `10`, `10s` and `10 seconds` are a time, all else the beginning of a statement. */
export function strongUntilOf(text: string): StrongUntil {
  const seconds = /^(\d+(?:\.\d+)?)\s*(?:s|seconds?)?$/iu.exec(text.trim())?.[1];
  return seconds === undefined
    ? { kind: "statement", text }
    : { kind: "seconds", seconds: Number(seconds) };
}

/** `application_name=checkout`, `user=app`, `comment=weak`; undefined for what is none of these. */
export function weakForOf(text: string): WeakFor | undefined {
  const [, by, value] = /^(application_name|user|comment)=(.+)$/u.exec(text) ?? [];
  if (by !== "application_name" && by !== "user" && by !== "comment") return undefined;
  return value === undefined ? undefined : { by, value };
}

/** True if a transaction is among those of which reads are weak; all are if nobody is named. */
export function isWeak(wanted: readonly WeakFor[], beginning: Beginning): boolean {
  if (wanted.length === 0) return true;
  return wanted.some(({ by, value }) => {
    switch (by) {
      case "application_name":
        return beginning.applicationName === value;
      case "user":
        return beginning.user === value;
      case "comment":
        return commentsOf(beginning.text).some((comment) => comment.includes(value));
      default:
        return by satisfies never;
    }
  });
}

export function beginsWith(statement: string, start: string): boolean {
  return foldedText(statement).startsWith(foldedText(start));
}

/** Neither case nor white space counts, nor what ends a statement. */
function foldedText(sql: string): string {
  return sql.trim().replace(/\s+/gu, " ").replace(/\s*;$/u, "").toLowerCase();
}

function commentsOf(text: string): readonly string[] {
  return text.match(/\/\*[\s\S]*?\*\/|--[^\n]*/gu) ?? [];
}
