// A routine of the user's own with its arguments: what it returns, as one value or as rows.
import { parsePlBody } from "../../frontend/sql/pg/plpgsql/parser";
import type { Routine, RoutineParameter } from "../catalog";
import type { QueryColumn } from "../compile/node";
import { selectOf } from "../selectOf";
import { failure } from "../sqlError";
import type { DeclaredType, SqlType } from "../values/types";
import { isList, type SqlRow, type SqlValue } from "../values/value";
import type { Argument, Frame, Locals, RoutineHost, RoutineResult, Steps } from "./frame";
import { runBlock } from "./interpret";
import { runMysqlBody } from "./mysqlBody";
import { assignCast } from "./variables";

/** The routine of those that takes so many arguments; defaults may stand for the last ones. */
export function routineFor(
  routines: readonly Routine[] | undefined,
  count: number,
): Routine | undefined {
  return routines?.findLast((routine) => {
    const given = inputsOf(routine);
    const needed = given.filter((each) => each.default === undefined).length;
    return count >= needed && count <= given.length;
  });
}

/** Parameters that a call gives values for; a procedure's OUT parameters are among them. */
export function inputsOf({ parameters, isProcedure }: Routine): Routine["parameters"] {
  return parameters.filter(
    ({ mode }) => mode === "in" || mode === "inout" || (isProcedure && mode === "out"),
  );
}

/** The columns of the rows that it returns. */
export function outputsOf(routine: Routine, table: RoutineHost["table"]): readonly QueryColumn[] {
  const outputs = routine.parameters.filter(({ mode }) => mode !== "in");
  if (outputs.length > 0) {
    return outputs.map(({ name, declared }) => {
      const fields = declared.row === undefined ? undefined : table(declared.row);
      return {
        name,
        type: declared.type,
        origin: { declared },
        ...(fields && { shape: { fields: fields.map(typedField) } }),
      };
    });
  }
  if (routine.returnsRow !== undefined) return (table(routine.returnsRow) ?? []).map(typedField);
  const { returns, name } = routine;
  return returns === undefined
    ? [{ name, type: "void" }]
    : [{ name, type: returns.type, origin: { declared: returns } }];
}

/** The frame of a routine with its arguments. */
function* frameOf(routine: Routine, args: readonly Argument[], host: RoutineHost): Steps<Frame> {
  const frame = openFrame(host, routine.body, routine);
  for (const [at, { name, declared, default: usual }] of inputsOf(routine).entries()) {
    const given = args[at];
    if (given === undefined && usual !== undefined) {
      const { rows, columns } = yield* host.run(selectOf([usual]), frame.locals, []);
      const value = yield* assignCast(
        rows[0]?.[0] ?? null,
        columns[0]?.type ?? "unknown",
        declared,
        host,
      );
      frame.locals.set(name, { declared, value });
    } else {
      const value = yield* assignCast(
        given?.value ?? null,
        given?.type ?? "unknown",
        declared,
        host,
      );
      frame.locals.set(name, { declared, value });
    }
    frame.locals.set(`$${at + 1}`, { declared, value: frame.locals.get(name)?.value ?? null });
    frame.locals.set(
      `${routine.name}.${name}`,
      frame.locals.get(name) ?? { declared, value: null },
    );
  }
  for (const { name, declared, mode } of routine.parameters) {
    if (mode === "out" || mode === "table") frame.locals.set(name, { declared, value: null });
    if (declared.row !== undefined) bindRecord(frame, name, declared.row);
  }
  return frame;
}

function typedField({
  name,
  declared,
}: {
  readonly name: string;
  readonly declared: DeclaredType;
}): { readonly name: string; readonly type: SqlType } {
  return { name, type: declared.type };
}

/** The fields of a parameter that holds a row. */
function bindRecord(frame: Frame, name: string, table: string): void {
  const { value: row = null } = frame.locals.get(name) ?? {};
  frame.records.add(name);
  for (const [at, { name: field, declared }] of (frame.host.table(table) ?? []).entries()) {
    const value = isList(row) ? (row[at] ?? null) : null;
    frame.locals.set(`${name}.${field}`, { declared, value });
  }
}

