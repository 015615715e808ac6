// A gap of tree-sitter's grammar of TypeScript: it takes sql<T>`...` for comparisons. What it is given is the text with
// such type arguments blanked out, so that every character keeps its place.
import { dictionary } from "../../../protocol/dictionary";

/** The text as long as it is, with spaces for the type arguments of tagged templates. Linear, but for long types. */
export function withoutTemplateTypes(text: string): string {
  let blanked = "";
  let from = 0;
  for (const { index } of text.matchAll(CLOSES)) {
    const start = startOfTypes(text, index);
    if (start === undefined || start < from) continue;
    const types = text.slice(start, index + 1).replace(/[^\r\n]/g, " ");
    blanked += text.slice(from, start) + types;
    from = index + 1;
  }
  return from === 0 ? text : blanked + text.slice(from);
}

/** An arrow's `>` closes nothing. */
const CLOSES = /(?<!=)>(?=\s*`)/gu;

/** Types before a template are short; what is longer is none. */
const LONGEST_TYPE = 4000;

const OPENS = dictionary<string>({ ">": "<", "]": "[", "}": "{", ")": "(" });

/** Where the `<` stands that belongs to the `>` at `end`, behind a name; undefined where it cannot be types. */
function startOfTypes(text: string, end: number): number | undefined {
  const open: string[] = [];
  const first = Math.max(0, end - LONGEST_TYPE);
  for (let at = end; at >= first; at -= 1) {
    const character = text[at] ?? "";
    const opening = OPENS[character];
    if (character === "`" || (character === "{" && text[at - 1] === "$")) return undefined;
    if (character === '"' || character === "'") {
      const quote = text.lastIndexOf(character, at - 1);
      if (quote < first) return undefined;
      at = quote;
    } else if (opening !== undefined && !(character === ">" && text[at - 1] === "=")) {
      open.push(opening);
    } else if (character !== "" && "<[{(".includes(character)) {
      if (open.pop() !== character) return undefined;
      if (open.length === 0) return /[\w$\])]/u.test(text[at - 1] ?? "") ? at : undefined;
    }
  }
  return undefined;
}
