// Statements on tables with triggers, with the triggers' effects: the row after BEFORE triggers, the per-row effects of AFTER triggers, and
// statement triggers. An unsupported trigger is a loss of the statements that fire it.
import type { Note } from "../../../../program/program";
import type { Taint } from "../../../../program/precision";
import type { Table } from "../../../../program/schema";
import type { CallPlace, Command, Statement } from "../../../../program/statement";
import { createIds, type Ids } from "../../lowering";
import { inStatements, type Replace } from "../../dialectDetection/replaceStatements";
import { createNames, type Names } from "../../routine/names";
import { walkCommand } from "../../walk";
import { withoutDeadAssignments } from "../../routine/deadAssignments";
import { firesWhen } from "../columnNames";
import type { RoutineContext } from "../plpgsql/routineDefinition";
import { fireChange } from "./fireChange";
import type { Firing, Outcome } from "./triggerRows";
import { fireInsert } from "./fireInsert";
import { lowerTrigger, type TriggerBody } from "./triggerBody";
import type { Trigger, TriggerEvent } from "./triggerDefinitions";

/** The prefix of a trigger's variables. */
const PREFIX = "trigger.";
/** Depth limit of triggers that fire each other. */
const DEEPEST = 3;

/** Inserts a schema's triggers at the statements that fire them. Linear in the statements, except for the triggers' bodies. */
export function createFiring(triggers: readonly Trigger[], shared: RoutineContext): Replace {
  const byTable = new Map<string, Trigger[]>();
  for (const each of triggers) {
    if (!each.isEnabled || each.timing === "instead") continue;
    byTable.set(each.table, [...(byTable.get(each.table) ?? []), each]);
  }
  const named = new WeakMap<Ids, Pick<Names, "used" | "types" | "prefix">>();
  const fire = (
    statement: Statement,
    ids: Ids,
    inside: readonly string[],
  ): readonly Command[] | undefined => {
    const target = targetOf(statement);
    const own = target === undefined ? undefined : byTable.get(target.table);
    const table = target === undefined ? undefined : shared.table(target.table);
    if (target === undefined || own === undefined || table === undefined) return undefined;
    const fired = own.filter((each) => isFired(each, statement, target.events));
    if (fired.length === 0) return undefined;
    const known = named.get(ids) ?? { used: new Set(), types: new Map(), prefix: PREFIX };
    named.set(ids, known);
    const commands = together(statement, fired, table, ids, createNames(known), shared);
    const chain = [...inside, ...fired.map(({ name }) => name)];
    const isCircle = inside.length > DEEPEST || fired.some(({ name }) => inside.includes(name));
    const nested = commands.map((each) =>
      inStatements(each, (inner) => {
        if (inner.id === statement.id) return undefined;
        const again = isCircle ? byTable.get(targetOf(inner)?.table ?? "") : undefined;
        if (again !== undefined)
          return [
            {
              kind: "statement",
              statement: lossy(inner, "triggers that fire one another", "approx"),
            },
          ];
        return fire(inner, ids, chain);
      }),
    );
    return nested;
  };
  return (statement, ids) => {
    const commands = fire(statement, ids, []);
    if (commands === undefined) return undefined;
    const isOther = (variable: string): boolean => !variable.startsWith(PREFIX);
    return [withoutDeadAssignments({ kind: "sequence", commands }, isOther)];
  };
}

/** The notes on triggers that are unsupported for some statement, and on their functions. */
export function triggerNotes(
  triggers: readonly Trigger[],
  shared: RoutineContext,
): readonly Note[] {
  return triggers.flatMap((trigger): readonly Note[] => {
    const table = shared.table(trigger.table);
    if (table === undefined || !trigger.isEnabled || trigger.isRule === true) return [];
    const reasons = new Set(
      trigger.timing === "instead"
        ? ["it stands for a change through a view"]
        : trigger.events.flatMap((event) => {
            const names = createNames();
            const site = trigger.source;
            const body = lowerTrigger(trigger, event, table, {
              shared,
              ids: createIds("trigger"),
              names,
              site,
            });
            if (typeof body === "string") return [body];
            return [...body.losses, ...taintIn(body.commands)].map(({ reason }) => reason);
          }),
    );
    if (reasons.size === 0) return [];
    const message = `The trigger ${trigger.name} on ${trigger.table} is not analysed as a whole: ${[...reasons].join("; ")}.`;
    const note = { severity: "information", code: "trigger-losses" } as const;
    const run = shared.routine(trigger.runs, 0, trigger.runsIn);
    const own = `${trigger.runs} is run by the trigger ${trigger.name}, which is not analysed as a whole.`;
    return [
      { ...note, message, source: trigger.source },
      ...(run?.isTrigger === true ? [{ ...note, message: own, source: run.header }] : []),
    ];
  });
}

