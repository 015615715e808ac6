// Routines as a session runs them: their statements are those of the session, each with a snapshot of its own.
import { parsePlBody } from "../frontend/sql/pg/plpgsql/parser";
import type { Reply, Request } from "../exploration/client";
import type { Catalog } from "./catalog";
import type { Database } from "./database";
import { typeNamed } from "./mysql/routineDefinition";
import { callProcedure, callRoutine, openFrame, outputsOf, routineFor } from "./routine/call";
import type { Locals, RoutineHost, RoutineResult } from "./routine/frame";
import { runBlock } from "./routine/interpret";
import { runMysqlBody } from "./routine/mysqlBody";
import { backTo, savepointOf } from "./savepoints";
import { commandResult, SEVERITIES } from "./sessionParts";
import type { State } from "./sessionState";
import { selectOf } from "./selectOf";
import type { Notice, SqlResult } from "./sessionTypes";
import { failure } from "./sqlError";
import { declaredType } from "./tableParts";
import type { SqlCall, SqlChange, SqlQuery } from "./tree";
import type { SqlStatement } from "./statementTree";
import type { SqlType } from "./values/types";
import type { SqlValue } from "./values/value";

type Steps = Generator<Request, SqlResult, Reply>;

interface SessionParts {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly state: State;
  readonly note: (notice: Notice) => void;
  readonly warn: (code: number, message: string) => void;
  readonly rows: (
    statement: SqlQuery | SqlChange,
    parameters: readonly unknown[],
    locals?: Locals,
  ) => Steps;
  readonly statement: (statement: SqlStatement, parameters: readonly unknown[]) => Steps;
  /** Runs in the transaction at hand, or in one of its own. */
  readonly inTransaction: (run: () => Steps) => Steps;
}

export interface Routines {
  readonly host: RoutineHost;
  /** A routine of the user's own. */
  readonly call: (
    call: Pick<SqlCall, "name" | "arguments">,
    parameters: readonly unknown[],
    isProcedure: boolean,
  ) => Steps;
  /** Statements as a body of MySQL's routines has them. */
  readonly body: (text: string) => Steps;
  /** A block of PL/pgSQL. */
  readonly block: (body: string) => Steps;
}

