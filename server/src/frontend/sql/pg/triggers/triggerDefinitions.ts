// Triggers as definitions leave them: what fires them, when, and which function they run.
import type { CreateTrigStmt, Node, RuleStmt } from "libpg-query";
import { sourceOf, type SqlPiece } from "../../lowering";
import type { RowTrigger, TriggerEvent } from "../../triggers/trigger";
import { lastName, schemaOf, stringsOf, tableName } from "../ast";

export interface Trigger extends RowTrigger {
  readonly when: Node | undefined;
  /** The name of its function, and what its arguments are. */
  readonly runs: string;
  readonly runsIn: string | undefined;
  readonly arguments: readonly string[];
  /** It runs when the transaction commits. */
  readonly isDeferred: boolean;
  /** It names the changed rows as tables. */
  readonly hasTransitions: boolean;
  readonly piece: SqlPiece;
}

/** Triggers by table and name. */
export type Triggers = Map<string, Trigger>;

const keyOf = (table: string, name: string): string => JSON.stringify([table, name]);

/** CREATE TRIGGER, which replaces one of the same name. */
export function defineTrigger(
  statement: CreateTrigStmt,
  piece: SqlPiece,
  triggers: Triggers,
): void {
  const { trigname: name = "", relation, timing = 0, events = 0 } = statement;
  const table = tableName(relation);
  triggers.set(keyOf(table, name), {
    name,
    table,
    timing: (timing & BEFORE) !== 0 ? "before" : (timing & INSTEAD) !== 0 ? "instead" : "after",
    events: EVENTS.flatMap(([bit, event]) => ((events & bit) === 0 ? [] : [event])),
    perRow: statement.row === true,
    columns: stringsOf(statement.columns),
    when: statement.whenClause,
    runs: lastName(statement.funcname),
    runsIn: schemaOf(statement.funcname),
    arguments: stringsOf(statement.args),
    isDeferred: statement.initdeferred === true,
    hasTransitions: (statement.transitionRels ?? []).length > 0,
    isEnabled: true,
    piece,
    source: sourceOf(piece),
  });
}

/** As PostgreSQL numbers them in its trees. */
const BEFORE = 1 << 1;
const INSTEAD = 1 << 6;
const EVENTS = [
  [1 << 2, "insert"],
  [1 << 3, "delete"],
  [1 << 4, "update"],
  [1 << 5, "truncate"],
] as const;

/** CREATE RULE: what it stands for or adds is not followed, so that it is a loss of what it is for. */
export function defineRule(statement: RuleStmt, piece: SqlPiece, triggers: Triggers): void {
  const { rulename: name = "", relation, event = "CMD_SELECT" } = statement;
  const found = RULES.get(event);
  if (found === undefined) return;
  const table = tableName(relation);
  triggers.set(keyOf(table, ruleKey(name)), {
    name,
    table,
    timing: "before",
    events: [found],
    perRow: false,
    columns: [],
    when: undefined,
    runs: "",
    runsIn: undefined,
    arguments: [],
    isDeferred: false,
    hasTransitions: false,
    isEnabled: true,
    isRule: true,
    piece,
    source: sourceOf(piece),
  });
}

const RULES: ReadonlyMap<string, TriggerEvent> = new Map([
  ["CMD_INSERT", "insert"],
  ["CMD_UPDATE", "update"],
  ["CMD_DELETE", "delete"],
]);

/** Rules and triggers of a table may share names. */
const ruleKey = (name: string): string => `rule ${name}`;

/** DROP RULE name ON table, by the path that ends so. */
export function dropRule(path: readonly string[], triggers: Triggers): void {
  const [table = "", name = ""] = path.slice(-2);
  triggers.delete(keyOf(table, ruleKey(name)));
}

/** DROP TRIGGER name ON table, by the path that ends so. */
export function dropTrigger(path: readonly string[], triggers: Triggers): void {
  const [table = "", name = ""] = path.slice(-2);
  triggers.delete(keyOf(table, name));
}

/** ALTER TABLE ... ENABLE or DISABLE TRIGGER: one, or all without a name. */
export function switchTriggers(
  table: string,
  subtype: string,
  name: string,
  triggers: Triggers,
): void {
  const isEnabled = subtype === "AT_EnableTrig" || subtype === "AT_EnableAlwaysTrig";
  const isAll = /^AT_(Enable|Disable)Trig(All|User)$/.test(subtype);
  if (!isEnabled && !isAll && subtype !== "AT_DisableTrig") return;
  for (const [key, each] of triggers) {
    if (each.table !== table || each.isRule === true) continue;
    if (!isAll && each.name !== name) continue;
    triggers.set(key, { ...each, isEnabled: isEnabled || subtype.startsWith("AT_Enable") });
  }
}

/** The table goes, and its triggers with it. */
export function dropTriggersOf(table: string, triggers: Triggers): void {
  for (const [key, each] of triggers) if (each.table === table) triggers.delete(key);
}

/** The table has another name. */
export function moveTriggers(from: string, to: string, triggers: Triggers): void {
  for (const [key, each] of [...triggers]) {
    if (each.table !== from) continue;
    triggers.delete(key);
    const own = each.isRule === true ? ruleKey(each.name) : each.name;
    triggers.set(keyOf(to, own), { ...each, table: to });
  }
}

/** ALTER TRIGGER ... RENAME. */
export function renameTrigger(table: string, from: string, to: string, triggers: Triggers): void {
  const known = triggers.get(keyOf(table, from));
  if (known === undefined) return;
  triggers.delete(keyOf(table, from));
  triggers.set(keyOf(table, to), { ...known, name: to });
}
