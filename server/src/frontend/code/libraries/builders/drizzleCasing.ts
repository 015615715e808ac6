// Names of columns that Drizzle's tables give none: as their keys, or as `drizzle({ casing })` spells these.
import { constantText } from "../../values";
import { callsOf, type Tools } from "../library";

/** Functions that make clients. */
export const DRIZZLE_CLIENTS = callsOf("drizzle()");

const WORDS = /[\da-z]+|[A-Z]+(?![a-z])|[A-Z][\da-z]+/gu;

/** The column's name in the database; of several clients, as the first spells it that says anything. Linear in the clients. */
export function columnName(key: string, tools: Tools): string {
  const casing = casingOf(tools);
  const words = key.replaceAll(/['\u2019]/gu, "").match(WORDS) ?? [];
  if (casing === "snake_case") return words.map((each) => each.toLowerCase()).join("_");
  if (casing !== "camelCase") return key;
  const [first = "", ...others] = words;
  return [first.toLowerCase(), ...others.map((each) => `${each.charAt(0).toUpperCase()}${each.slice(1)}`)].join(""); // prettier-ignore
}

function casingOf(tools: Tools): string | undefined {
  for (const { file, arguments: given } of tools.declared(DRIZZLE_CLIENTS)) {
    const top = tools.top(file);
    const entries = given.flatMap((each) => (each.kind === "object" ? each.entries : []));
    for (const entry of entries) {
      if (entry.kind !== "property" || entry.key !== "casing" || !top) continue;
      const casing = constantText(tools.evaluate(entry.value, top));
      if (casing !== undefined) return casing;
    }
  }
  return undefined;
}
