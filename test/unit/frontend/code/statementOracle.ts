// A function of application code run twice: by the real client, which was recorded, and by the store as it is read
// here. What both do is told as lines that must be the same.
import { readCanonical } from "../../../../server/src/frontend/sql/text/canonical";
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import { createIds } from "../../../../server/src/frontend/sql/lowering";
import { preLex } from "../../../../server/src/frontend/sql/text/preLex";
import { PRODUCT_LEVELS } from "../../../../server/src/isolation/levels";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Expression } from "../../../../server/src/program/expression";
import type { Transaction } from "../../../../server/src/program/program";
import type { Schema } from "../../../../server/src/program/schema";
import type { Statement } from "../../../../server/src/program/statement";
import { ownEntry, setEntry } from "../../../../server/src/protocol/dictionary";
import type { FileId } from "../../../../server/src/protocol/source";
import type { Row, Value } from "../../../../server/src/protocol/witness";
import { bareFrame, NOBODY } from "../../../../server/src/store/bareFrame";
import { evaluate } from "../../../../server/src/store/evaluateExpression";
import { NotExecutable, SqlFailure } from "../../../../server/src/store/failure";
import type { Environment } from "../../../../server/src/store/frame";
import { freshValuesFrom } from "../../../../server/src/store/freshValues";
import { commitsAtOnce, declaredLevel, environmentOf } from "../../../../server/src/store/machine";
import { COMMITTED } from "../../../../server/src/store/runRecord";
import { advance, nextStatement, startServer } from "../../../../server/src/store/server";
import { toValue } from "../../../../server/src/store/value";
import { canonicalStatement, FIRST_MADE, plain, type ValueOf } from "./canonicalStatement";
import type { CodeReading } from "./codePrograms";
import { losses } from "./prismaPrograms";

export type Rows = Readonly<Record<string, readonly Row[]>>;

/** One call of a function, as it was recorded. */
export interface RecordedRun {
  readonly name: string;
  readonly arguments: readonly unknown[];
  readonly statements: readonly {
    readonly on: number;
    readonly text: string;
    readonly values?: readonly unknown[];
  }[];
  readonly returned?: unknown;
  readonly thrown?: string;
  /** Of the tables that it changed. */
  readonly rows: Rows;
}

/** A run: statements and the bounds of transactions in order, rows that it left, what it returned. */
export interface Told {
  readonly lines: readonly string[];
  readonly rows: Readonly<Record<string, readonly string[]>>;
  readonly returned?: unknown;
  readonly hasFailed: boolean;
}

const FILE = "sent.sql" as FileId;

/** The client's statements in a recorded run. */
export function toldByClient(
  run: RecordedRun,
  { tables, lower }: CodeReading,
  dialect: Dialect,
  initial: Rows,
): Told {
  const lines: string[] = [];
  const open = new Set<number>();
  let declared: string | undefined;
  for (const { on, text, values = [] } of run.statements) {
    const level = /isolation level (read uncommitted|read committed|repeatable read|serializable)/i;
    const named = level.exec(text)?.[1]?.toLowerCase().replace(" ", "-");
    if (/^\s*(begin|start transaction)/i.test(text)) {
      open.add(on);
      lines.push(begun(named ?? declared));
      declared = undefined;
    } else if (/^\s*set (session )?transaction/i.test(text)) {
      // Of the open transaction (PostgreSQL), or of the next one (MySQL).
      if (open.has(on)) lines.push(begun(named, lines.pop()));
      else declared = named;
    } else if (/^\s*(commit|rollback)\s*;?\s*$/i.test(text)) {
      if (open.delete(on)) lines.push(text.trim().replace(";", "").toLowerCase());
    } else if (!/^\s*(savepoint|release|rollback to|set|show)\b/i.test(text)) {
      const outside = open.size > 0 && !open.has(on) ? "outside: " : "";
      const each = lowered(text, values).map((line) => outside + line);
      // A statement of several rows is all or nothing.
      lines.push(...(each.length > 1 && !open.has(on) ? ["begin", ...each, "commit"] : each));
    }
  }
  return {
    lines: withoutEmpty(lines),
    rows: rowTexts({ ...initial, ...run.rows }),
    returned: run.returned,
    hasFailed: run.thrown !== undefined,
  };

  function lowered(text: string, values: readonly unknown[]): readonly string[] {
    const canonical = dialect === "postgres" ? undefined : readCanonical(text, dialect);
    const lines = canonical
      ? { ...indexLines(FILE, canonical.text), written: text }
      : indexLines(FILE, text);
    const { piece, placeholders } = preLex(lines, 0, lines.text.length);
    const named = new Map(placeholders.map(({ number, name }) => [number, name]));
    const { statements } = lower({
      piece,
      table: (name) => tables.find((each) => each.name === name),
      placeholder: (number) => {
        const place = Number(/\d+$/.exec(named.get(number) ?? "")?.[0] ?? number);
        return literalOf(values[place - 1]);
      },
      variable: () => undefined,
      ids: createIds("sent"),
      note: () => undefined,
    });
    const schema = { tables };
    return statements.flatMap((each) => canonicalStatement(each, valueIn(schema, NOBODY), schema));
  }
}

