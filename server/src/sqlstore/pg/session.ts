// Statements of PostgreSQL about the session: prepared statements, cursors, COPY, EXPLAIN, LISTEN, blocks of code.
import type { CopyStmt, CreateTableAsStmt, FetchStmt, Node } from "libpg-query";
import { kindOf, stringsOf } from "../../frontend/sql/pg/ast";
import { failure, unsupported } from "../sqlError";
import type { SqlStatement } from "../statementTree";
import { nameOf } from "./relationNames";
import { expressionOf } from "./expression";
import { queryOf } from "./recursion";

/** The statement that a node is; undefined for others. `whole` translates statements inside of it. */
export function sessionStatementOf(
  node: Node,
  whole: (inner: Node) => SqlStatement,
): SqlStatement | undefined {
  if ("ExplainStmt" in node) {
    const { query, options } = node.ExplainStmt;
    if (query === undefined) throw unsupported("EXPLAIN without a statement");
    const format = optionsOf(options).get("format") ?? "text";
    const isRun = optionsOf(options).get("analyze") === "true";
    const hasCosts = !/^(false|off|0)$/.test(optionsOf(options).get("costs") ?? "");
    return { kind: "explain", statement: whole(query), format, isRun, hasCosts };
  }
  if ("PrepareStmt" in node) {
    const { name = "", query } = node.PrepareStmt;
    if (query === undefined) throw unsupported("PREPARE without a statement");
    return { kind: "prepare", name, statement: whole(query) };
  }
  if ("ExecuteStmt" in node) {
    const { name = "", params = [] } = node.ExecuteStmt;
    return { kind: "execute", name, arguments: params.map(expressionOf) };
  }
  if ("DeallocateStmt" in node) return { kind: "deallocate", name: node.DeallocateStmt.name };
  if ("DeclareCursorStmt" in node) {
    const { portalname = "", options = 0, query } = node.DeclareCursorStmt;
    if (query === undefined || !("SelectStmt" in query)) throw unsupported("this cursor");
    const isHeld = (options & HOLD) !== 0;
    return { kind: "declare", name: portalname, query: queryOf(query.SelectStmt), isHeld };
  }
  if ("FetchStmt" in node) return fetchOf(node.FetchStmt);
  if ("ClosePortalStmt" in node) return { kind: "close", name: node.ClosePortalStmt.portalname };
  if ("CopyStmt" in node) return copyOf(node.CopyStmt);
  if ("ListenStmt" in node) return { kind: "listen", channel: node.ListenStmt.conditionname ?? "" };
  if ("UnlistenStmt" in node) return { kind: "unlisten", channel: node.UnlistenStmt.conditionname };
  if ("NotifyStmt" in node) {
    const { conditionname: channel = "", payload = "" } = node.NotifyStmt;
    return { kind: "notify", channel, payload };
  }
  const database = databaseStatementOf(node);
  if (database !== undefined) return database;
  if ("DiscardStmt" in node) return { kind: "discard" };
  if ("CreateTableAsStmt" in node) return tableAsOf(node.CreateTableAsStmt);
  if ("CallStmt" in node) {
    const { funcname = [], args = [] } = node.CallStmt.funccall ?? {};
    return {
      kind: "call",
      name: stringsOf(funcname).at(-1) ?? "",
      arguments: args.map(expressionOf),
    };
  }
  if ("DoStmt" in node) {
    const options = new Map<string, string>();
    for (const arg of node.DoStmt.args ?? [])
      if ("DefElem" in arg) options.set(arg.DefElem.defname ?? "", textOf(arg.DefElem.arg));
    const language = options.get("language") ?? "plpgsql";
    if (language !== "plpgsql") throw unsupported(`DO in the language ${language}`);
    return { kind: "do", body: options.get("as") ?? "" };
  }
  return undefined;
}

/** Databases that are no copies of others but of the empty ones. */
const TEMPLATES: ReadonlySet<string> = new Set(["template0", "template1", "default", "true"]);

