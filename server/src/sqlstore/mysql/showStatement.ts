// SHOW and DESCRIBE of MySQL, as drivers and schema tools ask them.
import type { Lexeme } from "../../frontend/sql/dialects/reader";
import { dictionary } from "../../protocol/dictionary";
import type { ShowRequest, SqlStatement } from "../statementTree";

/** The subject behind SHOW; undefined for settings by their names. */
export function showStatement(lexemes: readonly Lexeme[]): SqlStatement | undefined {
  const of = requestOf(lexemes);
  return of && { kind: "show", name: of.kind, of };
}

/** `DESCRIBE table`; undefined where a statement is to be explained. */
export function describeStatement(lexemes: readonly Lexeme[]): SqlStatement | undefined {
  const said = lexemes.filter(isSaid);
  const rest = said.slice(said[1]?.word === "." ? 3 : 1);
  const [column, ...more] = rest;
  if (said.length === 0 || more.length > 0) return undefined;
  const like = column && { like: column.word };
  const of: ShowRequest = { kind: "columns", table: tableIn(lexemes), full: false, ...like };
  return { kind: "show", name: "columns", of };
}

const EMPTY = dictionary<readonly string[] | undefined>({
  status: ["Variable_name", "Value"],
  engines: ["Engine", "Support", "Comment"],
  engine: ["Type", "Name", "Status"],
  plugins: ["Name", "Status", "Type", "Library", "License"],
  privileges: ["Privilege", "Context", "Comment"],
  open: ["Database", "Table", "In_use", "Name_locked"],
  profiles: ["Query_ID", "Duration", "Query"],
  master: ["File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB", "Executed_Gtid_Set"],
  collation: ["Collation", "Charset", "Id", "Default"],
  events: ["Db", "Name", "Definer", "Time zone", "Type", "Execute at", "Interval value", "Status"],
  processlist: ["Id", "User", "Host", "db", "Command", "Time", "State", "Info"],
});

function requestOf(lexemes: readonly Lexeme[]): ShowRequest | undefined {
  const words = lexemes.map(({ word }) => word);
  const full = words.includes("full");
  const what = words.find((word) => !/^(full|session|global|local|extended)$/.test(word)) ?? "";
  const at = words.indexOf("like");
  const pattern = at < 0 ? undefined : lexemes[at + 1];
  const like = pattern && { like: pattern.word };
  switch (what) {
    case "tables":
      return { kind: "tables", full, ...like };
    case "columns":
    case "fields":
      return { kind: "columns", table: tableBehind(lexemes), full, ...like };
    case "index":
    case "indexes":
    case "keys":
      return { kind: "indexes", table: tableBehind(lexemes) };
    case "create":
      if (words.includes("database") || words.includes("schema"))
        return { kind: "create database", name: lexemes.filter(isSaid).at(-1)?.word ?? "" };
      return createRequest(lexemes, words);
    case "table":
      return words.includes("status") ? { kind: "table status", ...like } : undefined;
    case "character":
    case "charset":
      return { kind: "character sets" };
    case "grants":
      return { kind: "grants" };
    case "variables":
      return { kind: "variables", ...like };
    case "warnings":
    case "errors":
      return { kind: "diagnostics", what, isCount: false, ...limitIn(words) };
    case "count":
      return {
        kind: "diagnostics",
        what: words.includes("errors") ? "errors" : "warnings",
        isCount: true,
      };
    case "databases":
    case "schemas":
      return { kind: "databases", ...like };
    case "triggers":
      return { kind: "triggers", ...like };
    case "procedure":
    case "function":
      return words.includes("status") ? { kind: "routines", what, ...like } : undefined;
    default: {
      const columns = EMPTY[what];
      return columns && { kind: "none", columns };
    }
  }
}

/** SHOW CREATE of a table or of what has its text kept. */
function createRequest(
  lexemes: readonly Lexeme[],
  words: readonly string[],
): ShowRequest | undefined {
  const at = words.findIndex((word) => /^(table|view|trigger|procedure|function)$/.test(word));
  const name = tableIn(lexemes.slice(at + 1));
  const what = words[at];
  if (what === "table") return { kind: "create table", table: name };
  return what === "view" || what === "trigger" || what === "procedure" || what === "function"
    ? { kind: "create object", what, name: name.toLowerCase() }
    : undefined;
}

/** LIMIT n, LIMIT offset, n. */
function limitIn(words: readonly string[]): { readonly limit?: number; readonly offset?: number } {
  const at = words.indexOf("limit");
  if (at < 0) return {};
  const [first, second] = [words[at + 1], words[at + 3]];
  return words[at + 2] === ","
    ? { limit: Number(second), offset: Number(first) }
    : { limit: Number(first) };
}

/** The name behind the first FROM or IN; another one may follow for the database. */
function tableBehind(lexemes: readonly Lexeme[]): string {
  const from = lexemes.findIndex(({ word }) => word === "from" || word === "in");
  return tableIn(from < 0 ? [] : lexemes.slice(from + 1));
}

function tableIn(lexemes: readonly Lexeme[]): string {
  const said = lexemes.filter(isSaid);
  const isQualified = said[1]?.word === ".";
  const name = isQualified ? said[2] : said[0];
  return name?.word ?? "";
}

function isSaid({ word }: Lexeme): boolean {
  return word !== ";";
}
