// Types of variables and arguments in stored routines.
import type { ValueType } from "../../../program/expression";
import { columnType } from "../dialects/types";
import { nameOf, tokensOf } from "../text/tokens";

export interface TypeText {
  /** The type as written. */
  readonly written: string;
  readonly type: ValueType;
  /** MariaDB: TYPE OF t.c. */
  readonly column?: { readonly table: string; readonly column: string };
  /** MariaDB: ROW TYPE OF t, where t is a table or cursor. */
  readonly rowOf?: string;
  /** MariaDB: ROW (a INT, b INT). */
  readonly fields?: readonly { readonly name: string; readonly type: ValueType }[];
}

/** Parses a type: `DECIMAL(10, 2) UNSIGNED`, `VARCHAR(20) CHARSET utf8`, `ROW TYPE OF t`. */
export function readType(text: string): TypeText {
  return { written: text.trim(), ...meaningOf(text) };
}

function meaningOf(text: string): Omit<TypeText, "written"> {
  const tokens = tokensOf(text, 0, text.length);
  const names = tokens.flatMap((token) =>
    token.kind === "word" || token.kind === "name" ? [nameOf(text, token).toLowerCase()] : [],
  );
  const [first = "", second, third] = names;
  if (first === "type" && second === "of") {
    const [table = "", column = ""] = names.slice(-2);
    return { type: "other", column: { table, column } };
  }
  if (first === "row" && second === "type" && third === "of") {
    return { type: "other", rowOf: names.at(-1) ?? "" };
  }
  if (first === "row") return { type: "other", fields: fieldsOf(text) };
  return { type: columnType(first === "national" ? "varchar" : first, "mysql") };
}

function fieldsOf(text: string): readonly { readonly name: string; readonly type: ValueType }[] {
  const inner = /\(([\s\S]*)\)/.exec(text)?.[1] ?? "";
  return inner.split(/,(?![^(]*\))/).flatMap((part) => {
    const [, name = "", type = ""] = /^\s*["`]?(\w+)["`]?\s+(\S[\s\S]*)$/.exec(part) ?? [];
    return name === "" ? [] : [{ name: name.toLowerCase(), type: readType(type).type }];
  });
}
