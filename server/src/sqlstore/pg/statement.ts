// Statements of PostgreSQL as trees: what its own parser gives, translated.
import type { Node, TransactionStmt, VariableSetStmt } from "libpg-query";
import { kindOf, rangeVarsOf } from "../../frontend/sql/pg/ast";
import type { PgParser } from "../../frontend/sql/pg/pgParser";
import type { ParsedStatement } from "../parseMemo";
import { failure, unsupported } from "../sqlError";
import type { SqlDefinition } from "../definitionTree";
import type { SqlExpression } from "../tree";
import type { SqlStatement, TransactionModes } from "../statementTree";
import { translatedChange } from "./change";
import { definitionOf } from "./definition";
import { expressionOf } from "./expression";
import { translatedQuery } from "./query";
import { nameOf } from "./relationNames";
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
  if ("ConstraintsSetStmt" in node) {
    const { constraints, deferred } = node.ConstraintsSetStmt;
    const names = rangeVarsOf(constraints).map((each) => each.relname ?? "");
    return { kind: "set constraints", names, deferred: deferred === true };
  }
  if ("TruncateStmt" in node) {
    return {
      kind: "truncate",
      tables: rangeVarsOf(node.TruncateStmt.relations).map(nameOf),
      restart: node.TruncateStmt.restart_seqs === true,
      cascade: node.TruncateStmt.behavior === "DROP_CASCADE",
    };
  }
  const session = sessionStatementOf(node, statementOf);
  if (session !== undefined) return session;
  const definition = definitionOf(node);
  if (definition !== undefined) {
    return { kind: "definition", definition, tag: tagOf(node, definition) };
  }
  for (const [kind, tag] of NOTHING) if (Object.hasOwn(node, kind)) return { kind: "nothing", tag };
  throw unsupported(`the statement ${kindOf(node).replace(/Stmt$/, "")}`);
}

/** The server's answer to a definition that it has carried out. */
function tagOf(node: Node, definition: SqlDefinition): string {
  if ("DropStmt" in node) return `DROP ${objectWords(node.DropStmt.removeType)}`;
  if ("RenameStmt" in node) {
    const { renameType, relationType } = node.RenameStmt;
    const isPart = /_(COLUMN|TABCONSTRAINT|ATTRIBUTE)$/.test(renameType ?? "");
    return `ALTER ${objectWords(isPart ? relationType : renameType)}`;
  }
  if ("AlterTableStmt" in node) return `ALTER ${objectWords(node.AlterTableStmt.objtype)}`;
  if ("AlterOwnerStmt" in node) return `ALTER ${objectWords(node.AlterOwnerStmt.objectType)}`;
  if ("CreateFunctionStmt" in node)
    return node.CreateFunctionStmt.is_procedure === true ? "CREATE PROCEDURE" : "CREATE FUNCTION";
  switch (definition.kind) {
    case "nothing":
      return definition.tag;
    case "create enum":
      return "CREATE TYPE";
    case "add label":
    case "rename label":
      return "ALTER TYPE";
    default:
      return definition.kind.toUpperCase();
  }
}

function objectWords(type = ""): string {
  const word = type.replace(/^OBJECT_/, "").replaceAll("_", " ");
  return word === "MATVIEW" ? "MATERIALIZED VIEW" : word;
}

/** Statements that are accepted and change nothing that the store has. */
const NOTHING: readonly (readonly [string, string])[] = [
  ["LockStmt", "LOCK TABLE"],
  ["VacuumStmt", "VACUUM"],
  ["CheckPointStmt", "CHECKPOINT"],
  ["RefreshMatViewStmt", "REFRESH MATERIALIZED VIEW"],
];

function transactionOf(node: TransactionStmt): SqlStatement {
  const name = node.savepoint_name ?? "";
  switch (node.kind) {
    case "TRANS_STMT_BEGIN":
    case "TRANS_STMT_START": {
      return { kind: "begin", ...modesOf(node.options) };
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
  const value = optionOf(options, "transaction_isolation");
  return value?.kind === "string" ? value.value.toLowerCase() : undefined;
}

function modesOf(options: readonly Node[] | undefined): TransactionModes {
  const level = levelOf(options);
  const access = optionOf(options, "transaction_read_only");
  const isOn =
    access?.kind === "number" ? access.text !== "0" : access?.kind === "boolean" && access.value;
  return {
    ...(level === undefined ? {} : { level }),
    ...(access === undefined ? {} : { readOnly: isOn }),
  };
}

function optionOf(options: readonly Node[] | undefined, name: string): SqlExpression | undefined {
  for (const option of options ?? []) {
    if (!("DefElem" in option) || option.DefElem.defname !== name) continue;
    const { arg } = option.DefElem;
    return arg === undefined ? undefined : expressionOf(arg);
  }
  return undefined;
}

function settingOf(node: VariableSetStmt): SqlStatement {
  const { name = "", kind, args = [], is_local: local = false } = node;
  if (name === "TRANSACTION" || name === "SESSION CHARACTERISTICS") {
    return { kind: "set modes", ...modesOf(args), session: name !== "TRANSACTION" };
  }
  if (kind === "VAR_RESET_ALL") return { kind: "discard", onlySettings: true };
  const [first] = args;
  const value = first === undefined || kind === "VAR_SET_DEFAULT" ? undefined : expressionOf(first);
  return {
    kind: "set",
    assignments: [{ name, user: false, local, ...(value === undefined ? {} : { value }) }],
  };
}
