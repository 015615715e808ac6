// Transaction control of MySQL, MariaDB, SQL Server and SQLite.
import type { Dialect } from "../../program/dialect";
import { levelModes, readModes, type Control, type Modes } from "./control";
import { changesSchema, commitsImplicitly } from "./implicitCommit";
import type { Span } from "./text/split";
import { nameOf, tokensOf, type Token } from "./text/tokens";

/** The transaction control statement in `[start, end)` of a canonical text, undefined for every other statement. */
export function readDialectControl(
  text: string,
  start: number,
  end: number,
  dialect: Dialect,
): Control | undefined {
  const first = /^[a-z]+/i.exec(text.slice(start, Math.min(end, start + 20)))?.[0].toLowerCase();
  if (first === undefined || !STARTS.has(first) || end - start > 2000) return undefined;
  const statement = { text, tokens: tokensOf(text, start, end), dialect };
  switch (dialect) {
    case "mysql":
    case "mariadb":
      return mysql(statement, first) ?? implicitCommit(text, { start, end });
    case "sqlserver":
      return sqlServer(statement, first);
    case "sqlite":
      return sqlite(statement, first);
    case "postgres":
      return undefined;
    default:
      return dialect satisfies never;
  }
}

const STARTS = new Set(
  (
    "begin start commit end rollback savepoint release set save lock unlock xa flush grant revoke reset install " +
    "uninstall analyze optimize check repair cache load stop change"
  ).split(" "),
);

/** Other statements that commit; definitions and TRUNCATE have their own kinds. */
function implicitCommit(text: string, span: Span): Control | undefined {
  const by = commitsImplicitly(text, span);
  if (by === undefined || by === "TRUNCATE" || changesSchema(by)) return undefined;
  return { kind: "implicitCommit", by };
}

interface ControlText {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly dialect: Dialect;
}

function word(statement: ControlText, at: number): string {
  return statement.tokens[at]?.word ?? "";
}

function named(
  kind: "savepoint" | "release" | "rollbackTo",
  statement: ControlText,
  at: number,
): Control | undefined {
  const token = statement.tokens[at];
  return token === undefined ? undefined : { kind, name: nameOf(statement.text, token) };
}

function chains(statement: ControlText): boolean {
  const at = statement.tokens.findIndex((token) => token.word === "chain");
  return at > 0 && word(statement, at - 1) !== "no";
}

function mysql(statement: ControlText, first: string): Control | undefined {
  const second = word(statement, 1);
  switch (first) {
    case "begin":
      return second === "" || second === "work" ? { kind: "begin", modes: {} } : undefined;
    case "start": {
      if (second !== "transaction") return undefined;
      return { kind: "begin", modes: modes(statement, 2) };
    }
    case "commit":
      return { kind: "commit", chain: chains(statement) };
    case "rollback": {
      const to = statement.tokens.findIndex((token) => token.word === "to");
      if (to < 0) return { kind: "rollback", chain: chains(statement) };
      return named("rollbackTo", statement, to + (word(statement, to + 1) === "savepoint" ? 2 : 1));
    }
    case "savepoint":
      return named("savepoint", statement, 1);
    case "release":
      return named("release", statement, 2);
    case "unlock":
      return { kind: "implicitCommit", by: "UNLOCK TABLES" };
    case "xa":
      return xa(statement);
    case "set":
      return mysqlSet(statement);
    default:
      return undefined;
  }
}

/** A branch of a distributed transaction, treated as a transaction. */
function xa(statement: ControlText): Control | undefined {
  switch (word(statement, 1)) {
    case "start":
    case "begin":
      return { kind: "begin", modes: {} };
    case "commit":
      return { kind: "commit", chain: false };
    case "rollback":
      return { kind: "rollback", chain: false };
    default:
      return undefined;
  }
}

/** SET [SESSION|GLOBAL] TRANSACTION ..., SET autocommit = 0, SET [@@]transaction_isolation = '...'. */
function mysqlSet(statement: ControlText): Control | undefined {
  const { tokens } = statement;
  let at = 1;
  while (word(statement, at) === "@") at++;
  const scope = word(statement, at);
  const scoped = scope === "session" || scope === "local" || scope === "global";
  if (scoped) at++;
  if (word(statement, at) === ".") at++;
  const name = word(statement, at);
  if (name === "transaction") {
    const read = modes(statement, at + 1);
    return { kind: scoped ? "setSession" : "setNext", modes: read };
  }
  const value = tokens.slice(at + 2);
  if (name === "autocommit") {
    const on = /^(1|on|true|default)$/.test(valueWord(statement, value[0]));
    return { kind: "autocommit", on };
  }
  if (name !== "transaction_isolation" && name !== "tx_isolation") return undefined;
  const read = levelModes(statement.text, value.slice(0, 1), statement.dialect);
  return { kind: "setSession", modes: read };
}

function valueWord(statement: ControlText, token: Token | undefined): string {
  if (token === undefined) return "";
  return statement.text.slice(token.start, token.end).replaceAll("'", "").toLowerCase();
}

function modes(statement: ControlText, from: number): Modes {
  return readModes(statement.text, statement.tokens.slice(from), statement.dialect);
}

function sqlServer(statement: ControlText, first: string): Control | undefined {
  const second = word(statement, 1);
  const isTransaction = second === "tran" || second === "transaction" || second === "work";
  switch (first) {
    case "begin":
      if (second === "distributed") return { kind: "begin", modes: {} };
      return isTransaction ? { kind: "begin", modes: {} } : undefined;
    case "commit":
      return { kind: "commit", chain: false };
    case "rollback":
      // A name after it may be that of a savepoint or of the transaction; the region decides.
      return isTransaction && statement.tokens[2] !== undefined
        ? named("rollbackTo", statement, 2)
        : { kind: "rollback", chain: false };
    case "save":
      return isTransaction ? named("savepoint", statement, 2) : undefined;
    case "set":
      if (second === "transaction") return { kind: "setSession", modes: modes(statement, 2) };
      if (second !== "implicit_transactions") return undefined;
      return { kind: "autocommit", on: word(statement, 2) !== "on" };
    default:
      return undefined;
  }
}

function sqlite(statement: ControlText, first: string): Control | undefined {
  const second = word(statement, 1);
  switch (first) {
    case "begin":
      return /^(|deferred|immediate|exclusive|concurrent|transaction)$/.test(second)
        ? { kind: "begin", modes: {} }
        : undefined;
    case "commit":
    case "end":
      return { kind: "commit", chain: false };
    case "rollback": {
      const to = statement.tokens.findIndex((token) => token.word === "to");
      if (to < 0) return { kind: "rollback", chain: false };
      return named("rollbackTo", statement, to + (word(statement, to + 1) === "savepoint" ? 2 : 1));
    }
    case "savepoint":
      return named("savepoint", statement, 1);
    case "release":
      return named("release", statement, second === "savepoint" ? 2 : 1);
    default:
      return undefined;
  }
}
