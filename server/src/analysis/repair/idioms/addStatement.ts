// Insertion of a statement before another, in the syntax of the surrounding text.
import type { CodeTree, SyntaxNode } from "../../../frontend/code/workspace/codeParsers";
import { offsetsOf } from "../../../frontend/sql/text/lines";
import { nextToken, tokensOf, type Token } from "../../../frontend/sql/text/tokens";
import type { SourceRange } from "../../../protocol/source";
import type { Site, Workshop } from "../workshop";
import { connectionOf, type CodeConnection } from "./connection";
import { importsOf } from "./imports";
import { indentAt } from "./indentation";
import { NO_TEXT } from "./reasons";
import { literalAround, pathTo } from "./syntax";
import { refusal, type EditOutcome } from "./sourceForms";

/** A SELECT with values of the program inside, as its text writes it: `SELECT 1 FROM t WHERE id = ` values ` FOR UPDATE`. */
export interface LockingSelect {
  readonly before: string;
  /** In the language around, joined by commas; none where `before` is all. */
  readonly values: readonly string[];
  readonly after: string;
  /** It gives nothing that a client can read (an advisory lock). */
  readonly isVoid: boolean;
}

/** The edits that send the SELECT right before the statement, or the reason why there are none. */
export function addBefore(workshop: Workshop, site: Site, select: LockingSelect): EditOutcome {
  const tree = workshop.treeOf(site.file);
  return tree ? addToCode(workshop, tree, site, select) : addToSql(workshop, site, select);
}

function addToSql(workshop: Workshop, site: Site, select: LockingSelect): EditOutcome {
  const { transaction, file, start } = site;
  const text = workshop.textOf(file)?.text;
  if (text === undefined) return refusal(NO_TEXT);
  const from = offsetAt(workshop, transaction.source);
  const at = statementStart(text, from, start);
  const sql = `${select.before}${select.values.join(", ")}${select.after}`;
  const isMysql = workshop.dialect !== "postgres";
  const isRoutine = transaction.boundary === "routine";
  if (isRoutine && isMysql && select.values.length > 1)
    return refusal("a routine of MySQL has no plain way to lock several rows at once");
  const isPlpgsql = isRoutine && !isMysql && languageOf(text, from) === "plpgsql";
  // In a routine the result of a SELECT needs a target.
  const words = isPlpgsql
    ? sql.replace(/^SELECT/u, "PERFORM")
    : isRoutine && isMysql
      ? sql.replace(/^SELECT 1/u, "DO (SELECT 1").concat(")")
      : sql;
  return insertLine(file, text, at, `${words};`);
}

/**
 * The start of the statement around a query: after the last `;`, THEN, ELSE, LOOP, DO or BEGIN before it outside of parentheses, or after
 * the line of a command of psql, such as `\if :old >= :n`.
 */
function statementStart(text: string, from: number, query: number): number {
  const before = tokensBefore(text, from, query);
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const token = before[at];
    if (!token) break;
    if (token.word === ")") depth += 1;
    if (token.word === "(") depth -= 1;
    if (depth > 0) continue;
    const isEnd = [";", "then", "else", "loop", "begin", "do"].includes(token.word);
    if (isEnd) return before[at + 1]?.start ?? query;
    if (token.kind === "backslash") {
      const line = text.indexOf("\n", token.end);
      return before.find(({ start }) => line >= 0 && start > line)?.start ?? query;
    }
  }
  return query;
}

/** The tokens before a position; inside of a quoted body, those of the body. */
function tokensBefore(text: string, from: number, until: number): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = from; ;) {
    const next = nextToken(text, at, text.length);
    if (next === undefined || next.start >= until) return tokens;
    if (next.kind === "string" && next.end > until) {
      at = next.start + (/^\$[^$]*\$|^'/u.exec(text.slice(next.start, until))?.[0].length ?? 1);
      continue;
    }
    if (next.kind !== "comment") tokens.push(next);
    at = next.end;
  }
}

/** The declared language of a routine: LANGUAGE precedes or follows its body. */
function languageOf(text: string, from: number): string {
  const tokens = tokensOf(text, from, Math.min(text.length, from + LONGEST_ROUTINE));
  const at = tokens.findIndex(({ word }) => word === "language");
  const name = tokens[at + 1];
  return name === undefined
    ? ""
    : text.slice(name.start, name.end).replaceAll("'", "").toLowerCase();
}

/** The number of characters in which LANGUAGE is searched. */
const LONGEST_ROUTINE = 100_000;

