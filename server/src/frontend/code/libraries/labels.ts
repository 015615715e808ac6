// Labels of enumerations that code declares.
import { constantText, type Value } from "../values";
import type { Tools } from "./library";

/** The texts of a list, or of an object such as an `enum`; empty where not all of them are known. */
export function labelsOf(value: Value | undefined, tools: Tools): readonly string[] {
  if (!value) return [];
  const items = tools.items(value) ?? [...(tools.fields(value)?.values() ?? [])];
  const texts = items.flatMap((each) => constantText(each) ?? []);
  return texts.length === items.length ? texts : [];
}