/** The store's run of the function as it was read, called with the same arguments. */
export function toldByStore(
  transaction: Transaction,
  run: RecordedRun,
  names: readonly string[],
  { tables, transactions }: CodeReading,
  initial: Rows,
): Told {
  const schema = { tables };
  const program = { schema, transactions, notes: [], files: [] };
  const args: Record<string, Value> = {};
  names.forEach((name, at) => {
    spread(name, run.arguments[at], args);
  });
  const instance = { instance: "T1", transaction: transaction.id, arguments: args };
  const [usual] = PRODUCT_LEVELS;
  if (!usual) throw new Error("there is no product level");
  const server = startServer(
    program,
    { instances: [instance], initial },
    () => usual,
    freshValuesFrom(FIRST_MADE),
  );
  const session = server.sessions.get("T1");
  if (!session) throw new Error("no session");
  const { machine } = session;
  const lines: string[] = [];
  let isOpen = false;
  const begin = (level: string | undefined): void => {
    if (isOpen) return;
    isOpen = true;
    lines.push(begun(level));
  };
  if (transaction.boundary === "explicit") begin(transaction.level?.name);
  try {
    while (session.ended === undefined) {
      nextStatement(session);
      const { next } = machine;
      if (next?.kind === "statement") {
        const isAlone = transaction.boundary === "autocommit" || commitsAtOnce(machine);
        if (!isAlone) begin(declaredLevel(machine));
        const environment = environmentOf(machine, { ...machine.drawn });
        const found = canonicalStatement(next.statement, valueIn(schema, environment), schema);
        const each = found.map((line) => outside(next.statement) + line);
        lines.push(...(each.length > 1 && !isOpen ? ["begin", ...each, "commit"] : each));
      } else if (isOpen) {
        isOpen = false;
        lines.push(next?.kind === "commit" ? "commit" : "rollback");
      }
      advance(server, "T1");
    }
    // A statement has failed, and its transaction with it.
    if (isOpen) lines.push("rollback");
  } catch (problem) {
    if (!(problem instanceof NotExecutable)) throw problem;
    lines.push(`stuck: ${problem.message}`);
  }
  const rows: Record<string, readonly Row[]> = {};
  for (const [table, stored] of server.newest.tables) {
    setEntry(
      rows,
      table,
      stored
        .filter(({ alive }) => alive)
        .map(({ values }) =>
          Object.fromEntries(Object.entries(values).map(([name, each]) => [name, toValue(each)])),
        ),
    );
  }
  return {
    lines: withoutEmpty(lines),
    rows: rowTexts(rows),
    ...(machine.returned !== undefined && { returned: toValue(machine.returned) }),
    hasFailed: session.ended !== COMMITTED,
  };
}

/** Where the two differ, and what was lost. */
export function differences(sent: Told, read: Told, transaction: Transaction): readonly string[] {
  const found = losses(transaction).map((reason) => `lost: ${reason}`);
  const most = Math.max(sent.lines.length, read.lines.length);
  for (let at = 0; at < most; at++) {
    if (sent.lines[at] === read.lines[at]) continue;
    found.push(`sent ${sent.lines[at] ?? "nothing"}`, `read ${read.lines[at] ?? "nothing"}`);
  }
  for (const [table, own] of Object.entries(read.rows)) {
    const rows = ownEntry(sent.rows, table) ?? [];
    if (rows.join() !== own.join())
      found.push(`${table} ends as ${rows.join()}`, `${table} ends here as ${own.join()}`);
  }
  return found;
}

