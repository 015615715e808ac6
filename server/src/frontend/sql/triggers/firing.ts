// Statements on tables with triggers, with the triggers' effects: the row after BEFORE triggers, the per-row effects of AFTER triggers, and
// statement triggers. An unsupported trigger is a loss of the statements that fire it.
import type { Note } from "../../../program/program";
import type { Taint } from "../../../program/precision";
import type { Table } from "../../../program/schema";
import type { CallPlace, Command, OnConflict, Statement } from "../../../program/statement";
import { createIds, type Ids } from "../lowering";
import { inStatements, type Replace } from "../dialectDetection/replaceStatements";
import { createNames, type Names } from "../routine/names";
import { walkCommand } from "../walk";
import { withoutDeadAssignments } from "../routine/deadAssignments";
import type { SourceRange } from "../../../protocol/source";
import { fireChange } from "./fireChange";
import type { Firing, Outcome } from "./triggerRows";
import { fireInsert } from "./fireInsert";
import type { RowTrigger, TriggerBody, TriggerEvent, TriggerLanguage } from "./trigger";
import { asOneStatement } from "./oneStatement";

/** The prefix of a trigger's variables. */
const PREFIX = "trigger.";
/** Depth limit of triggers that fire each other. */
const DEEPEST = 3;

/** Inserts a schema's triggers at the statements that fire them. Linear in the statements, except for the triggers' bodies. */
export function createFiring<Kind extends RowTrigger>(
  triggers: readonly Kind[],
  language: TriggerLanguage<Kind>,
): Replace {
  const byTable = new Map<string, Kind[]>();
  for (const each of triggers) {
    if (!each.isEnabled || each.timing === "instead") continue;
    byTable.set(each.table, [...(byTable.get(each.table) ?? []), each]);
  }
  const named = new WeakMap<Ids, Pick<Names, "used" | "types" | "prefix">>();
  const fire = (
    statement: Statement,
    ids: Ids,
    inside: readonly string[],
    outermost = statement,
  ): readonly Command[] | undefined => {
    const target = targetOf(statement);
    const own = target === undefined ? undefined : byTable.get(target.table);
    const table = target === undefined ? undefined : language.table(target.table);
    if (target === undefined || own === undefined || table === undefined) return undefined;
    const fired = own.filter((each) => isFired(each, statement, target.events));
    if (fired.length === 0) return undefined;
    const known = named.get(ids) ?? { used: new Set(), types: new Map(), prefix: PREFIX };
    named.set(ids, known);
    const names = createNames(known);
    const commands = together(statement, fired, language, { table, ids, names, outermost });
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
        return fire(inner, ids, chain, outermost);
      }),
    );
    return nested;
  };
  return (statement, ids, isRepaired = false) => {
    const commands = fire(statement, ids, []);
    if (commands === undefined) return undefined;
    const isOther = (variable: string): boolean => !variable.startsWith(PREFIX);
    const whole = withoutDeadAssignments({ kind: "sequence", commands }, isOther);
    return [isRepaired ? asOneStatement(whole, statement, ids) : whole];
  };
}

/** True if the statement fires one of the triggers. */
export function firesSome(triggers: readonly RowTrigger[], statement: Statement): boolean {
  const target = targetOf(statement);
  return (
    target !== undefined &&
    triggers.some((each) => each.table === target.table && isFired(each, statement, target.events))
  );
}

