// Routines as a session runs them: their statements are those of the session, each with a snapshot of its own.
import { parsePlBody } from "../frontend/sql/pg/plpgsql/parser";
import type { Reply, Request } from "../exploration/client";
import type { Catalog } from "./catalog";
import type { Database } from "./database";
import { callRoutine, openFrame, outputsOf, routineFor } from "./routine/call";
import type { Locals, RoutineHost } from "./routine/frame";
import { runBlock } from "./routine/interpret";
import { backTo, savepointOf } from "./savepoints";
import { commandResult, SEVERITIES } from "./sessionParts";
import type { State } from "./sessionState";
import { selectOf } from "./selectOf";
import type { Notice, SqlResult } from "./sessionTypes";
import { failure } from "./sqlError";
import type { SqlCall, SqlChange, SqlQuery, SqlStatement } from "./tree";

type Steps = Generator<Request, SqlResult, Reply>;

interface SessionParts {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly state: State;
  readonly note: (notice: Notice) => void;
  readonly rows: (
    statement: SqlQuery | SqlChange,
    parameters: readonly unknown[],
    locals?: Locals,
  ) => Steps;
  readonly statement: (statement: SqlStatement, parameters: readonly unknown[]) => Steps;
}

export interface Routines {
  readonly host: RoutineHost;
  /** A routine of the user's own. */
  readonly call: (
    call: Pick<SqlCall, "name" | "arguments">,
    parameters: readonly unknown[],
    isProcedure: boolean,
  ) => Steps;
  /** A block of PL/pgSQL. */
  readonly block: (body: string) => Steps;
}

export function createRoutines(session: SessionParts): Routines {
  const { catalog, database, state } = session;
  const host: RoutineHost = {
    parse: (text) => database.parse(text).map((each) => each.statement),
    *run(parsed, locals, parameters) {
      const isRows =
        parsed.kind === "select" ||
        parsed.kind === "insert" ||
        parsed.kind === "update" ||
        parsed.kind === "delete" ||
        parsed.kind === "merge";
      const result = isRows
        ? yield* session.rows(parsed, parameters, locals)
        : yield* session.statement(parsed, parameters);
      return { columns: result.columns, rows: result.rows, count: result.rowCount };
    },
    columns: (query) => database.plan(query, new Map()).columns,
    table: (name) => catalog.tables.get(name)?.columns,
    notice: (level, message) => {
      const severity = SEVERITIES.find((each) => each === level.toUpperCase()) ?? "NOTICE";
      session.note({ severity, code: severity === "WARNING" ? "01000" : "00000", message });
    },
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

  return {
    host,
    *call({ name, arguments: args }, parameters, isProcedure) {
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