function databaseStatementOf(node: Node): SqlStatement | undefined {
  if ("CreatedbStmt" in node) {
    const { dbname: name = "", options } = node.CreatedbStmt;
    const template = optionsOf(options).get("template") ?? "template1";
    if (!TEMPLATES.has(template)) throw unsupported(`a database that is a copy of "${template}"`);
    return { kind: "create database", name, guarded: false, isForced: false };
  }
  if ("DropdbStmt" in node) {
    const { dbname: name = "", missing_ok, options } = node.DropdbStmt;
    const isForced = optionsOf(options).has("force");
    return { kind: "drop database", name, guarded: missing_ok === true, isForced };
  }
  return undefined;
}

const HOLD = 0x20;
const EVERYTHING = 2n ** 62n;

function fetchOf({ direction, howMany, portalname = "", ismove }: FetchStmt): SqlStatement {
  const isMove = ismove === true;
  const count = howMany === undefined ? 0n : BigInt(howMany);
  const all = count >= EVERYTHING ? undefined : Number(count);
  switch (direction) {
    case "FETCH_BACKWARD":
      return { kind: "fetch", name: portalname, direction: "backward", count: all, isMove };
    case "FETCH_ABSOLUTE":
      return { kind: "fetch", name: portalname, direction: "absolute", count: all ?? 0, isMove };
    case "FETCH_RELATIVE":
      return { kind: "fetch", name: portalname, direction: "relative", count: all ?? 0, isMove };
    default:
      return { kind: "fetch", name: portalname, direction: "forward", count: all, isMove };
  }
}

function textOf(node: Node | undefined): string {
  if (node === undefined) return "true";
  if ("String" in node) return node.String.sval ?? "";
  if ("Integer" in node) return String(node.Integer.ival ?? 0);
  if ("Boolean" in node) return String(node.Boolean.boolval === true);
  if ("List" in node) return stringsOf(node.List.items).join(",");
  if ("TypeName" in node) return stringsOf(node.TypeName.names).at(-1) ?? "";
  if ("A_Star" in node) return "*";
  throw unsupported(`an option that is a ${kindOf(node)}`);
}

/** Options in parentheses, by their names. */
function optionsOf(nodes: readonly Node[] | undefined): ReadonlyMap<string, string> {
  return new Map(
    (nodes ?? []).flatMap((node) =>
      "DefElem" in node
        ? [[node.DefElem.defname ?? "", textOf(node.DefElem.arg).toLowerCase()]]
        : [],
    ),
  );
}

function copyOf(node: CopyStmt): SqlStatement {
  const { relation, query, attlist, is_from: isFrom = false, filename, is_program } = node;
  if (filename !== undefined || is_program === true) throw unsupported("COPY with a file");
  if (node.whereClause !== undefined) throw unsupported("COPY ... WHERE");
  const written = new Map(
    (node.options ?? []).flatMap((each) =>
      "DefElem" in each ? [[each.DefElem.defname ?? "", textOf(each.DefElem.arg)] as const] : [],
    ),
  );
  const format = (written.get("format") ?? "text").toLowerCase();
  if (format !== "text" && format !== "csv" && format !== "binary")
    throw failure("badArgument", `COPY format "${format}" not recognized`);
  const isCsv = format === "csv";
  const options = {
    format,
    delimiter: written.get("delimiter") ?? (isCsv ? "," : "\t"),
    null: written.get("null") ?? (isCsv ? "" : "\\N"),
    header: /^(true|on|1|match)$/i.test(written.get("header") ?? ""),
    quote: written.get("quote") ?? '"',
    escape: written.get("escape") ?? written.get("quote") ?? '"',
  } as const;
  const columns = stringsOf(attlist);
  if (query !== undefined) {
    if (!("SelectStmt" in query)) throw unsupported("COPY of a change");
    return { kind: "copy", isFrom: false, columns, query: queryOf(query.SelectStmt), options };
  }
  return { kind: "copy", isFrom, table: nameOf(relation), columns, options };
}

function tableAsOf({ query, into, objtype, if_not_exists }: CreateTableAsStmt): SqlStatement {
  if (query === undefined || !("SelectStmt" in query))
    throw unsupported("a table of what a statement gives");
  return {
    kind: "table as",
    table: nameOf(into?.rel),
    columns: stringsOf(into?.colNames),
    query: queryOf(query.SelectStmt),
    ifNotExists: if_not_exists === true,
    isEmpty: into?.skipData === true,
    isView: objtype === "OBJECT_MATVIEW",
  };
}
