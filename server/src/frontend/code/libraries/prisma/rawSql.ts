// SQL text in the Prisma client: tagged templates, `Prisma.sql` and its kin, which may stand inside each other.
import { constantText, textOf, type HandleValue, type TextPart, type Value } from "../../values";
import type { Call, Template, Tools } from "../library";
import { isHandle } from "./given";

/** The value of a tagged template or of a call that makes a part of a text; undefined for anything else. */
export function fragmentOf(
  path: string,
  given: Template | Call,
  tools: Tools,
): HandleValue | undefined {
  switch (path) {
    case "Prisma.sql":
      return "text" in given ? fragment(tools, spliced(given.text)) : undefined;
    case "Prisma.raw": {
      const [text] = "arguments" in given ? given.arguments : [];
      return text && fragment(tools, text);
    }
    case "Prisma.join": {
      if (!("arguments" in given)) return undefined;
      const [list, separator] = given.arguments;
      const items = list && tools.items(list);
      const between = constantText(separator) ?? ", ";
      if (list === undefined) return undefined;
      if (items === undefined)
        return fragment(tools, { kind: "text", parts: [{ kind: "hole", value: list }] });
      const parts = items.flatMap((item, at): readonly TextPart[] => [
        ...(at === 0 ? [] : runsOf(between)),
        ...partsOf(item),
      ]);
      return fragment(tools, { kind: "text", parts });
    }
    default:
      return undefined;
  }
}

function runsOf(text: string): readonly TextPart[] {
  const value = textOf(text);
  return value.kind === "text" ? value.parts : [];
}

/** A part of a text. */
export function fragment(tools: Tools, text: Value): HandleValue {
  return tools.handle("Prisma.fragment", text);
}

/** The text that a fragment is; other values as they are. */
export function sqlTextOf(value: Value | undefined): Value {
  if (value === undefined) return textOf("");
  if (value.kind === "choice") {
    return { ...value, then: sqlTextOf(value.then), otherwise: sqlTextOf(value.otherwise) };
  }
  const inner = innerText(value);
  return inner === undefined ? value : inner;
}

/** A text whose holes may be parts of text themselves. */
export function spliced(text: Value): Value {
  if (text.kind !== "text") return sqlTextOf(text);
  return { kind: "text", parts: text.parts.flatMap(splicedPart) };
}

function splicedPart(part: TextPart): readonly TextPart[] {
  return part.kind === "run" ? [part] : partsOf(part.value);
}

function partsOf(value: Value): readonly TextPart[] {
  const inner = innerText(value);
  if (inner === undefined) return [{ kind: "hole", value }];
  return inner.kind === "text"
    ? inner.parts.flatMap(splicedPart)
    : [{ kind: "hole", value: inner }];
}

function innerText(value: Value): Value | undefined {
  if (isHandle(value) && value.path === "Prisma.empty") return textOf("");
  if (!isHandle(value) || value.path !== "Prisma.fragment") return undefined;
  // Only `fragment` makes handles of this path, and their data is a text's value.
  return value.data as Value;
}