function taintIn(commands: readonly Command[]): readonly Taint[] {
  const found: Taint[] = [];
  const statement = ({ taint }: Statement): void => void found.push(...taint);
  walkCommand({ kind: "sequence", commands }, { statement });
  return found;
}

interface Target {
  readonly table: string;
  readonly events: readonly TriggerEvent[];
}

function targetOf(statement: Statement): Target | undefined {
  switch (statement.kind) {
    case "insert": {
      const updates =
        statement.onConflict !== undefined && statement.onConflict.action !== "nothing";
      return { table: statement.table, events: updates ? ["insert", "update"] : ["insert"] };
    }
    case "update":
      return { table: statement.relation.table, events: ["update"] };
    case "delete":
      return {
        table: statement.relation.table,
        events: [statement.truncates === undefined ? "delete" : "truncate"],
      };
    default:
      return undefined;
  }
}

/** UPDATE OF depends on the columns that the statement names. */
function isFired(
  { events, columns }: Trigger,
  statement: Statement,
  happening: readonly TriggerEvent[],
): boolean {
  const common = events.filter((each) => happening.includes(each));
  if (common.length === 0 || columns.length === 0) return common.length > 0;
  if (common.some((each) => each !== "update")) return true;
  const set =
    statement.kind === "update"
      ? statement.set
      : statement.kind === "insert"
        ? (statement.onConflict?.set ?? [])
        : [];
  return set.some(({ column }) => columns.includes(column));
}

/** The statement with all of its triggers. */
function together(
  statement: Statement,
  fired: readonly Trigger[],
  table: Table,
  ids: Ids,
  names: Names,
  shared: RoutineContext,
): readonly Command[] {
  const sorted = fired.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const bodies: TriggerBody[] = [];
  const rule = fired.find(({ isRule }) => isRule === true);
  if (rule !== undefined) return alone(statement, `the rule ${rule.name}`);
  for (const trigger of sorted) {
    const events = (targetOf(statement)?.events ?? []).filter((each) =>
      trigger.events.includes(each),
    );
    for (const event of events) {
      const fires = event === "update" ? firesWhen(trigger, statement) : undefined;
      const body = lowerTrigger(trigger, event, table, {
        shared,
        ids,
        names,
        site: statement.source,
        ...(fires && { fires }),
      });
      if (typeof body === "string") return alone(statement, `the trigger ${trigger.name}: ${body}`);
      bodies.push({ ...body, commands: firedBy(trigger, statement, body.commands) });
    }
  }
  const losses = bodies.flatMap(({ trigger, losses: own }) =>
    own.map((loss) => ({ ...loss, reason: `the trigger ${trigger.name}: ${loss.reason}` })),
  );
  const tainted: Statement =
    losses.length === 0 ? statement : { ...statement, taint: [...statement.taint, ...losses] };
  const chosen = (timing: Trigger["timing"], perRow: boolean): readonly TriggerBody[] =>
    bodies.filter(({ trigger }) => trigger.timing === timing && trigger.perRow === perRow);
  const rows = { before: chosen("before", true), after: chosen("after", true) };
  const outcome = perRow(tainted, { table, ids, ...rows });
  if ("reason" in outcome) return alone(statement, outcome.reason);
  // An upsert fires its statement triggers by event: those of UPDATE inside of those of INSERT.
  const events = targetOf(statement)?.events ?? [];
  const once = (timing: Trigger["timing"], order: readonly TriggerEvent[]): readonly Command[] =>
    order.flatMap((event) =>
      chosen(timing, false).flatMap((each) => (each.event === event ? each.commands : [])),
    );
  return [...once("before", events), ...outcome, ...once("after", events.toReversed())];
}

/** The commands, whose statements record the trigger that runs them. */
function firedBy(
  { name }: Trigger,
  { through = [], source }: Statement,
  commands: readonly Command[],
): readonly Command[] {
  const place: CallPlace = { name, source, kind: "trigger" };
  const named = (statement: Statement): readonly Command[] => {
    const own = [...through, place, ...(statement.through ?? [])];
    return [{ kind: "statement", statement: { ...statement, through: own } }];
  };
  return commands.map((each) => inStatements(each, named));
}

function perRow(statement: Statement, fired: Firing): Outcome {
  if (fired.before.length === 0 && fired.after.length === 0)
    return [{ kind: "statement", statement }];
  switch (statement.kind) {
    case "insert":
      return fireInsert(statement, fired);
    case "update":
    case "delete":
      return fireChange(statement, fired);
    default:
      return { reason: "a trigger of a statement that changes no rows" };
  }
}

/** The statement without its triggers, which may do anything to their tables. */
function alone(statement: Statement, reason: string): readonly Command[] {
  return [{ kind: "statement", statement: lossy(statement, reason, "approx") }];
}

function lossy(statement: Statement, reason: string, effect: Taint["effect"]): Statement {
  const { source } = statement;
  return { ...statement, taint: [...statement.taint, { effect, reason, source }] };
}
