// Statements of MySQL and MariaDB as trees.
import { readCanonical } from "../../frontend/sql/text/canonical";
import { readDefinition } from "../../frontend/sql/dialects/parseDefinition";
import { parseWhole, parseStatement } from "../../frontend/sql/dialects/parseStatement";
import { createReader, wordAt, type Reader } from "../../frontend/sql/dialects/reader";
import { inLowerCase } from "../../frontend/sql/text/spelling";
import type {
  SyntaxInsert,
  SyntaxQuery,
  SyntaxStatement,
} from "../../frontend/sql/dialects/syntax";
import type { ParsedStatement } from "../parseMemo";
import { failure, unsupported } from "../sqlError";
import type { SqlDefinition } from "../definitionTree";
import type { SqlAssignment, SqlConflict, SqlInsert, SqlOutput, SqlQuery } from "../tree";
import type { SqlStatement } from "../statementTree";
import { definitionsOf } from "./definition";
import { expressionOf } from "./expression";
import { lossOf, ordersOf, outputsOf, relationsOf, translatedQuery, withOf } from "./query";
import { queryOf, tie } from "./recursion";
import { routineDefinitions } from "./routineDefinition";
import { sequenceDefinition } from "./sequenceDefinition";
import { sessionStatement } from "./sessionStatement";
import { spellingOf, withOutputs } from "./spelling";

tie(translatedQuery);

/** The longest text of several statements. */
const LONGEST_TEXT = 4_000_000;
/** Two seconds' work. */
const LONGEST_STATEMENT = 1_000_000;
/** The numbers of parameters make a text a little longer. */
const PARAMETER_NUMBERS = 500_000;

type Family = "mysql" | "mariadb";

/** The statements of a text. Fails with 1064 where it is not SQL, and with 1235 for what the store does not have. */
export function mysqlStatements(sql: string, dialect: Family): readonly ParsedStatement[] {
  if (sql.length > LONGEST_TEXT)
    throw unsupported(`a text of more than ${String(LONGEST_TEXT)} characters`);
  const canonical = readCanonical(sql, dialect);
  const [problem] = canonical.problems;
  if (problem !== undefined)
    throw failure("syntax", `You have an error in your SQL syntax: ${problem.message}`);
  return canonical.slices.flatMap(({ start, end }) => {
    if (end - start > LONGEST_STATEMENT)
      throw unsupported(`a statement of more than ${String(LONGEST_STATEMENT)} characters`);
    const text = numbered(canonical.text.slice(start, end));
    const written = sql.slice(start, end);
    const plain = canonical.text.slice(start, end);
    const spelling = spellingOf(written, plain, dialect);
    return statementsOf(text, dialect).map((statement, at) => ({
      statement: withText(statement, written.trim()),
      text: written.trim(),
      spelling: withOutputs(spelling, outputsIn(statement), written, plain),
      isContinued: at > 0,
    }));
  });
}

function outputsIn(statement: SqlStatement): readonly SqlOutput[] {
  return statement.kind === "select" && statement.body.kind === "select"
    ? statement.body.outputs
    : [];
}

/** A definition that is shown as it was written keeps its text. */
function withText(statement: SqlStatement, text: string): SqlStatement {
  if (statement.kind !== "definition") return statement;
  const { definition } = statement;
  switch (definition.kind) {
    case "create view":
    case "create routine":
      return { ...statement, definition: { ...definition, text } };
    case "create trigger":
      return {
        ...statement,
        definition: { ...definition, trigger: { ...definition.trigger, text } },
      };
    default:
      return statement;
  }
}

/** Question marks outside of quotes as numbered parameters. */
function numbered(text: string): string {
  let count = 0;
  return text.replace(/'[^']*'|"[^"]*"|\?/g, (found) => (found === "?" ? `$${++count}` : found));
}

