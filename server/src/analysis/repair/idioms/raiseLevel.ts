// Raising a transaction to SERIALIZABLE, in the syntax that opens it.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import { offsetsOf } from "../../../frontend/sql/text/lines";
import { tokensOf } from "../../../frontend/sql/text/tokens";
import type { Transaction } from "../../../program/program";
import type { TextEdit } from "../candidate";
import type { Workshop } from "../workshop";
import { insertLine, statementAround } from "./addStatement";
import { importsOf, mikroOrmOf } from "./imports";
import { indentAt } from "./indentation";
import { importConflict, javaImports } from "./javaImports";
import { retriedMethod } from "./javaRetry";
import { NO_TEXT } from "./reasons";
import { retryLoop, type Opener, type Retried, type RetryLoop } from "./retryLoop";
import { nodesIn, pathTo } from "./syntax";
import { refusal, type EditOutcome } from "./sourceForms";

/** The edits, with a loop that runs again what the server refuses where one can be written, or why there are none. */
export function raiseLevel(workshop: Workshop, transaction: Transaction): RaisedLevel {
  const { file } = transaction.source;
  const found: Opening[] = [];
  const level = levelEdits(workshop, transaction, found);
  const [opening] = found;
  const tree = workshop.treeOf(file);
  if (level.ok && tree?.language === "java") {
    const retried = retriedInJava(workshop, transaction, tree);
    return typeof retried === "string"
      ? { level, unretried: retried }
      : { level, retried: joined([...retried, ...level.edits]) };
  }
  if (!level.ok || !opening || !tree) return { level };
  const loop = loopAround(workshop, transaction, tree, opening);
  if (typeof loop === "string") return { level, unretried: loop };
  const own = level.edits.map((each) =>
    each.file === file && each.start >= loop.start && each.end <= loop.end
      ? { ...each, newText: each.newText.replaceAll("\n", `\n${loop.deeper}`) }
      : each,
  );
  return { level, retried: [...own, ...loop.edits] };
}

/** The edits that put a loop around a transaction at the level that it has, or why there are none. */
export function retryOf(
  workshop: Workshop,
  transaction: Transaction,
): readonly TextEdit[] | string {
  const { file } = transaction.source;
  const found: Opening[] = [];
  const level = levelEdits(workshop, transaction, found);
  const [opening] = found;
  const tree = workshop.treeOf(file);
  if (tree?.language === "java") return retriedInJava(workshop, transaction, tree);
  if (!opening || !tree) return level.ok ? "its transaction is opened in no code" : level.reason;
  const loop = loopAround(workshop, transaction, tree, opening);
  return typeof loop === "string" ? loop : loop.edits;
}

function retriedInJava(
  workshop: Workshop,
  { source: { file, range } }: Transaction,
  tree: CodeTree,
): readonly TextEdit[] | string {
  const lines = workshop.textOf(file);
  return lines ? retriedMethod(workshop, tree, { file, ...offsetsOf(lines, range) }) : NO_TEXT;
}

/** Insertions at one place as one, in the order of their lines where they are imports. */
function joined(edits: readonly TextEdit[]): readonly TextEdit[] {
  const places = new Map<string, TextEdit>();
  for (const each of edits) {
    const place = JSON.stringify([each.file, each.start, each.end]);
    const known = places.get(place);
    const texts = known ? [known.newText, each.newText] : [each.newText];
    const isImports = texts.every((text) => /^\s*import\b/u.test(text));
    places.set(place, { ...each, newText: (isImports ? texts.sort() : texts).join("") });
  }
  return [...places.values()];
}

function loopAround(
  workshop: Workshop,
  transaction: Transaction,
  tree: CodeTree,
  opening: Opening,
): RetryLoop | string {
  const { file } = transaction.source;
  const codes = refusalCodes(workshop);
  if (codes.length === 0) return "no words are known by which its driver tells a refusal";
  const sites = workshop.sitesOf(transaction).filter((site) => site.file === file);
  return retryLoop(tree, { file, codes, sites, ...opening });
}

/** The codes of what the server refuses because of others; MariaDB's 1020 where a snapshot is too old. */
function refusalCodes({ dialect, anomaly }: Workshop): readonly string[] {
  switch (dialect) {
    case "postgres":
      return ["40001", "40P01"];
    case "mysql":
    case "mariadb":
      return anomaly.kind === "serialization-failure"
        ? ["ER_LOCK_DEADLOCK", "ER_CHECKREAD"]
        : ["ER_LOCK_DEADLOCK"];
    default:
      return [];
  }
}

export interface RaisedLevel {
  readonly level: EditOutcome;
  /** The edits with the loop. */
  readonly retried?: readonly TextEdit[];
  /** The reason why no loop is written. */
  readonly unretried?: string;
}

type Opening = Pick<Retried, "opening" | "opener">;

