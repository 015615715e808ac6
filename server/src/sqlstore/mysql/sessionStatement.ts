// Statements of MySQL about transactions and the session: words rather than expressions.
import { peek, take, wordAt, type Lexeme, type Reader } from "../../frontend/sql/dialects/reader";
import type { SqlExpression } from "../tree";
import type { SqlStatement } from "../statementTree";
import { loadStatement } from "./loadStatement";
import { describeStatement, showStatement } from "./showStatement";
import { xaStatement } from "./xaStatement";

/** The statement at the reader if it is about the session; undefined for all others. */
export function sessionStatement(reader: Reader): SqlStatement | undefined {
  const words = reader.lexemes.map((each) => each.word);
  const [first, second, third] = words;
  switch (first) {
    case "begin":
      return { kind: "begin" };
    case "start":
      return second === "transaction" ? { kind: "begin", ...accessOf(words) } : undefined;
    case "commit":
      return { kind: "commit", chain: words.includes("chain") && !words.includes("no") };
    case "rollback": {
      const to = words.indexOf("to");
      if (to < 0)
        return { kind: "rollback", chain: words.includes("chain") && !words.includes("no") };
      return {
        kind: "rollback to",
        name: words.at(-1) === ";" ? (words.at(-2) ?? "") : (words.at(-1) ?? ""),
      };
    }
    case "xa":
      return xaStatement(reader.lexemes);
    case "signal":
    case "resignal":
      return { kind: "routine statement", text: reader.text };
    case "savepoint":
      return { kind: "savepoint", name: second ?? "" };
    case "release":
      return { kind: "release", name: third ?? "" };
    case "set":
      return settingOf(reader, words);
    case "prepare": {
      const [, , , text] = reader.lexemes;
      if (third !== "from" || text === undefined) return undefined;
      return { kind: "prepare text", name: second ?? "", text: givenText(text) };
    }
    case "execute": {
      const given = reader.lexemes.slice(3).filter(({ kind }) => kind === "variable");
      return { kind: "execute", name: second ?? "", arguments: given.map(givenText) };
    }
    case "deallocate":
      return second === "prepare" ? { kind: "deallocate", name: third ?? "" } : undefined;
    case "show":
      return showStatement(reader.lexemes.slice(1)) ?? { kind: "show", name: shownOf(words) };
    case "describe":
    case "desc":
    case "explain":
      return describeStatement(reader.lexemes.slice(1));
    case "use":
      return { kind: "use", name: second ?? "" };
    case "create":
    case "drop":
      return /^(database|schema)$/.test(second ?? "") ? databaseStatementOf(words) : undefined;
    case "alter":
      return /^(database|schema)$/.test(second ?? "")
        ? { kind: "nothing", tag: "ALTER DATABASE" }
        : undefined;
    case "load":
      return second === "data" ? loadStatement(reader.lexemes) : undefined;
    case "kill": {
      const what = second === "query" ? "statement" : "session";
      const session = reader.lexemes[/^(query|connection)$/.test(second ?? "") ? 2 : 1];
      if (session === undefined) return undefined;
      return { kind: "kill", what, session: givenText(session) };
    }
    case "lock":
    case "unlock":
    case "flush":
    case "analyze":
    case "optimize":
    case "grant":
    case "revoke":
    case "reset":
      return { kind: "nothing", tag: first.toUpperCase() };
    default:
      return undefined;
  }
}

/** CREATE DATABASE [IF NOT EXISTS] name ... and DROP DATABASE [IF EXISTS] name. */
function databaseStatementOf(words: readonly string[]): SqlStatement {
  const exists = words.indexOf("exists");
  const guarded = exists > 0 && exists < 5;
  const name = words[guarded ? exists + 1 : 2] ?? "";
  const kind = words[0] === "drop" ? "drop database" : "create database";
  return { kind, name, guarded, isForced: true };
}

/** SET [SESSION] TRANSACTION ISOLATION LEVEL ..., SET NAMES ..., SET autocommit = 0; undefined for user variables. */
function settingOf(reader: Reader, words: readonly string[]): SqlStatement | undefined {
  const transaction = words.indexOf("transaction");
  if (transaction === 1 || (transaction === 2 && /^(session|local|global)$/.test(words[1] ?? ""))) {
    const at = words.indexOf("level");
    const level = words.slice(at + 1, at + 3).filter((word) => /^[a-z]+$/.test(word));
    return {
      kind: "set modes",
      ...(at > 0 && { level: level.join(" ") }),
      ...accessOf(words),
      session: transaction === 2,
    };
  }
  if (/^(names|character)$/.test(words[1] ?? "")) return { kind: "nothing", tag: "SET" };
  const start = reader.at;
  take(reader, "set");
  take(reader, "session");
  const name = peek(reader);
  const isSetting = name?.kind === "system" || (name?.kind === "word" && name.word !== "");
  if (
    !isSetting ||
    wordAt(reader, 1) !== "=" ||
    reader.lexemes.some((each) => each.kind === "variable")
  ) {
    reader.at = start;
    return undefined;
  }
  const value = peek(reader, 2);
  const plain = name.word.replace(/^@@(session\.|local\.)?/, "");
  return {
    kind: "set",
    assignments: [
      { name: plain, user: false, value: { kind: "string", value: value?.word ?? "" } },
    ],
  };
}

/** A string, or a variable of the user's. */
function givenText({ kind, word }: Lexeme): SqlExpression {
  return kind === "variable"
    ? { kind: "variable", name: word.replace(/^@/, "") }
    : { kind: "string", value: word };
}

/** READ ONLY or READ WRITE. */
function accessOf(words: readonly string[]): { readonly readOnly?: boolean } {
  const at = words.findIndex(
    (word, index) => word === "read" && /^(only|write)$/.test(words[index + 1] ?? ""),
  );
  return at < 0 ? {} : { readOnly: words[at + 1] === "only" };
}

/** SHOW VARIABLES LIKE 'x' asks for x. */
function shownOf(words: readonly string[]): string {
  const like = words.indexOf("like");
  return (like > 0 ? words[like + 1] : words[1]) ?? "";
}
