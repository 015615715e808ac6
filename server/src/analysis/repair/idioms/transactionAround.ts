// Wraps the body of a TypeScript or JavaScript function in a transaction at SERIALIZABLE, in the syntax of its library.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { Transaction } from "../../../program/program";
import type { TextEdit } from "../candidate";
import type { Site, Workshop } from "../workshop";
import { functionAround, textOf } from "./columnValue";
import { connectionOf, type CodeConnection } from "./connection";
import { returnsIn, throwsAlways } from "./handlers";
import { linesWithin } from "./indentation";
import { NO_BLOCK, SHARED_FUNCTIONS } from "./reasons";
import { refusal, type EditOutcome } from "./sourceForms";
import { pathTo } from "./syntax";

/** The edits that wrap the function in a transaction, or the reason why there are none. */
export function transactionAround(workshop: Workshop, transaction: Transaction): EditOutcome {
  const sites = workshop.sitesOf(transaction);
  const [first] = sites;
  const tree = first && workshop.treeOf(first.file);
  if (!first || !tree || tree.language === "java")
    return refusal("it is no function of TypeScript or JavaScript");
  const isHere = sites.every(({ file, statement }) => file === first.file && !statement.through);
  if (!isHere) return refusal(SHARED_FUNCTIONS);
  const owner = functionAround(tree, first);
  const body = owner && childOf(owner, "body");
  if (!owner || body?.type !== "statement_block") return refusal(NO_BLOCK);
  if (sites.some(({ start, end }) => start < body.start || end > body.end))
    return refusal(SHARED_FUNCTIONS);
  if (!/^async\b/u.test(textOf(tree, owner)))
    return refusal("its function does not wait for its statements");
  const sent = sites.flatMap((site) => sending(tree, site) ?? []);
  if (sent.length < sites.length)
    return refusal("the call is of no shape whose connection is known");
  if (sites.some((site) => isCaught(tree, body, site)))
    return refusal("it catches errors of its statements, which end a transaction as a whole");
  const around = wordsOf(tree, body, sent);
  if (typeof around === "string") return refusal(around);
  const { before, after, edits } = around;
  const taken = new RegExp(`\\b${around.name}\\b`, "u").test(textOf(tree, owner));
  if (taken) return refusal(`the name "${around.name}" is taken in it`);
  const { file } = first;
  const edit = (start: number, newText: string, end = start): TextEdit => ({ file, start, end, newText }); // prettier-ignore
  const close = body.end - 1;
  const line = tree.text.lastIndexOf("\n", close - 1) + 1;
  const isOwnLine = tree.text.slice(line, close).trim() === "";
  const indent = isOwnLine ? tree.text.slice(line, close) : "";
  const inner = `${indent}  `;
  const deeper = linesWithin(tree, body).map((at) => edit(at, "  "));
  return {
    ok: true,
    edits: [
      edit(body.start + 1, before.map((each) => `\n${inner}${each}`).join("")),
      ...deeper,
      ...edits.map(({ start, end, newText }) => edit(start, newText, end)),
      edit(isOwnLine ? line : close, `${after.map((each) => `${inner}${each}\n`).join("")}`),
    ],
  };
}

/** True if a handler continues after the statement fails, or if the statement is in the handler. */
function isCaught(tree: CodeTree, body: SyntaxNode, { start, end }: Site): boolean {
  return pathTo(tree.root, start, end).some((node) => {
    if (node.start < body.start) return false;
    if (node.type === "catch_clause") return true;
    if (node.type === "try_statement") {
      const handler = childOf(node, "handler");
      const handling = handler && childOf(handler, "body");
      return handling !== undefined && !throwsAlways(handling);
    }
    const called = node.type === "call_expression" ? childOf(node, "function") : undefined;
    const property = called && childOf(called, "property");
    return property !== undefined && textOf(tree, property) === "catch";
  });
}

interface Sent {
  readonly site: Site;
  readonly connection: CodeConnection;
  /** The call that sends it, and the receiver of its method. */
  readonly call: SyntaxNode;
  readonly object: SyntaxNode;
}

function sending(tree: CodeTree, site: Site): Sent | undefined {
  const path = pathTo(tree.root, site.start, site.end);
  const call = path.findLast(({ type }) => type === "call_expression");
  const called = call && childOf(call, "function");
  const object = called && childOf(called, "object");
  const property = called && childOf(called, "property");
  if (!call) return undefined;
  const connection = connectionOf(tree, site);
  if (!object || !property) return connection && { site, connection, call, object: call };
  const own = { receiver: textOf(tree, object), method: textOf(tree, property), isListed: true };
  // Sequelize models and TypeORM repositories do not show in an option what they are.
  if (OPTIONS.has(own.method) && SEQUELIZE.test(tree.text))
    return { site, call, object, connection: { ...own, library: "sequelize" } };
  if (connection && connection.library !== "typeorm") return { site, connection, call, object };
  return TYPEORM.test(own.method)
    ? { site, call, object, connection: { ...own, library: "typeorm" } }
    : undefined;
}