function levelEdits(workshop: Workshop, transaction: Transaction, found: Opening[]): EditOutcome {
  const { file, range } = transaction.source;
  const lines = workshop.textOf(file);
  if (!lines) return refusal(NO_TEXT);
  const { start, end } = offsetsOf(lines, range);
  if (transaction.boundary === "unit")
    return refusal(`${transaction.name} is several transactions, which no level joins`);
  if (transaction.boundary === "autocommit")
    return refusal(
      `${transaction.name} is a statement of its own, whose session chooses the level`,
    );
  const tree = workshop.treeOf(file);
  if (tree) return raiseInCode(workshop, tree, transaction, { start, end, found });
  if (transaction.boundary === "routine")
    return refusal(
      `the caller of ${transaction.name} has opened the transaction, and chose its level`,
    );
  if (workshop.dialect !== "postgres")
    return refusal("its level is set for the session before the transaction begins");
  const tokens = tokensOf(lines.text, start, end);
  const begin = tokens.findIndex(({ word }) => word === "begin");
  const place = tokens[begin];
  if (!place) return refusal("its BEGIN does not stand in this text");
  const words = tokens.slice(begin + 1, begin + 5);
  const last = words.findIndex(({ word }) => word === ";");
  const isNamed = words[0]?.word === "isolation" && words[1]?.word === "level";
  const named = isNamed ? words.slice(2, last < 0 ? undefined : last) : [];
  const [from, to] = [named[0], named.at(-1)];
  const edit =
    from && to
      ? { start: from.start, end: to.end, newText: "SERIALIZABLE" }
      : { start: place.end, end: place.end, newText: " ISOLATION LEVEL SERIALIZABLE" };
  return { ok: true, edits: [{ file, ...edit }] };
}

function raiseInCode(
  workshop: Workshop,
  tree: CodeTree,
  transaction: Transaction,
  {
    start,
    end,
    found,
  }: { readonly start: number; readonly end: number; readonly found: Opening[] },
): EditOutcome {
  const { file } = transaction.source;
  const edit = (at: number, newText: string): EditOutcome => {
    const own: TextEdit = { file, start: at, end: at, newText };
    return { ok: true, edits: [own] };
  };
  if (tree.language === "java") return raiseInJava(tree, file, start, end);
  const owner = pathTo(tree.root, start, end).at(-1);
  const opening = owner && openingCalls(owner, tree.text);
  const [call, ...others] = opening ?? [];
  if (!call && owner) {
    const begins = literalsIn(owner).filter(({ start: from, end: to }) =>
      BEGIN.test(
        tree.text
          .slice(from + 1, to - 1)
          .trim()
          .toLowerCase(),
      ),
    );
    const [begin, ...rest] = begins;
    if (begin && rest.length === 0) {
      found.push({ opening: begin, opener: "driver" });
      const written = tree.text.slice(begin.start, begin.end - 1).trimEnd();
      if (/\bisolation\s+level\b/iu.test(written))
        return refusal("its BEGIN names a level already");
      const at = begin.start + written.length - (written.endsWith(";") ? 1 : 0);
      return edit(at, " ISOLATION LEVEL SERIALIZABLE");
    }
  }
  const ownBegin = !call && owner ? beginningIn(owner, tree.text) : undefined;
  if (ownBegin) found.push({ opening: ownBegin.node, opener: "driver" });
  if (ownBegin !== undefined)
    return workshop.dialect === "postgres"
      ? refusal(`no words are known that give ${ownBegin.receiver}.${ownBegin.name}() a level`)
      : levelOfNext(tree, file, ownBegin);
  if (!call)
    return refusal("what opens the transaction stands in another function, which others may use");
  if (others.length > 0) return refusal("several calls open a transaction in it");
  const { name, node, receiver } = call;
  found.push({ opening: node, opener: openerOf(call, tree.text) });
  const given = childOf(node, "arguments");
  const values = given ? namedChildren(given) : [];
  const callback = values.find(({ type }) => FUNCTIONS.has(type));
  if (name === "execute") return edit(call.dot, '.setIsolationLevel("serializable")');
  if (!callback || !given) return refusal("its work is not written out in the call that opens it");
  if (values.length > 1) return refusal("the transaction has options already");
  if (name === "transactional") {
    const from = mikroOrmOf(tree.text) ?? "@mikro-orm/core";
    const at = { file, start: callback.end, end: callback.end };
    return {
      ok: true,
      edits: [
        { ...at, newText: ", { isolationLevel: IsolationLevel.SERIALIZABLE }" },
        ...importsOf(tree, file, from, ["IsolationLevel"]),
      ],
    };
  }
  if (name === "begin") return edit(callback.start, '"isolation level serializable", ');
  if (name === "$transaction") return edit(callback.end, ', { isolationLevel: "Serializable" }');
  switch (libraryOf(receiver)) {
    case "typeorm":
      return edit(callback.start, '"SERIALIZABLE", ');
    case "sequelize":
      return edit(callback.start, '{ isolationLevel: "SERIALIZABLE" }, ');
    default:
      return edit(callback.end, ', { isolationLevel: "serializable" }');
  }
}

