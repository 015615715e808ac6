// Kysely's names of tables and columns: as the code does, or as its CamelCasePlugin spells them.
import { constantScalar, type Value } from "../../values";
import { callsOf, type Tools } from "../library";
import { quoteIdentifier } from "./draft";

const PLUGIN = callsOf("new CamelCasePlugin()");

interface Spelling {
  readonly isUpper: boolean;
  readonly beforeDigits: boolean;
  readonly betweenUpper: boolean;
}

/** A name in the dialect's quotes, as it is sent. Linear in the name. */
export function identifier(name: string, tools: Tools): string {
  return quoteIdentifier(databaseName(name, tools), tools.dialect);
}

/** `a.b as c`, as it is sent. */
export function columnReference(written: string, tools: Tools): string {
  const [name = written, alias] = written.split(/\s+as\s+/iu);
  const as = alias === undefined ? "" : ` AS ${identifier(alias.trim(), tools)}`;
  return `${identifier(name.trim(), tools)}${as}`;
}

/** The name that is sent for one of the code's. */
export function databaseName(name: string, tools: Tools): string {
  const spelling = spellingOf(tools);
  return spelling ? snake(name, spelling) : name;
}

/** Rows whose columns the code calls as the plugin spells them back; other values as they are. */
export function spelledBack(rows: Value, tools: Tools): Value {
  const spelling = spellingOf(tools);
  if (!spelling || rows.kind !== "rows") return rows;
  const renamed = rows.columns.order.map((column) => [camel(column, spelling), column] as const);
  return { ...rows, columns: { ...rows.columns, renamed: new Map(renamed) } };
}

/** How the workspace's plugin spells names; undefined without one. Of several the first counts. */
function spellingOf(tools: Tools): Spelling | undefined {
  const [call] = tools.declared(PLUGIN);
  if (!call) return undefined;
  const top = tools.top(call.file);
  const entries = call.arguments.flatMap((each) => (each.kind === "object" ? each.entries : []));
  const isSet = (key: string): boolean =>
    entries.some(
      (each) =>
        each.kind === "property" &&
        each.key === key &&
        top !== undefined &&
        constantScalar(tools.evaluate(each.value, top)) === true,
    );
  return {
    isUpper: isSet("upperCase"),
    beforeDigits: isSet("underscoreBeforeDigits"),
    betweenUpper: isSet("underscoreBetweenUppercaseLetters"),
  };
}

function snake(name: string, { isUpper, beforeDigits, betweenUpper }: Spelling): string {
  const words = name.split(".").map((part) => {
    const text = part.replaceAll(
      betweenUpper ? /(?<=.)(?=[A-Z])/gu : /(?<=[^A-Z])(?=[A-Z])/gu,
      "_",
    );
    return beforeDigits ? text.replaceAll(/(?<=[^\d_])(?=\d)/gu, "_") : text;
  });
  return isUpper ? words.join(".").toUpperCase() : words.join(".").toLowerCase();
}

function camel(column: string, { isUpper }: Spelling): string {
  const text = isUpper && !/[a-z]/u.test(column.slice(1)) ? column.toLowerCase() : column;
  const [first = "", rest] = [text.charAt(0), text.replaceAll(/(?<=_)[^_]/gu, (next) => next.toUpperCase())]; // prettier-ignore
  return `${first}${rest.slice(1).replaceAll("_", "")}`;
}
