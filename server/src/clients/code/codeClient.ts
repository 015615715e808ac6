// Client programs as code: a module that exports `schema`, `initial`, `sessions` and `assert`. Its functions run over the explored store,
// each session with its own modules, clock and random numbers.
import path from "node:path";
import type { SqlParsers } from "../../frontend/sql/parsers";
import type { Ask, Key, Value } from "../../exploration/client";
import { DIALECTS, type Dialect } from "../../program/dialect";
import type { FileId, Range } from "../../protocol/source";
import { createDatabase, type Database } from "../../sqlstore/database";
import { createMemoryStore, createSequences } from "../../sqlstore/memory";
import { createSqlSession, runNow, type SqlSession } from "../../sqlstore/session";
import { driverValue } from "../../sqlstore/parameters";
import { unknownText } from "../../workspace/configuration";
import { AssertionFault, type ResultValue } from "../assertionValues";
import type { Assertion } from "../assertions";
import type { ClientProblem } from "../clientProgram";
import { RESULT_MARK, type ExplorableClient } from "../explorableClient";
import type { ObservedStep } from "../sqlSession";
import type { AccessRules } from "../statementView";
import { assertionOf, assertionsOf, sourceTexts } from "./codeAssertions";
import { faultText, lineRange, placesIn } from "./codePlaces";
import { openConnection } from "./connection";
import { errorText, isMistake, plainValue, recordOf, resultValue, textsOf } from "./argumentValues";
import { codeModules, type CodeModules } from "./moduleLoader";
import { observationStep } from "./observation";
import { lostErrors, runWithSeed, seedSession } from "./randomness";