/** The notes on triggers that are unsupported for some statement, and on the functions that they run. */
export function triggerNotes<Kind extends RowTrigger>(
  triggers: readonly Kind[],
  language: TriggerLanguage<Kind>,
  functionOf: (
    trigger: Kind,
  ) => { readonly name: string; readonly header: SourceRange } | undefined = () => undefined,
): readonly Note[] {
  return triggers.flatMap((trigger): readonly Note[] => {
    const table = language.table(trigger.table);
    if (!trigger.isEnabled || trigger.isRule === true) return [];
    const reasons = new Set(
      table === undefined
        ? [`nobody declares ${trigger.table}`]
        : trigger.timing === "instead"
          ? ["it stands for a change through a view"]
          : trigger.events.flatMap((event) => {
              const names = createNames();
              const site = trigger.source;
              const ids = createIds("trigger");
              const body = language.lower(trigger, event, table, { ids, names, site });
              if (typeof body === "string") return [body];
              return [...body.losses, ...taintIn(body.commands)].map(({ reason }) => reason);
            }),
    );
    if (reasons.size === 0) return [];
    const message = `The trigger ${trigger.name} on ${trigger.table} is not analysed as a whole: ${[...reasons].join("; ")}.`;
    const note = { severity: "information", code: "trigger-losses" } as const;
    const run = functionOf(trigger);
    const own = `${run?.name ?? ""} is run by the trigger ${trigger.name}, which is not analysed as a whole.`;
    return [
      { ...note, message, source: trigger.source },
      ...(run ? [{ ...note, message: own, source: run.header }] : []),
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
      const { action = "nothing" } = statement.onConflict ?? {};
      return { table: statement.table, events: ["insert", ...CONFLICTS[action]] };
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

/** Events of an INSERT whose row is there already. */
const CONFLICTS: Readonly<Record<OnConflict["action"], readonly TriggerEvent[]>> = {
  nothing: [],
  update: ["update"],
  replace: ["delete"],
};

/** UPDATE OF depends on the columns that the statement names. */
function isFired(
  { events, columns }: RowTrigger,
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
function together<Kind extends RowTrigger>(
  statement: Statement,
  fired: readonly Kind[],
  language: TriggerLanguage<Kind>,
  at: {
    readonly table: Table;
    readonly ids: Ids;
    readonly names: Names;
    readonly outermost: Statement;
  },
): readonly Command[] {
  const { table, ids } = at;
  const bodies: TriggerBody[] = [];
  const rule = fired.find(({ isRule }) => isRule === true);
  if (rule !== undefined) return alone(statement, `the rule ${rule.name}`);
  for (const trigger of language.inOrder(fired)) {
    const events = (targetOf(statement)?.events ?? []).filter((each) =>
      trigger.events.includes(each),
    );
    for (const event of events) {
      const fires = event === "update" ? language.firesWhen?.(trigger, statement) : undefined;
      const site = { ...at, site: statement.source, ...(fires && { fires }) };
      const body = language.lower(trigger, event, table, site);
      if (typeof body === "string") return alone(statement, `the trigger ${trigger.name}: ${body}`);
      bodies.push({ ...body, commands: firedBy(trigger, statement, body.commands) });
    }
  }
  const losses = bodies.flatMap(({ trigger, losses: own }) =>
    own.map((loss) => ({ ...loss, reason: `the trigger ${trigger.name}: ${loss.reason}` })),
  );
  const tainted: Statement =
    losses.length === 0 ? statement : { ...statement, taint: [...statement.taint, ...losses] };
  const chosen = (timing: RowTrigger["timing"], perRow: boolean): readonly TriggerBody[] =>
    bodies.filter(({ trigger }) => trigger.timing === timing && trigger.perRow === perRow);
  const rows = { before: chosen("before", true), after: chosen("after", true) };
  const outcome = perRow(tainted, { table, ids, ...rows });
  if ("reason" in outcome) return alone(statement, outcome.reason);
  // An upsert fires its statement triggers by event: those of UPDATE inside of those of INSERT.
  const events = targetOf(statement)?.events ?? [];
  const once = (timing: RowTrigger["timing"], order: readonly TriggerEvent[]): readonly Command[] =>
    order.flatMap((event) =>
      chosen(timing, false).flatMap((each) => (each.event === event ? each.commands : [])),
    );
  const commands = [...once("before", events), ...outcome, ...once("after", events.toReversed())];
  const whole = language.whole?.(statement, commands, bodies) ?? commands;
  return "reason" in whole ? alone(statement, whole.reason) : whole;
}

/** The commands, whose statements record the trigger that runs them. */
function firedBy(
  { name }: RowTrigger,
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
