// Statements of PostgreSQL as trees: what its own parser gives, translated.
import type { Node, TransactionStmt, VariableSetStmt } from "libpg-query";
import { kindOf, rangeVarsOf } from "../../frontend/sql/pg/ast";
import type { PgParser } from "../../frontend/sql/pg/pgParser";
import type { ParsedStatement } from "../parseMemo";
import { failure, unsupported } from "../sqlError";
import type { SqlExpression, SqlStatement } from "../tree";
import { translatedChange } from "./change";
import { definitionOf } from "./definition";
import { expressionOf } from "./expression";
import { translatedQuery } from "./query";
import { changeOf, queryOf, tie } from "./recursion";
import { sessionStatementOf } from "./session";

tie({ query: translatedQuery, change: translatedChange });

/** The statements of a text. Fails with 42601 where it is not SQL, and with 0A000 for what the store does not have. */
export function postgresStatements(sql: string, parser: PgParser): readonly ParsedStatement[] {
  const parsed = parser.parse(sql);
  if (!parsed.ok) throw failure("syntax", parsed.message, { position: parsed.offset });
  return parsed.statements.map(({ node, start, end }) => ({
    statement: statementOf(node),
    text: sql.slice(start, end).trim(),
    start: start + sql.slice(start, end).search(/\S|$/),
  }));
}

function statementOf(node: Node): SqlStatement {
  if ("SelectStmt" in node) {
    const { intoClause, ...select } = node.SelectStmt;
    if (intoClause === undefined) return queryOf(select);
    const into: Node = { CreateTableAsStmt: { query: { SelectStmt: select }, into: intoClause } };
    return statementOf(into);
  }
  const change = changeOf(node);
  if (change !== undefined) return change;
  if ("TransactionStmt" in node) return transactionOf(node.TransactionStmt);
  if ("VariableSetStmt" in node) return settingOf(node.VariableSetStmt);
  if ("VariableShowStmt" in node) return { kind: "show", name: node.VariableShowStmt.name ?? "" };
  if ("TruncateStmt" in node) {
    return {
      kind: "truncate",
      tables: rangeVarsOf(node.TruncateStmt.relations).map((relation) => relation.relname ?? ""),
      restart: node.TruncateStmt.restart_seqs === true,
    };
  }
  const session = sessionStatementOf(node, statementOf);
  if (session !== undefined) return session;
  const definition = definitionOf(node);
  if (definition !== undefined) {
    const tag =
      definition.kind === "nothing"
        ? definition.tag
        : definition.kind === "drop"
          ? `DROP ${definition.what.toUpperCase()}`
          : definition.kind === "create enum"
            ? "CREATE TYPE"
            : definition.kind.toUpperCase();
    return { kind: "definition", definition, tag };
  }
  for (const [kind, tag] of NOTHING) if (Object.hasOwn(node, kind)) return { kind: "nothing", tag };
  throw unsupported(`the statement ${kindOf(node).replace(/Stmt$/, "")}`);
}

/** Statements that are accepted and change nothing that the store has. */
const NOTHING: readonly (readonly [string, string])[] = [
  ["LockStmt", "LOCK TABLE"],
  ["VacuumStmt", "VACUUM"],
  ["ConstraintsSetStmt", "SET CONSTRAINTS"],
  ["CheckPointStmt", "CHECKPOINT"],
  ["RefreshMatViewStmt", "REFRESH MATERIALIZED VIEW"],
];

function transactionOf(node: TransactionStmt): SqlStatement {
  const name = node.savepoint_name ?? "";
  switch (node.kind) {
    case "TRANS_STMT_BEGIN":
    case "TRANS_STMT_START": {
      const level = levelOf(node.options);
      return level === undefined ? { kind: "begin" } : { kind: "begin", level };
    }
    case "TRANS_STMT_COMMIT":
      return { kind: "commit", chain: node.chain === true };
    case "TRANS_STMT_ROLLBACK":
      return { kind: "rollback", chain: node.chain === true };
    case "TRANS_STMT_SAVEPOINT":
      return { kind: "savepoint", name };
    case "TRANS_STMT_RELEASE":
      return { kind: "release", name };
    case "TRANS_STMT_ROLLBACK_TO":
      return { kind: "rollback to", name };
    default:
      throw unsupported("a prepared transaction");
  }
}

/** The level among the options of a transaction, in lower case. */
function levelOf(options: readonly Node[] | undefined): string | undefined {
  for (const option of options ?? []) {
    if (!("DefElem" in option) || option.DefElem.defname !== "transaction_isolation") continue;
    const { arg } = option.DefElem;
    const value: SqlExpression | undefined = arg === undefined ? undefined : expressionOf(arg);
    if (value?.kind === "string") return value.value.toLowerCase();
  }
  return undefined;
}

function settingOf(node: VariableSetStmt): SqlStatement {
  const { name = "", kind, args = [], is_local: local = false } = node;
  if (name === "TRANSACTION" || name === "SESSION CHARACTERISTICS") {
    const level = levelOf(args);
    if (level === undefined) return { kind: "nothing", tag: "SET" };
    return { kind: "set level", level, session: name !== "TRANSACTION" };
  }
  const [first] = args;
  const value = first === undefined || kind === "VAR_SET_DEFAULT" ? undefined : expressionOf(first);
  return {
    kind: "set",
    assignments: [{ name, user: false, local, ...(value === undefined ? {} : { value }) }],
  };
}
