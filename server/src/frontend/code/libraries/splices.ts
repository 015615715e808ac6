// Texts with parts that are texts of a library's own: templates within templates.
import type { TextPart, Value } from "../values";

/** The text that a value is that a library made as a part of texts; undefined of all others. */
export type Inner = (value: Value) => Value | undefined;

/** A text whose holes may be parts of text themselves, however deep. Linear in what it becomes. */
export function splicedText(text: Value, inner: Inner): Value {
  if (text.kind !== "text") return textIn(text, inner);
  return { kind: "text", parts: text.parts.flatMap((part) => splicedPart(part, inner)) };
}

/** The text that a part is, or one of two; other values as they are. */
export function textIn(value: Value, inner: Inner): Value {
  if (value.kind === "choice") {
    const { then, otherwise } = value;
    return { ...value, then: textIn(then, inner), otherwise: textIn(otherwise, inner) };
  }
  return inner(value) ?? value;
}

/** The parts of a value in a text: the parts of a part, or a hole. */
export function partsOf(value: Value, inner: Inner): readonly TextPart[] {
  const own = inner(value);
  if (own === undefined) return [{ kind: "hole", value }];
  if (own.kind !== "text") return [{ kind: "hole", value: own }];
  return own.parts.flatMap((part) => splicedPart(part, inner));
}

function splicedPart(part: TextPart, inner: Inner): readonly TextPart[] {
  return part.kind === "run" ? [part] : partsOf(part.value, inner);
}

/** The items of a list as one text, with another one between them. */
export function joinedText(items: readonly Value[], between: Value, inner: Inner): Value {
  const parts = items.flatMap((item, at): readonly TextPart[] => [
    ...(at === 0
      ? []
      : partsOf(between, (value) => inner(value) ?? (value.kind === "text" ? value : undefined))),
    ...partsOf(item, inner),
  ]);
  return { kind: "text", parts };
}