/** The only call in a function that begins a transaction on a connection: `connection.beginTransaction()`. */
function beginningIn(node: SyntaxNode, text: string): MethodCall | undefined {
  const [only, ...others] = methodCalls(node, text).filter(
    ({ name }) => name === "beginTransaction",
  );
  return others.length === 0 ? only : undefined;
}

/** MySQL: a statement before the one that begins the transaction sets the level of the next transaction on the connection. */
function levelOfNext(
  tree: CodeTree,
  file: Transaction["source"]["file"],
  { node, receiver }: MethodCall,
): EditOutcome {
  const statement = statementAround(tree, node);
  if (!statement || tree.text.slice(statement.start, node.start).trim() !== "await")
    return refusal("what opens the transaction is no awaited statement of its own");
  const line = `await ${receiver}.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");`;
  return insertLine(file, tree.text, statement.start, line);
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  "arrow_function",
  "function_expression",
  "identifier",
]);

/** The library, guessed from the name of the expression that opens the transaction; a wrong guess does not survive the re-reading. */
function libraryOf(receiver: string): "sequelize" | "typeorm" | "builder" {
  if (/sequelize/iu.test(receiver)) return "sequelize";
  return /datasource|manager|connection/iu.test(receiver) ? "typeorm" : "builder";
}

function openerOf({ name, receiver }: MethodCall, text: string): Opener {
  if (name === "execute") return "kysely";
  if (name === "transactional") return "mikroorm";
  if (name === "begin") return "driver";
  if (name === "$transaction") return "prisma";
  const library = libraryOf(receiver);
  if (library !== "builder") return library;
  return /\bdrizzle-orm\b/u.test(text) ? "drizzle" : "knex";
}

const BEGIN = /^(?:begin|start transaction)\b/u;

function literalsIn(node: SyntaxNode): readonly SyntaxNode[] {
  return nodesIn(node).filter(({ type }) => type === "string" || type === "template_string");
}

interface MethodCall {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly receiver: string;
  /** Start of `.name`. */
  readonly dot: number;
}

function openingCalls(node: SyntaxNode, text: string): readonly MethodCall[] {
  return methodCalls(node, text).filter(({ name, receiver, node: call }) => {
    const isKysely = name === "execute" && /\.transaction\(\)$/u.test(receiver);
    const hasWork = namedChildren(childOf(call, "arguments") ?? call).some(({ type }) =>
      FUNCTIONS.has(type),
    );
    return (
      isKysely ||
      (["transaction", "$transaction", "begin", "transactional"].includes(name) && hasWork)
    );
  });
}

/** Every method call within a node. Linear in it. */
function methodCalls(node: SyntaxNode, text: string): readonly MethodCall[] {
  return nodesIn(node).flatMap((next): readonly MethodCall[] => {
    const called = next.type === "call_expression" ? childOf(next, "function") : undefined;
    const object = called && childOf(called, "object");
    const property = called && childOf(called, "property");
    if (!object || !property) return [];
    const name = text.slice(property.start, property.end);
    const receiver = text.slice(object.start, object.end);
    return [{ name, node: next, receiver, dot: object.end }];
  });
}

/** Adds a level to the method's `@Transactional`; a method that inherits its class's annotation gets one of its own. */
function raiseInJava(
  tree: CodeTree,
  file: Transaction["source"]["file"],
  start: number,
  end: number,
): EditOutcome {
  const { root, text } = tree;
  const edit = (at: number, newText: string): EditOutcome => ({
    ok: true,
    edits: [{ file, start: at, end: at, newText }, ...javaImports(tree, file, [ISOLATION])],
  });
  const path = pathTo(root, start, end);
  const method = path.findLast(({ type }) => type === "method_declaration");
  const owner = path.findLast(({ type }) => type === "class_declaration");
  const own = method && transactional(method, text);
  const inherited = owner && transactional(owner, text);
  if (
    (own ?? inherited) &&
    /^import\s+(?:jakarta|javax)\.transaction\.(?:Transactional|\*)/mu.test(text)
  )
    return refusal("@Transactional of Jakarta knows no level");
  const conflict = importConflict(tree, [ISOLATION]);
  if (conflict !== undefined) return refusal(conflict);
  const level = "(isolation = Isolation.SERIALIZABLE)";
  if (own) return own.type === "marker_annotation" ? edit(own.end, level) : refusal(HAS_VALUES);
  if (!method || !inherited) return refusal("its level is set where its connection is opened");
  if (inherited.type !== "marker_annotation") return refusal(HAS_VALUES);
  return edit(method.start, `@Transactional${level}\n${indentAt(text, method.start)}`);
}

const ISOLATION = "org.springframework.transaction.annotation.Isolation";
const HAS_VALUES = "the annotation has values already";

function transactional(node: SyntaxNode, text: string): SyntaxNode | undefined {
  const modifiers = node.children.find(({ type }) => type === "modifiers");
  return modifiers?.children.find(
    ({ type, start, end }) =>
      /annotation$/u.test(type) && /^@Transactional\b/u.test(text.slice(start, end)),
  );
}