/** The names of a function's parameters, as its source has them; a destructured one is "". */
export function parameterNames(source: string, name: string): readonly string[] {
  const found = new RegExp(
    `(?:function ${name}\\b|^  public [\\w<>]+ ${name}\\b|const ${name} = (?:async )?(?:function )?)[^(]*\\(`,
    "m",
  ).exec(source);
  if (!found) return [];
  const names: string[] = [];
  let depth = 0;
  let current = "";
  for (let at = found.index + found[0].length; at < source.length; at++) {
    const letter = source[at] ?? "";
    if (depth === 0 && (letter === "," || letter === ")")) {
      if (current.trim() !== "")
        names.push(/^\s*(?:(?:int|String) )?(\w+)/.exec(current)?.[1] ?? "");
      if (letter === ")") break;
      current = "";
      continue;
    }
    if ("([{<".includes(letter)) depth++;
    if (")]}>".includes(letter) && source[at - 1] !== "=") depth--;
    current += letter;
  }
  return names;
}

function begun(level: string | undefined, before = "begin"): string {
  return level === undefined ? before : `begin ${level.replace(/^\w+:/, "")}`;
}

function outside({ taint }: Statement): string {
  return taint.some(({ reason }) => reason.includes("another connection")) ? "outside: " : "";
}

/** A transaction of no statement is nothing, and one of one statement is that statement, unless it has a level. */
function withoutEmpty(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const line of lines) {
    const last = kept.at(-1) ?? "";
    const before = kept.at(-2);
    if (line === "commit" && before === "begin") kept.splice(-2, 1);
    else if ((line === "commit" || line === "rollback") && last.startsWith("begin")) kept.pop();
    else kept.push(line);
  }
  return kept;
}

function literalOf(value: unknown): Expression {
  const known = plain(value);
  if (typeof known === "number")
    return { kind: "literal", value: known, type: Number.isInteger(known) ? "int" : "decimal" };
  if (typeof known === "boolean") return { kind: "literal", value: known, type: "bool" };
  if (known === null) return { kind: "literal", value: null, type: "other" };
  return {
    kind: "literal",
    value: typeof known === "string" ? known : JSON.stringify(known),
    type: "text",
  };
}

function valueIn(schema: Schema, environment: Environment): ValueOf {
  const frame = bareFrame(schema, environment);
  return (expression) => {
    try {
      const found = evaluate(expression, frame);
      const isTerm = typeof found === "object" && found !== null && found.kind === "opaque";
      return isTerm ? undefined : toValue(found);
    } catch (problem) {
      if (problem instanceof NotExecutable || problem instanceof SqlFailure) return undefined;
      throw problem;
    }
  };
}

/** An argument as the names that its parts have in a transaction: `order.id`, `lines.product[1]`, `lines.length`. */
function spread(name: string, value: unknown, into: Record<string, Value>): void {
  const join = (part: string): string => (name === "" ? part : `${name}.${part}`);
  if (Array.isArray(value)) {
    setEntry(into, join("length"), value.length);
    value.forEach((item: unknown, at) => {
      const own: Record<string, Value> = {};
      spread("", item, own);
      for (const [field, each] of Object.entries(own)) {
        const list = field === "" ? name : join(field);
        setEntry(into, `${list}[${String(at + 1)}]`, each);
        setEntry(into, `${list}.length`, value.length);
      }
    });
  } else if (typeof value === "object" && value !== null) {
    for (const [field, each] of Object.entries(value)) spread(join(field), each, into);
  } else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    setEntry(into, name, value);
  else setEntry(into, name, null);
}

function rowTexts(rows: Rows): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [
      table,
      all
        .map((row) => {
          const fields = Object.entries(row).map(
            ([name, value]) => `${name} ${JSON.stringify(plain(value))}`,
          );
          return `(${fields.sort().join(", ")})`;
        })
        .sort(),
    ]),
  );
}
