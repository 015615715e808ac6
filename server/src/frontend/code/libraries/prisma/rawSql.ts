// SQL text in the Prisma client: tagged templates, `Prisma.sql` and its kin, which may stand inside each other.
import { constantText, textOf, type HandleValue, type Value } from "../../values";
import type { Call, Template, Tools } from "../library";
import { joinedText, splicedText } from "../splices";
import { isHandle } from "./argumentValues";

/** The value of a tagged template or of a call that makes a part of a text; undefined for anything else. */
export function fragmentOf(
  path: string,
  given: Template | Call,
  tools: Tools,
): HandleValue | undefined {
  switch (path) {
    case "Prisma.sql":
      return "text" in given ? fragment(tools, spliceText(given.text)) : undefined;
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
      return fragment(tools, joinedText(items, textOf(between), innerText));
    }
    default:
      return undefined;
  }
}

/** A part of a text. */
export function fragment(tools: Tools, text: Value): HandleValue {
  return tools.handle("Prisma.fragment", text);
}

/** The text that a fragment is; other values as they are. */
export function sqlTextOf(value: Value | undefined): Value {
  return value === undefined ? textOf("") : splicedText(value, innerText);
}

/** A text whose holes may be parts of text themselves. */
export function spliceText(text: Value): Value {
  return splicedText(text, innerText);
}

function innerText(value: Value): Value | undefined {
  if (isHandle(value) && value.path === "Prisma.empty") return textOf("");
  if (!isHandle(value) || value.path !== "Prisma.fragment") return undefined;
  // Only `fragment` makes handles of this path, and their data is a text's value.
  return value.data as Value;
}