function addToCode(
  workshop: Workshop,
  tree: CodeTree,
  site: Site,
  select: LockingSelect,
): EditOutcome {
  const connection = connectionOf(tree, site);
  if (!connection)
    return refusal("the call is of no shape beside which another statement is written");
  const statement = statementAround(tree, site);
  if (!statement) return refusal("there is no place for a statement before the call");
  const receiver = workshop.receivers?.get(site.statement.id) ?? connection.receiver;
  const sent = sending(workshop, { ...connection, receiver }, select);
  if (sent === undefined) return refusal("its library has no plain way to send a lock");
  const own = insertLine(site.file, tree.text, statement.start, sent.text);
  const { imports } = sent;
  if (!own.ok || !imports) return own;
  const imported = importsOf(tree, site.file, imports.from, [imports.name]);
  return { ok: true, edits: [...own.edits, ...imported] };
}

interface Sending {
  readonly text: string;
  readonly imports?: { readonly name: string; readonly from: string };
}

function sending(
  workshop: Workshop,
  { library, receiver, method, isListed, transaction }: CodeConnection,
  { before, values, after, isVoid }: LockingSelect,
): Sending | undefined {
  const isNumbered = workshop.dialect === "postgres";
  const numbered = values.map((_, at) => (isNumbered ? `$${String(at + 1)}` : "?")).join(", ");
  const marks = values.map(() => "?").join(", ");
  const quoted = (holes: string): string =>
    JSON.stringify(`${before}${holes}${after}`).replace(/^"(.*)"$/u, (all, inner: string) =>
      inner.includes('\\"') ? `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : all,
    );
  const all = values.join(", ");
  const list = values.length === 0 ? "" : isListed ? `, [${all}]` : `, ${all}`;
  const template = `\`${before}${values.map((each) => `\${${each}}`).join(", ")}${after}\``;
  switch (library) {
    case "driver":
      return { text: `await ${receiver}.${method}(${quoted(numbered)}${list});` };
    case "tagged":
      return { text: `await ${receiver}${template};` };
    case "prisma":
      return { text: `await ${receiver}.${isVoid ? "$executeRaw" : "$queryRaw"}${template};` };
    case "drizzle":
      return {
        text: `await ${receiver}.execute(sql${template});`,
        imports: { name: "sql", from: "drizzle-orm" },
      };
    case "kysely":
      return {
        text: `await sql${template}.execute(${receiver});`,
        imports: { name: "sql", from: "kysely" },
      };
    case "knex":
      return { text: `await ${receiver}.raw(${quoted(marks)}${list});` };
    case "typeorm":
      return { text: `await ${receiver}.query(${quoted(numbered)}${list});` };
    case "sequelize": {
      const told =
        transaction === undefined || transaction === "transaction"
          ? "transaction"
          : `transaction: ${transaction}`;
      const replacements = values.length === 0 ? "" : `replacements: [${all}], `;
      return { text: `await ${receiver}.query(${quoted(marks)}, { ${replacements}${told} });` };
    }
    case "template": {
      const type = isVoid ? "String.class" : "Integer.class";
      return { text: `${receiver}.queryForList(${quoted(marks)}, ${type}${list});` };
    }
    case "jpa": {
      // Hibernate has no type for what gives nothing.
      const read = isVoid ? before.replace(/^SELECT (.*)$/u, "SELECT CAST($1 AS text)") : before;
      const places = values.map((_, at) => `?${String(at + 1)}`).join(", ");
      const set = values.map((each, at) => `.setParameter(${String(at + 1)}, ${each})`).join("");
      const query = JSON.stringify(`${read}${places}${after}`);
      return { text: `${receiver}.createNativeQuery(${query})${set}.getResultList();` };
    }
    case "jdbc":
      // A value needs a setter that depends on its type.
      return values.length === 0
        ? {
            text: `try (var lock = ${receiver}.prepareStatement(${quoted("")})) { lock.executeQuery(); }`,
          }
        : undefined;
  }
}

/** The statement of a block that contains a position. */
export function statementAround(
  tree: CodeTree,
  site: Pick<Site, "start" | "end">,
): SyntaxNode | undefined {
  const { start, end } = literalAround(tree.root, site.start, site.end) ?? site;
  const path = pathTo(tree.root, start, end);
  const at = path.findLastIndex(
    ({ type }, n) => n > 0 && BLOCKS.has(path[n - 1]?.type ?? "") && type !== "block_comment",
  );
  return at < 0 ? undefined : path[at];
}

const BLOCKS: ReadonlySet<string> = new Set(["statement_block", "block", "constructor_body"]);

/** The insertion of a line before a statement, with its indentation. */
export function insertLine(
  file: Site["file"],
  text: string,
  at: number,
  line: string,
): EditOutcome {
  const indent = indentAt(text, at);
  const isFirst = /(?:^|\n)$/u.test(text.slice(0, at - indent.length));
  const newText = isFirst ? `${line}\n${indent}` : `${line} `;
  return { ok: true, edits: [{ file, start: at, end: at, newText }] };
}

function offsetAt(workshop: Workshop, { file, range }: SourceRange): number {
  const lines = workshop.textOf(file);
  return lines ? offsetsOf(lines, range).start : 0;
}
