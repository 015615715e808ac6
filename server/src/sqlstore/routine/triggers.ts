// Triggers: which of a table's run for a row, and what their functions make of it.
import { parsePlBody } from "../../frontend/sql/pg/plpgsql/parser";
import type { Catalog, Table, Trigger } from "../catalog";
import { selectOf } from "../selectOf";
import { failure } from "../sqlError";
import type { SqlRow } from "../values/value";
import { openFrame } from "./call";
import type { Frame, RoutineHost, Steps } from "./frame";
import { runBlock } from "./interpret";
import { runMysqlBody } from "./mysqlBody";

/** A row that a statement changed. */
export interface ChangedRow {
  readonly table: Table;
  readonly before: SqlRow | undefined;
  readonly after: SqlRow | undefined;
}

type Event = Trigger["events"][number];

function eventOf({ before, after }: ChangedRow): Event {
  if (before === undefined) return "insert";
  return after === undefined ? "delete" : "update";
}

/** The triggers of a table that run at that time for rows of that event. */
export function triggersFor(
  catalog: Catalog,
  table: string,
  timing: Trigger["timing"],
  event: Event,
): readonly Trigger[] {
  const all = catalog.triggers.get(table) ?? [];
  return all.filter(
    (each) => each.timing === timing && each.forRows && each.events.includes(event),
  );
}

/** The row as the triggers that run before the change leave it; undefined where one of them gives it up. */
export function* rowBefore(
  catalog: Catalog,
  row: ChangedRow,
  host: RoutineHost,
): Steps<SqlRow | undefined> {
  const { table, before } = row;
  let { after } = row;
  for (const trigger of triggersFor(catalog, table.name, "before", eventOf(row))) {
    const frame = yield* fired(catalog, trigger, { table, before, after }, host);
    if (frame === undefined) continue;
    if (frame.returnedRow === undefined || frame.returnedRow === "null") return undefined;
    const { returnedRow } = frame;
    after = table.columns.map(
      ({ name }) => frame.locals.get(`${returnedRow}.${name}`)?.value ?? null,
    );
  }
  return after ?? before;
}

/** Runs the triggers that come after the change of these rows. */
export function* afterRows(
  catalog: Catalog,
  rows: readonly ChangedRow[],
  host: RoutineHost,
): Steps<void> {
  for (const row of rows)
    for (const trigger of triggersFor(catalog, row.table.name, "after", eventOf(row)))
      yield* fired(catalog, trigger, row, host);
}

/** Runs the triggers of a statement as a whole. */
export function* forStatement(
  catalog: Catalog,
  table: string,
  timing: Trigger["timing"],
  event: Event,
  host: RoutineHost,
): Steps<void> {
  const known = catalog.tables.get(table);
  for (const trigger of catalog.triggers.get(table) ?? []) {
    const runs = !trigger.forRows && trigger.timing === timing && trigger.events.includes(event);
    if (runs && known !== undefined)
      yield* fired(
        catalog,
        trigger,
        { table: known, before: undefined, after: undefined },
        host,
        event,
      );
  }
}

/** The frame of the trigger's function when it has run; undefined where its condition does not hold. */
function* fired(
  catalog: Catalog,
  trigger: Trigger,
  row: ChangedRow,
  host: RoutineHost,
  event: Event = eventOf(row),
): Steps<Frame | undefined> {
  const routine = catalog.routines.get(trigger.routine)?.find(({ isTrigger }) => isTrigger);
  if (routine === undefined)
    throw failure("noFunction", `function ${trigger.routine}() does not exist`);
  const frame = openFrame(host, routine.body);
  bindRow(frame, "new", row.table, row.after);
  bindRow(frame, "old", row.table, row.before);
  const facts = {
    tg_op: event.toUpperCase(),
    tg_name: trigger.name,
    tg_when: trigger.timing.toUpperCase(),
    tg_level: trigger.forRows ? "ROW" : "STATEMENT",
    tg_table_name: row.table.name,
    tg_relname: row.table.name,
    tg_table_schema: "public",
  };
  for (const [name, value] of Object.entries(facts))
    frame.locals.set(name, { declared: { type: "text" }, value });
  frame.locals.set("tg_argv", { declared: { type: "text[]" }, value: trigger.arguments });
  frame.locals.set("tg_nargs", { declared: { type: "int4" }, value: trigger.arguments.length });
  if (trigger.when !== undefined) {
    const { rows } = yield* host.run(selectOf([trigger.when]), frame.locals, []);
    if (rows[0]?.[0] !== true) return undefined;
  }
  if (routine.language === "mysql") {
    yield* runMysqlBody(frame, routine);
    frame.returnedRow = event === "delete" ? "old" : "new";
    return frame;
  }
  const { block, problems } = parsePlBody(routine.body);
  const [problem] = problems;
  if (block === undefined || problem !== undefined)
    throw failure("syntax", problem?.message ?? "BEGIN is expected");
  yield* runBlock(block, frame);
  return frame;
}

function bindRow(frame: Frame, name: string, table: Table, row: SqlRow | undefined): void {
  frame.records.add(name);
  for (const [at, { name: column, declared }] of table.columns.entries())
    frame.locals.set(`${name}.${column}`, { declared, value: row?.[at] ?? null });
}