/** Sequelize is imported or created under this name. */
const SEQUELIZE = /\bsequelize\b(?!["'])/u;
const TYPEORM = /^(?:find\w*|count\w*|exists?\w*|save|insert|update|upsert|delete|remove|softRemove|increment|decrement)$/u; // prettier-ignore

interface Around {
  /** The name of the transaction inside. */
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly edits: readonly {
    readonly start: number;
    readonly end: number;
    readonly newText: string;
  }[];
}

function wordsOf(tree: CodeTree, body: SyntaxNode, sent: readonly Sent[]): Around | string {
  const [first] = sent;
  if (!first) return "it sends nothing";
  const { library, method, receiver } = first.connection;
  const own = sent.map(({ connection }) => connection);
  if (own.some((each) => each.library !== library))
    return "its statements go through several libraries";
  const roots = new Set(own.map((each) => each.receiver));
  const [handle] = roots;
  if (library !== "typeorm" && library !== "sequelize" && (roots.size > 1 || handle === undefined))
    return "its statements go through several connections";
  const renaming = (name: string): Around["edits"] =>
    namesOf(tree, body, receiver).map(({ start, end }) => ({ start, end, newText: name }));
  switch (library) {
    case "prisma":
      return called("tx", `return ${receiver}.$transaction(async (tx) => {`, '}, { isolationLevel: "Serializable" });', renaming("tx")); // prettier-ignore
    case "drizzle":
      return called("tx", `return ${receiver}.transaction(async (tx) => {`, '}, { isolationLevel: "serializable" });', renaming("tx")); // prettier-ignore
    case "kysely":
      return called("trx", `return ${receiver}.transaction().setIsolationLevel("serializable").execute(async (trx) => {`, "});", renaming("trx")); // prettier-ignore
    case "knex":
      return called("trx", `return ${receiver}.transaction(async (trx) => {`, '}, { isolationLevel: "serializable" });', renaming("trx")); // prettier-ignore
    case "driver":
      return method === "query" && /pool$/iu.test(receiver)
        ? ofPool(body, receiver, renaming("client"))
        : "its connection is not taken from a pool there";
    case "sequelize":
      return ofSequelize(tree, sent);
    case "typeorm":
      return ofTypeorm(tree, sent);
    default:
      return "its library has no plain way to put a transaction around it";
  }
}

function called(name: string, before: string, after: string, edits: Around["edits"]): Around {
  return { name, before: [before], after: [after], edits };
}

/** The occurrences of a name in a block as a variable. */
function namesOf(tree: CodeTree, body: SyntaxNode, name: string): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const open = [body];
  for (let next = open.pop(); next; next = open.pop()) {
    const isIt = next.type === "identifier" || next.type === "member_expression";
    if (isIt && textOf(tree, next) === name) found.push(next);
    else open.push(...next.children);
  }
  return found;
}

function ofPool(body: SyntaxNode, pool: string, edits: Around["edits"]): Around | string {
  if (returnsIn(body)) return "it returns before its end, where the transaction would stay open";
  return {
    name: "client",
    before: [
      `const client = await ${pool}.connect();`,
      "try {",
      '  await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");',
    ],
    after: [
      '  await client.query("COMMIT");',
      "} catch (error) {",
      '  await client.query("ROLLBACK");',
      "  throw error;",
      "} finally {",
      "  client.release();",
      "}",
    ],
    edits,
  };
}

/** The index of a method's options among its arguments. */
const OPTIONS: ReadonlyMap<string, number> = new Map([
  ...["findOne", "findAll", "count", "save", "destroy", "reload"].map((name) => [name, 0] as const),
  ...["findByPk", "create", "bulkCreate", "update", "increment", "decrement", "upsert", "max", "min", "sum"].map((name) => [name, 1] as const), // prettier-ignore
]);

function ofSequelize(tree: CodeTree, sent: readonly Sent[]): Around | string {
  const edits: { start: number; end: number; newText: string }[] = [];
  for (const { call } of sent) {
    const called_ = childOf(call, "function");
    const property = called_ && childOf(called_, "property");
    const given = childOf(call, "arguments");
    const at = property && OPTIONS.get(textOf(tree, property));
    if (!given || at === undefined) return "its call takes no transaction that is known";
    const values = namedChildren(given);
    const options = values[at];
    if (values.length < at) return "its call takes no transaction that is known";
    if (options === undefined) {
      const end = given.end - 1;
      edits.push({ start: end, end, newText: `${at > 0 ? ", " : ""}{ transaction }` });
    } else if (options.type === "object") {
      const last = namedChildren(options).at(-1)?.end ?? options.start + 1;
      edits.push({ start: last, end: last, newText: `${last > options.start + 1 ? "," : ""} transaction` }); // prettier-ignore
    } else return "its call takes options that are not written out";
  }
  return called(
    "transaction",
    'return sequelize.transaction({ isolationLevel: "SERIALIZABLE" }, async (transaction) => {',
    "});",
    edits,
  );
}

function ofTypeorm(tree: CodeTree, sent: readonly Sent[]): Around {
  const edits = sent.map(({ object: { start, end } }) => {
    const own = tree.text.slice(start, end);
    const newText = /manager$/iu.test(own) ? "manager" : `manager.withRepository(${own})`;
    return { start, end, newText };
  });
  const own = sent[0] ? textOf(tree, sent[0].object) : "";
  const manager = /manager$/iu.test(own) ? own : `${own}.manager`;
  return called(
    "manager",
    `return ${manager}.transaction("SERIALIZABLE", async (manager) => {`,
    "});",
    edits,
  );
}
