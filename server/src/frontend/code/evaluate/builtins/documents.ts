// Texts of JSON. A text that was made of a value is as good as that value, and what comes of one from outside is another
// thing than the text: a part of the input, of which nobody says what it is.
import { attribute } from "../../../../query/nodes";
import { constant, constantText, partPath, scalar, unknown, type Value } from "../../values";
import { listOf, recordOf } from "../lists/collections";
import { expressionOf } from "../values/convert";
import { callOf } from "../values/foreignValues";
import { overChoice } from "../values/operators";
import type { State } from "../state";

type Input = Extract<Value, { kind: "input" }>;

/** Arguments as `JSON.stringify` gave them. */
const written = attribute<Value, true>();

/** Result of `JSON.stringify`. */
export function textOfDocument(value: Value): Value {
  if (value.kind !== "input") return value;
  const text = { ...value };
  written.set(text, true);
  return text;
}

/** Result of `JSON.parse`: of a text that is known what is in it, of others something of any type. */
export function documentOfText(state: State, text: Value): Value {
  switch (text.kind) {
    case "choice":
      return overChoice(text, (part) => documentOfText(state, part));
    case "input":
      return written.has(text) || !mayBeText(text) ? text : documentOfInput(text);
    case "scalar":
      return text.type === "text" ? scalar(text.expression, "json") : text;
    case "text": {
      const known = constantText(text);
      return known === undefined
        ? scalar(callOf("JSON.parse", [expressionOf(state, text)]))
        : readText(state, known);
    }
    case "undefined":
      return unknown("nothing is read as JSON");
    default:
      return text;
  }
}

/** True if an argument may be a text by its type: what is none was made one before. */
function mayBeText({ type, standsFor }: Input): boolean {
  const declared = standsFor ?? type;
  return declared === undefined || /\b(?:string|any|unknown)\b|["'`]/u.test(declared);
}

function documentOfInput({ path, origin, element, born }: Input): Input {
  const part = {
    kind: "input",
    path: partPath(path, "parsed"),
    origin,
    ...(born !== undefined && { born }),
  } as const;
  if (!element) return part;
  const field = element.field === "" ? "parsed" : `${element.field}.parsed`;
  return { ...part, element: { ...element, field } };
}

function readText(state: State, text: string): Value {
  try {
    return valueOf(state, JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return unknown("what is read as JSON is none");
    throw error;
  }
}

function valueOf(state: State, document: unknown): Value {
  if (Array.isArray(document)) {
    return listOf(state, document.map((each) => valueOf(state, each))); // prettier-ignore
  }
  if (typeof document === "object" && document !== null) {
    const fields = Object.entries(document).map(([name, each]) => [name, valueOf(state, each)]);
    return recordOf(state, Object.fromEntries(fields) as Readonly<Record<string, Value>>);
  }
  // JSON has no other values.
  return constant(document as string | number | boolean | null);
}