export interface CodeClient {
  readonly open: (rules: AccessRules) => ExplorableClient;
  readonly assertions: readonly Assertion[];
  readonly level?: { readonly name: string; readonly range: Range };
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

/** Reads a program by absolute path. Never throws for the program's behaviour. */
export function readCodeClient(
  file: string,
  text: string,
  parsers: SqlParsers,
  openTexts: ReadonlyMap<string, string>,
): { readonly client?: CodeClient; readonly problems: readonly ClientProblem[] } {
  const places = placesIn(text);
  const problems: ClientProblem[] = [];
  const refuse = (message: string, range: Range) => {
    problems.push({ severity: "error", message, range });
  };
  const modules = codeModules(file, openTexts);
  let given: Readonly<Record<string, unknown>>;
  try {
    given = runWithSeed(seedSession(0), () => modules.run());
  } catch (error) {
    const [message, line] = faultText(error, file);
    refuse(message, lineRange(line));
    return { problems };
  }
  const exported =
    "default" in given && !("sessions" in given) ? recordOf(given["default"]) : given;
  const dialect = dialectOf(exported["dialect"]);
  if (dialect === undefined) {
    refuse(
      unknownText("dialect", String(exported["dialect"]), CODE_DIALECTS),
      places.of("dialect"),
    );
    return { problems };
  }
  const sessions = sessionsOf(exported["sessions"]);
  if (typeof sessions === "string") {
    refuse(sessions, places.of("sessions"));
    return { problems };
  }
  const database = createDatabase({ dialect, ...(parsers.pg && { parser: parsers.pg }) });
  const store = createMemoryStore();
  const setting = setUp(database, store, textsOf(exported["schema"]), exported["initial"]);
  if (setting !== undefined) {
    refuse(setting.message, places.of(setting.about));
    return { problems };
  }
  const { level } = exported;
  const read = (sql: string, state: ReadonlyMap<Key, Value>): ResultValue =>
    queryOver(database, sql, state);
  const assertions = assertionsOf(exported["assert"]).flatMap((each): readonly Assertion[] => {
    const range =
      typeof each === "string"
        ? places.ofText(each)
        : typeof each === "function"
          ? places.ofText(...sourceTexts(each))
          : places.of("assert");
    const assertion = assertionOf(
      each,
      range,
      read,
      sessions.map(({ length }) => length),
    );
    if (typeof assertion !== "string") return [assertion];
    refuse(assertion, range);
    return [];
  });
  if (assertions.length === 0 && problems.length === 0)
    problems.push({
      severity: "warning",
      message: 'nothing is asserted, so nothing can be broken: export "assert"',
      range: places.of("assert"),
    });
  if (problems.some(({ severity }) => severity === "error")) return { problems };
  const program: CodeProgram = {
    file: path.basename(file) as FileId,
    folder: path.dirname(file),
    modules,
    database,
    initial: store.state(),
    sessions,
    range: places.of("sessions"),
    remarks: new Set(),
  };
  return {
    client: {
      open: (rules) =>
        explorableCode(
          program,
          rules,
          sessions.map((own, at) => own.map((_, n) => [at, n] as const)),
        ),
      assertions,
      ...(typeof level === "string" && { level: { name: level, range: places.of("level") } }),
      keys: Object.fromEntries(
        [...database.catalog.tables.values()].map((table) => [
          table.name,
          table.keys
            .find(({ primary }) => primary)
            ?.columns.map((at) => table.columns[at]?.name ?? "") ?? [],
        ]),
      ),
    },
    problems,
  };
}

interface CodeProgram {
  readonly file: FileId;
  readonly folder: string;
  readonly modules: CodeModules;
  readonly database: Database;
  readonly initial: ReadonlyMap<Key, Value>;
  readonly sessions: readonly (readonly string[])[];
  readonly range: Range;
  /** Mistakes of the code and unsupported statements, without duplicates. */
  readonly remarks: Set<string>;
}

type Chosen = readonly (readonly (readonly [number, number])[])[];

/** The program with these functions, given by session as indexes into the program. */
function explorableCode(
  program: CodeProgram,
  rules: AccessRules,
  chosen: Chosen,
): ExplorableClient {
  return {
    initial: program.initial,
    // Entries of unique indexes are keys.
    uniqueValues: (key, value) => (value === undefined ? [] : [key]),
    transactions: chosen.map((session) =>
      session.map(([at, n]) => {
        const title = program.sessions[at]?.[n] ?? "";
        const name = nameOf(at, n);
        return {
          name,
          title,
          instance: { instance: name, transaction: title, arguments: {} },
          range: program.range,
        };
      }),
    ),
    open: (observe) =>
      chosen.map((session, at) => ({
        kind: "async" as const,
        name: `session ${String(at + 1)}`,
        run: (ask: Ask) => runSession(program, rules, at, session, ask, observe),
      })),
    remarks: () => [
      ...program.remarks,
      ...lostErrors().map((message) => `an error that nobody awaits or catches: ${message}`),
    ],
    without: (left) =>
      explorableCode(
        program,
        rules,
        chosen.map((session) => session.filter(([at, n]) => !left.has(nameOf(at, n)))),
      ),
  };
}

function nameOf(session: number, index: number): string {
  return `s${String(session + 1)}[${String(index)}]`;
}

async function runSession(
  { modules, database, folder, file, remarks }: CodeProgram,
  rules: AccessRules,
  place: number,
  functions: Chosen[number],
  ask: Ask,
  observe: ((step: ObservedStep) => void) | undefined,
): Promise<void> {
  const [first] = functions;
  if (first === undefined) return;
  const draws = seedSession(first[0]);
  await runWithSeed(draws, async () => {
    const given = modules.run();
    const exported = "sessions" in given ? given : recordOf(given["default"]);
    let label = "";
    let begun = 0;
    const session: SqlSession = createSqlSession(database, {
      sequences: createSequences(SEQUENCE_START + place, SEQUENCE_STEP),
      now: () => draws.now() * 1000,
      random: () => draws.random(),
      rule: LOCKING[rules.targets],
      transactionName: () => instance(),
    });
    const instance = (): string => {
      begun += 1;
      return begun === 1 ? label : `${label}#${String(begun)}`;
    };
    const now = (): string => (begun < 2 ? label : `${label}#${String(begun)}`);
    const connection = openConnection({
      dialect: database.dialect,
      session,
      ask,
      instance: now,
      failed: ({ code, message }, sql) => {
        // Mistakes in statements (class 42) and missing features of the store (0A) invalidate an execution.
        if (/^(?:42|0A)/u.test(code))
          remarks.add(`${label}: ${message} (${code}), in "${sql.trim().slice(0, 80)}"`);
      },
      ...(observe && {
        observe: (query) => {
          const step = observationStep(query, { file, folder });
          for (const each of step) observe(each);
        },
      }),
    });
    for (const [at, n] of functions) {
      label = nameOf(at, n);
      begun = 0;
      const run = functionAt(exported["sessions"], at, n);
      let result: Value;
      try {
        result = { value: plainValue(await run(connection.api)) };
      } catch (error) {
        result = { error: errorText(error) };
        if (isMistake(error)) remarks.add(`${label} fails: ${errorText(error)}`);
      }
      await connection.release();
      // An empty transaction carries the function's result, which is only known after its last commit.
      await ask({ kind: "begin", name: `${RESULT_MARK}${label}` });
      await ask({ kind: "commit", result });
    }
  });
}

const LOCKING = { "as-read": "snapshot", newest: "current", "read-again": "recheck" } as const;
/** Sessions draw numbers in turn, so that they are unique. */
const SEQUENCE_STEP = 100;
const SEQUENCE_START = 1000;

type CodeFunction = (connection: object) => unknown;

function functionAt(sessions: unknown, at: number, n: number): CodeFunction {
  const session: unknown = Array.isArray(sessions) ? sessions[at] : undefined;
  const found: unknown = Array.isArray(session) ? session[n] : session;
  if (typeof found !== "function")
    throw new Error("the module exported other sessions when it was run again");
  // The function checks its argument itself.
  return found as CodeFunction;
}

/** Names of the functions per session, or the error. */
function sessionsOf(given: unknown): readonly (readonly string[])[] | string {
  const wanted =
    'export "sessions": a list of sessions, each a list of async functions (db) => ...';
  if (!Array.isArray(given) || given.length === 0) return wanted;
  const sessions: string[][] = [];
  for (const session of given as unknown[]) {
    const functions: readonly unknown[] = Array.isArray(session) ? session : [session];
    const names: string[] = [];
    for (const [at, each] of functions.entries()) {
      if (typeof each !== "function")
        return `${wanted}; item ${String(at)} of session ${String(sessions.length + 1)} is no function`;
      names.push(each.name === "" ? `transaction ${String(at + 1)}` : each.name);
    }
    sessions.push(names);
  }
  return sessions;
}

const CODE_DIALECTS: readonly Dialect[] = ["postgres", "mysql", "mariadb"];

function dialectOf(given: unknown): Dialect | undefined {
  if (given === undefined) return "postgres";
  const dialect = DIALECTS.find((each) => each === given);
  return dialect !== undefined && CODE_DIALECTS.includes(dialect) ? dialect : undefined;
}

/** Creates tables and rows; returns the error, if any. */
function setUp(
  database: Database,
  store: ReturnType<typeof createMemoryStore>,
  schema: readonly string[],
  initial: unknown,
): { readonly message: string; readonly about: "schema" | "initial" } | undefined {
  const session = plainSession(database);
  for (const sql of schema) {
    const outcome = runNow(session.execute(sql), store.answer);
    if (!outcome.ok) return { message: `the schema: ${outcome.error.message}`, about: "schema" };
  }
  if (initial === undefined || initial === null) return undefined;
  if (typeof initial === "string" || Array.isArray(initial)) {
    for (const sql of textsOf(initial)) {
      const outcome = runNow(session.execute(sql), store.answer);
      if (!outcome.ok)
        return { message: `the rows at the start: ${outcome.error.message}`, about: "initial" };
    }
    return undefined;
  }
  const quote = (name: string): string =>
    database.dialect === "postgres" ? `"${name.replaceAll('"', '""')}"` : `\`${name}\``;
  for (const [table, rows] of Object.entries(recordOf(initial))) {
    if (!Array.isArray(rows))
      return {
        message: `the rows of "${table}" at the start are a list of objects`,
        about: "initial",
      };
    for (const row of rows as unknown[]) {
      const columns = Object.entries(recordOf(row));
      const marks = columns.map((_, at) =>
        database.dialect === "postgres" ? `$${String(at + 1)}` : "?",
      );
      const sql = `INSERT INTO ${quote(table)} (${columns.map(([name]) => quote(name)).join(", ")}) VALUES (${marks.join(", ")})`;
      const outcome = runNow(
        session.execute(
          sql,
          columns.map(([, value]) => value),
        ),
        store.answer,
      );
      if (!outcome.ok)
        return {
          message: `a row of ${table} at the start: ${outcome.error.message}`,
          about: "initial",
        };
    }
  }
  return undefined;
}

function plainSession(database: Database): SqlSession {
  return createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0.5,
    rule: "snapshot",
  });
}

function queryOver(database: Database, sql: string, state: ReadonlyMap<Key, Value>): ResultValue {
  const store = createMemoryStore(state);
  const outcome = runNow(plainSession(database).execute(sql), store.answer);
  if (!outcome.ok) throw new AssertionFault(`the query fails: ${outcome.error.message}`);
  const last = outcome.results.at(-1);
  if (last === undefined) return null;
  return last.rows.map((row) =>
    Object.fromEntries(
      last.columns.map(({ name, type }, at) => [
        name,
        resultValue(driverValue(row[at] ?? null, type, database.dialect)),
      ]),
    ),
  );
}