/** EXPLAIN of a statement, with what is said about its form; canonical texts have their keywords in lower case. */
const EXPLAINED =
  /^\s*(?:explain|describe|desc)\s+((?:(?:extended|partitions|analyze|format\s*=\s*'?\w+'?)\s+)*)((?:select|with|insert|update|delete|replace|\()[^]*)$/i;

const SET_STATEMENT = /^\s*set\s+statement\s([^]*?)\sfor\s([^]*)$/i;

function statementsOf(text: string, dialect: Family): readonly SqlStatement[] {
  const reader = createReader({ text, dialect, spelling: inLowerCase });
  const first = wordAt(reader);
  const [, options = "", explained] = EXPLAINED.exec(text) ?? [];
  if (explained !== undefined)
    return statementsOf(explained, dialect).map((statement) => ({
      kind: "explain",
      statement,
      format: /format\s*=\s*'?(\w+)/i.exec(options)?.[1]?.toLowerCase() ?? "",
      isRun: /analyze/i.test(options),
      hasCosts: true,
    }));
  const [, settings, behind] = dialect === "mariadb" ? (SET_STATEMENT.exec(text) ?? []) : [];
  if (settings !== undefined && behind !== undefined)
    return statementsOf(behind, dialect).map((statement) => ({
      kind: "with settings",
      settings: givenSettings(settings),
      statement,
    }));
  const session = sessionStatement(reader);
  if (session !== undefined) return [withCondition(session, reader, dialect)];
  if (/^(create|alter|drop|rename)$/.test(first)) return definitions(text, reader, dialect);
  const tree = parseStatement(
    { text, dialect, spelling: inLowerCase },
    LONGEST_STATEMENT + PARAMETER_NUMBERS,
  );
  if (!tree.ok) throw failure("syntax", `You have an error in your SQL syntax: ${tree.message}`);
  refuse(reader);
  const loss = lossOf(tree.losses);
  if (loss !== undefined) throw unsupported(loss);
  if (tree.tree.kind === "select" && tree.tree.query.into.length > 0)
    return [intoVariables(tree.tree.query)];
  const statement = statementOf(tree.tree, first);
  return statement.kind === "select" && wordAt(reader, 1) === "sql_calc_found_rows"
    ? [{ ...statement, countsAll: true }]
    : [statement];
}

/** `name = value`, with commas between them. */
function givenSettings(text: string): ReadonlyMap<string, string> {
  const all = text.split(",").map((each) => each.split("=").map((part) => part.trim()));
  return new Map(
    all.map(([name = "", value = ""]) => [name.toLowerCase(), value.replace(/^'(.*)'$/, "$1")]),
  );
}

/** SELECT ... INTO @a, @b. */
function intoVariables(query: SyntaxQuery): SqlStatement {
  const local = query.into.find((name) => !name.startsWith("@"));
  if (local !== undefined) throw failure("undeclared", `Undeclared variable: ${local}`);
  return {
    kind: "select into",
    query: queryOf({ ...query, into: [] }),
    variables: query.into.map((name) => name.slice(1)),
  };
}

/** SHOW ... WHERE. */
function withCondition(statement: SqlStatement, reader: Reader, dialect: Family): SqlStatement {
  if (statement.kind !== "show") return statement;
  const at = reader.lexemes.find(({ kind, word }) => kind === "word" && word === "where");
  if (at === undefined) return statement;
  const [tested] = statementsOf(`select ${reader.text.slice(at.end)}`, dialect);
  const body = tested?.kind === "select" ? tested.body : undefined;
  const where = body?.kind === "select" ? body.outputs[0]?.value : undefined;
  return where === undefined ? statement : { ...statement, where };
}

/** Words that the parser passes over and that change what a statement means. */
function refuse(reader: Reader): void {
  const words = reader.lexemes.map((each) => (each.kind === "word" ? each.word : ""));
  if (words.includes("collate")) throw unsupported("COLLATE");
  if (words[0] === "update" && words[1] === "ignore") throw unsupported("UPDATE IGNORE");
  if (words[0] === "delete" && words[1] === "ignore") throw unsupported("DELETE IGNORE");
}

function definitions(text: string, reader: Reader, dialect: Family): readonly SqlStatement[] {
  const words = reader.lexemes.slice(0, 4).map((each) => each.word);
  const what = words.find((word) => /^(procedure|function|trigger|event)$/.test(word));
  const tag = words.slice(0, 2).join(" ").toUpperCase();
  const guarded = reader.lexemes
    .slice(0, 6)
    .some((each) => each.kind === "word" && each.word === "if");
  if (what !== undefined) {
    if (words[0] === "drop") return [{ ...dropOf(reader, what, guarded), tag }];
    if (words[0] !== "create") throw unsupported(`${tag}`);
    return routineDefinitions(text, dialect).map((definition) => ({
      kind: "definition",
      definition,
      tag: `CREATE ${what.toUpperCase()}`,
    }));
  }
  const whole = { text, dialect, spelling: inLowerCase };
  const head = words.slice(0, words.indexOf("sequence") + 1).join(" ");
  if (dialect === "mariadb" && SEQUENCE.test(head)) {
    const read = parseWhole(whole, (from) => sequenceDefinition(from, guarded));
    if (!read.ok) throw failure("syntax", `You have an error in your SQL syntax: ${read.message}`);
    return [{ kind: "definition", definition: read.tree, tag }];
  }
  const tree = parseWhole(whole, readDefinition);
  if (!tree.ok) throw failure("syntax", `You have an error in your SQL syntax: ${tree.message}`);
  const { tree: read } = tree;
  if (read.kind === "create" && read.query !== undefined && read.columns.length === 0) {
    const { table, query } = read;
    const what = { ifNotExists: guarded, isEmpty: false, isView: false };
    return [{ kind: "table as", table, columns: [], query: queryOf(query), ...what }];
  }
  return definitionsOf(read, guarded, tag).map((definition) => ({
    kind: "definition",
    definition,
    tag,
  }));
}

function dropOf(
  { lexemes }: Reader,
  what: string,
  guarded: boolean,
): Pick<Extract<SqlStatement, { readonly kind: "definition" }>, "kind" | "definition"> {
  const name = lexemes.findLast(({ kind }) => kind === "word" || kind === "name")?.word ?? "";
  const own = name.toLowerCase();
  if (what === "event") throw unsupported("DROP EVENT");
  const definition: SqlDefinition =
    what === "trigger"
      ? { kind: "drop trigger", name: own, ifExists: guarded }
      : { kind: "drop", what: "routine", names: [own], ifExists: guarded, cascade: false };
  return { kind: "definition", definition };
}

const SEQUENCE = /^(create( or replace)?( temporary)?|alter|drop( temporary)?) sequence$/;

function statementOf(tree: SyntaxStatement, first: string): SqlStatement {
  switch (tree.kind) {
    case "select":
      return queryOf(tree.query);
    case "insert":
      return insertOf(tree);
    case "update":
      return {
        kind: "update",
        with: withOf(tree.with),
        target: relationsOf(tree.tables)[0] ?? { kind: "table", name: "", columns: [] },
        set: tree.set.map(assignmentOf),
        from: relationsOf(tree.from),
        ...(tree.where === undefined ? {} : { where: expressionOf(tree.where) }),
        orderBy: ordersOf(tree.orderBy),
        ...(tree.limit === undefined ? {} : { limit: expressionOf(tree.limit) }),
        ...(tree.returning === undefined ? {} : { returning: outputsOf(tree.returning) }),
      };
    case "delete":
      return {
        kind: "delete",
        with: withOf(tree.with),
        targets: tree.targets,
        from: relationsOf(tree.from),
        ...(tree.where === undefined ? {} : { where: expressionOf(tree.where) }),
        orderBy: ordersOf(tree.orderBy),
        ...(tree.limit === undefined ? {} : { limit: expressionOf(tree.limit) }),
        ...(tree.returning === undefined ? {} : { returning: outputsOf(tree.returning) }),
      };
    case "truncate":
      return { kind: "truncate", tables: [tree.table], restart: true, cascade: false };
    case "set":
      return {
        kind: "set",
        assignments: tree.assignments.map(({ variable, value }) => ({
          name: variable.replace(/^@/, ""),
          user: variable.startsWith("@"),
          value: expressionOf(value),
        })),
      };
    case "call":
      return { kind: "call", name: tree.name, arguments: tree.arguments.map(expressionOf) };
    case "do":
      return { kind: "evaluate", values: tree.values.map(expressionOf) };
    case "nothing":
      if (first === "explain") throw unsupported(first.toUpperCase());
      return { kind: "nothing", tag: first.toUpperCase() };
    default:
      return tree satisfies never;
  }
}

function assignmentOf({ path, value }: SyntaxInsertAssignment): SqlAssignment {
  return { path, value: expressionOf(value) };
}

type SyntaxInsertAssignment = NonNullable<SyntaxInsert["onConflict"]>["set"][number];

function insertOf(tree: SyntaxInsert): SqlInsert {
  const source = sourceOf(tree);
  const conflict = conflictOf(tree);
  return {
    kind: "insert",
    with: withOf(tree.with),
    table: tree.table,
    columns: tree.columns,
    ...(source === undefined ? {} : { source }),
    ...(conflict === undefined ? {} : { conflict }),
    ...(tree.returning === undefined ? {} : { returning: outputsOf(tree.returning) }),
  };
}

function sourceOf(tree: SyntaxInsert): SqlQuery | undefined {
  if (tree.query !== undefined) return queryOf(tree.query);
  if (tree.rows === undefined) return undefined;
  return {
    kind: "select",
    with: [],
    body: { kind: "values", rows: tree.rows.map((row) => row.map(expressionOf)) },
    orderBy: [],
    locks: [],
  };
}

function conflictOf(tree: SyntaxInsert): SqlConflict | undefined {
  const { onConflict } = tree;
  if (onConflict === undefined) return undefined;
  const { action, set, proposed } = onConflict;
  return {
    action: action === "nothing" ? "ignore" : action,
    set: set.map(assignmentOf),
    ...(proposed === undefined ? {} : { proposed }),
  };
}
