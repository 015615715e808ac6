// Texts with parts that are texts of a library's own: templates within templates.
import type { TextPart, Value } from "../values";

/** The text that a value is that a library made as a part of texts, behind the text before it; undefined of all others. */
export type Inner = (value: Value, before: string) => Value | undefined;

/**
 * A text whose holes may be parts of text themselves, however deep; one of two texts where the code chose between parts. Linear in
 * what it becomes.
 */
export function splicedText(text: Value, inner: Inner): Value {
  return text.kind === "text" ? spliced(text.parts, [], "", inner) : (resolved(text, "", inner) ?? text); // prettier-ignore
}

/** The items of a list as one text, with another one between them. */
export function joinedText(items: readonly Value[], between: Value, inner: Inner): Value {
  const separator: readonly TextPart[] = between.kind === "text" ? between.parts : [{ kind: "hole", value: between }]; // prettier-ignore
  const parts = items.flatMap((value, at): readonly TextPart[] => [
    ...(at === 0 ? [] : separator),
    { kind: "hole", value },
  ]);
  return splicedText({ kind: "text", parts }, inner);
}

/** The text that a value or one of its sides stands for; undefined where none is a part of texts. */
function resolved(value: Value, before: string, inner: Inner): Value | undefined {
  const own = inner(value, before);
  if (own !== undefined || value.kind !== "choice") return own;
  const [then, otherwise] = [value.then, value.otherwise].map((each) => resolved(each, before, inner)); // prettier-ignore
  if (!then && !otherwise) return undefined;
  return { ...value, then: then ?? value.then, otherwise: otherwise ?? value.otherwise };
}

/** The text behind those parts that are spliced already. */
function spliced(
  parts: readonly TextPart[],
  made: readonly TextPart[],
  before: string,
  inner: Inner,
): Value {
  const done = [...made];
  let text = before;
  for (const [at, part] of parts.entries()) {
    const own = part.kind === "hole" ? resolved(part.value, text, inner) : undefined;
    if (own) return placed(own, parts.slice(at + 1), done, text, inner);
    text += part.kind === "run" ? part.run.text : " ";
    done.push(part);
  }
  return { kind: "text", parts: done };
}

/** A part in its place: its own parts, one of two, or a value. */
function placed(
  own: Value,
  rest: readonly TextPart[],
  made: readonly TextPart[],
  before: string,
  inner: Inner,
): Value {
  if (own.kind === "text") return spliced([...own.parts, ...rest], made, before, inner);
  if (own.kind !== "choice") {
    return spliced(rest, [...made, { kind: "hole", value: own }], `${before} `, inner);
  }
  const [then, otherwise] = [own.then, own.otherwise].map((each) => placed(each, rest, made, before, inner)); // prettier-ignore
  return then && otherwise ? { ...own, then, otherwise } : own;
}
