// Safe display of texts with foreign names and values: characters that control a terminal or the text direction become JSON escapes, so
// that JSON stays JSON.

const STEERING =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\r(?!\n)/g;

/** The text with `\u001b` and the like for invisible characters; line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(STEERING, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for every text within plain data, including keys. */
export function visibleAll<T>(value: T): T {
  // Texts are mapped to texts, everything else is unchanged.
  return mapped(value) as T;
}

function mapped(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(mapped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [visible(key), mapped(each)]),
  );
}