export function createRoutines(session: SessionParts): Routines {
  const { catalog, database, state } = session;
  const host: RoutineHost = {
    dialect: database.dialect,
    declared: (type) => declaredType(catalog, typeNamed(type, database.dialect)),
    variables: state.variables,
    parse: (text) => database.parse(text).map((each) => each.statement),
    *run(parsed, locals, parameters) {
      const isRows =
        parsed.kind === "select" ||
        parsed.kind === "insert" ||
        parsed.kind === "update" ||
        parsed.kind === "delete" ||
        parsed.kind === "merge";
      const result = isRows
        ? yield* session.inTransaction(() => session.rows(parsed, parameters, locals))
        : parsed.kind === "call" && database.dialect !== "postgres"
          ? yield* procedure(parsed, parameters, locals)
          : yield* session.statement(parsed, parameters);
      const { columns, rows, rowCount: count, sets } = result;
      return { columns, rows, count, ...(sets && { sets: sets.map(routineResult) }) };
    },
    columns: (query) => database.plan(query, new Map()).columns,
    table: (name) => catalog.tables.get(name)?.columns,
    notice: (level, message) => {
      const severity = SEVERITIES.find((each) => each === level.toUpperCase()) ?? "NOTICE";
      session.note({ severity, code: severity === "WARNING" ? "01000" : "00000", message });
    },
    warn: session.warn,
    mark() {
      const point = savepointOf(state, `#block ${state.savepoints.length}`);
      const depth = state.savepoints.push(point) - 1;
      return {
        undo() {
          if (state.status !== "open") return false;
          backTo(state, point);
          return true;
        },
        end() {
          state.savepoints = state.savepoints.slice(0, depth);
        },
      };
    },
  };

  /** CALL of MySQL: each statement of a procedure is one of the session's. */
  function* procedure(
    { name, arguments: args }: Pick<SqlCall, "name" | "arguments">,
    parameters: readonly unknown[],
    locals: Locals = new Map(),
  ): Steps {
    const routine = catalog.routines.get(name)?.find((each) => each.isProcedure);
    if (routine === undefined)
      throw failure("noFunction", `PROCEDURE ${state.facts.database}.${name} does not exist`);
    if (routine.parameters.length !== args.length)
      throw failure(
        "argumentCount",
        `Incorrect number of arguments for PROCEDURE ${state.facts.database}.${name}; expected ${routine.parameters.length}, got ${args.length}`,
      );
    const given =
      args.length === 0
        ? undefined
        : yield* session.inTransaction(() => session.rows(selectOf(args), parameters, locals));
    const values = args.map((_, at) => ({
      type: given?.columns[at]?.type ?? ("text" as const),
      value: routine.parameters[at]?.mode === "out" ? null : (given?.rows[0]?.[at] ?? null),
    }));
    const { sets, locals: left, count } = yield* callProcedure(routine, values, host);
    const outputs: OutputParameter[] = [];
    for (const [at, { name: own, mode }] of routine.parameters.entries()) {
      if (mode === "in") continue;
      const { value = null, declared } = left.get(own) ?? {};
      const target = args[at];
      const local = target?.kind === "column" ? locals.get(target.path.join(".")) : undefined;
      if (target?.kind === "variable") {
        const type = declared?.type ?? "text";
        state.variables.set(target.name, { type, value });
      } else if (local !== undefined) local.value = value;
      else if (target?.kind === "parameter")
        outputs.push({ name: own, type: declared?.type ?? "text", value });
      else
        throw failure(
          "outArgument",
          `OUT or INOUT argument ${at + 1} for routine ${state.facts.database}.${name} is not a variable or NEW pseudo-variable in BEFORE trigger`,
        );
    }
    return {
      ...commandResult("CALL"),
      rowCount: count,
      sets: sets.map((set) => ({ command: "SELECT", ...set, rowCount: set.count, sets: [] })),
      ...(outputs.length > 0 && { outputs: outputRow(outputs) }),
    };
  }

  return {
    host,
    *call({ name, arguments: args }, parameters, isProcedure) {
      if (isProcedure && database.dialect !== "postgres")
        return yield* procedure({ name, arguments: args }, parameters);
      const routine = routineFor(catalog.routines.get(name), args.length);
      if (routine === undefined) throw failure("noFunction", `procedure ${name} does not exist`);
      const given = args.length === 0 ? undefined : yield* session.rows(selectOf(args), parameters);
      const values = args.map((_, at) => ({
        type: given?.columns[at]?.type ?? ("text" as const),
        value: given?.rows[0]?.[at] ?? null,
      }));
      const rows = yield* callRoutine(routine, values, host);
      const columns = outputsOf(routine, host.table);
      const isSilent = isProcedure && !routine.parameters.some(({ mode }) => mode !== "in");
      return isSilent
        ? commandResult("CALL")
        : { command: isProcedure ? "CALL" : "SELECT", columns, rows, rowCount: rows.length };
    },
    *body(text) {
      yield* runMysqlBody(openFrame(host, text), { name: "", isProcedure: true });
      return commandResult("SIGNAL");
    },
    *block(body) {
      const { block, problems } = parsePlBody(body);
      const [problem] = problems;
      if (block === undefined || problem !== undefined)
        throw failure("syntax", problem?.message ?? "BEGIN is expected");
      yield* runBlock(block, openFrame(host, body));
      return commandResult("DO");
    },
  };
}

interface OutputParameter {
  readonly name: string;
  readonly type: SqlType;
  readonly value: SqlValue;
}

function outputRow(outputs: readonly OutputParameter[]): SqlResult {
  const columns = outputs.map(({ name, type }) => ({ name, type }));
  return { command: "SELECT", columns, rows: [outputs.map(({ value }) => value)], rowCount: 1 };
}

function routineResult({ columns, rows, rowCount: count }: SqlResult): RoutineResult {
  return { columns, rows, count };
}