/** A parameter as the routine leaves it. */
function outputValue({ locals, host }: Frame, { name, declared }: RoutineParameter): SqlValue {
  if (declared.row === undefined) return locals.get(name)?.value ?? null;
  const fields = host.table(declared.row) ?? [];
  const row = fields.map((field) => locals.get(`${name}.${field.name}`)?.value ?? null);
  return row.every((value) => value === null) ? null : row;
}

/** Carries it out. One row for what returns no set. */
export function* callRoutine(
  routine: Routine,
  args: readonly Argument[],
  host: RoutineHost,
): Steps<readonly SqlRow[]> {
  const frame = yield* frameOf(routine, args, host);
  const outputs = routine.parameters.filter(({ mode }) => mode !== "in");
  if (routine.language === "sql") return yield* runSql(routine, args, frame);
  if (routine.language === "mysql") {
    yield* runMysqlBody(frame, routine);
    return [[frame.returned]];
  }
  const { block, problems } = parsePlBody(routine.body);
  const [problem] = problems;
  if (block === undefined || problem !== undefined)
    throw failure("syntax", problem?.message ?? "BEGIN is expected");
  const flow = yield* runBlock(block, frame);
  if (routine.returnsSet) return frame.rows;
  if (outputs.length > 0) return [outputs.map((output) => outputValue(frame, output))];
  if (flow.kind !== "return" && routine.returns !== undefined)
    throw failure("noReturn", "control reached end of function without RETURN");
  return [[routine.returns === undefined ? "" : frame.returned]];
}

/** A procedure of MySQL: what it has selected, and its parameters as it leaves them. */
export function* callProcedure(
  routine: Routine,
  args: readonly Argument[],
  host: RoutineHost,
): Steps<{
  readonly sets: readonly RoutineResult[];
  readonly locals: Locals;
  readonly count: number;
}> {
  const frame = yield* frameOf(routine, args, host);
  const { sets, changed: count } = yield* runMysqlBody(frame, routine);
  return { sets, locals: frame.locals, count };
}

/** A function in SQL gives what its last statement gives. */
function* runSql(
  routine: Routine,
  args: readonly Argument[],
  frame: Frame,
): Steps<readonly SqlRow[]> {
  let rows: readonly SqlRow[] = [];
  let types: readonly SqlType[] = [];
  const inputs = inputsOf(routine);
  const parameters = inputs.map(({ name }, at) => ({
    type: args[at]?.type ?? "unknown",
    value: frame.locals.get(name)?.value ?? null,
  }));
  for (const [at, { value }] of parameters.entries()) {
    const { declared } = inputs[at] ?? { declared: { type: "text" as const } };
    frame.locals.set(`$${at + 1}`, { declared, value });
  }
  for (const statement of frame.host.parse(routine.body)) {
    const result = yield* frame.host.run(statement, frame.locals, []);
    rows = result.rows;
    types = result.columns.map(({ type }) => type);
  }
  const { returns } = routine;
  const fitted: SqlRow[] = [];
  for (const row of rows) {
    const [first = null] = row;
    const type = types[0] ?? "unknown";
    fitted.push(returns ? [yield* assignCast(first, type, returns, frame.host)] : row);
  }
  if (routine.returnsSet) return fitted;
  return [fitted[0] ?? [null]];
}

/** Initial frame of a body of code. */
export function openFrame(
  host: RoutineHost,
  text: string,
  routine?: Pick<Routine, "returns">,
): Frame {
  const locals: Locals = new Map([["found", { declared: { type: "bool" }, value: false }]]);
  return {
    host,
    text,
    locals,
    records: new Set(),
    rows: [],
    returned: null,
    returnedRow: undefined,
    error: undefined,
    count: 0,
    returns: routine?.returns,
  };
}
