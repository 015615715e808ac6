// Row level security: statements are read as by a role that bypasses it, with a note for each table. Where owners are bound as well,
// policies on more than the row and the session are a loss of all statements on their table.
import type { Taint } from "../../../../program/precision";
import type { Note } from "../../../../program/program";
import type { Table } from "../../../../program/schema";
import type { Command, Statement } from "../../../../program/statement";
import { declarationContext } from "../../lowering";
import { inStatements, type Replace } from "../../dialectDetection/replaceStatements";
import { walkStatement } from "../../walk";
import { rangeVarsOf, tableName } from "../ast";
import { lowerExpression } from "../recursion";
import { sourceOfRelation } from "../scope";
import { startWork } from "../statement";
import { functionsOf } from "../valueFunctions";
import type { RoutineContext } from "../plpgsql/routineDefinition";
import type { Policy } from "./policies";

export interface RowSecurity {
  readonly notes: readonly Note[];
  /** The statement with what policies of its tables lose; undefined where that is nothing. */
  readonly guard: (statement: Statement) => Statement | undefined;
}

/** Reads the policies that are in force. Linear in them; `guard` is linear in a statement. */
export function readRowSecurity(policies: readonly Policy[], shared: RoutineContext): RowSecurity {
  const notes: Note[] = [];
  const note = (message: string, { source }: Policy): void => {
    notes.push({ severity: "information", code: "row-security", message, source });
  };
  const told = new Set<string>();
  const doubts = new Map<string, string[]>();
  for (const policy of policies) {
    const { name, table: on } = policy;
    const table = shared.table(on);
    if (table === undefined) continue;
    if (!told.has(on)) {
      const who = policy.isForced ? "a superuser" : "the table's owner";
      const message = `Statements on ${on} are read as by a role that row level security does not hold for, such as ${who}: all rows are seen.`;
      note(message, policy);
      told.add(on);
    }
    const reasons = doubtsAbout(policy, table, shared);
    if (reasons.length === 0) continue;
    note(`The policy ${name} on ${on} is not followed: ${reasons.join("; ")}.`, policy);
    if (!policy.isForced) continue;
    const known = doubts.get(on) ?? [];
    doubts.set(on, [...known, `the policy ${name} on ${on}: ${reasons.join("; ")}`]);
  }
  return { notes, guard: (statement) => guarded(statement, doubts) };
}

/** Dependencies of the policy beyond the row and the session. */
function doubtsAbout(policy: Policy, table: Table, shared: RoutineContext): readonly string[] {
  const read = policy.conditions.flatMap(rangeVarsOf).map((each) => tableName(each));
  if (read.length > 0) return [`it reads ${[...new Set(read)].join(", ")}`];
  const work = startWork({
    ...declarationContext(policy.piece, table.name, shared.table),
    ...functionsOf(shared.routine),
  });
  const relation = { alias: table.name, table: table.name, kind: "base", join: "inner" } as const;
  const scope = { sources: [sourceOfRelation(relation, work)] };
  for (const each of policy.conditions) lowerExpression(each, scope, work);
  return [...new Set(work.taint.map(({ reason }) => reason))];
}

function guarded(
  statement: Statement,
  doubts: ReadonlyMap<string, readonly string[]>,
): Statement | undefined {
  if (doubts.size === 0) return undefined;
  const tables = new Set<string>();
  if (statement.kind === "insert") tables.add(statement.table);
  walkStatement(statement, { relation: ({ table }) => void tables.add(table) });
  const { source, taint } = statement;
  const losses = [...tables]
    .flatMap((table) => doubts.get(table) ?? [])
    .filter((reason) => taint.every((each) => each.reason !== reason))
    .map((reason): Taint => ({ effect: "over", reason, source }));
  return losses.length === 0 ? undefined : { ...statement, taint: [...taint, ...losses] };
}

/** Triggers in the place of what fires them, and everywhere what policies lose. */
export function withRowSecurity(firing: Replace, guard: RowSecurity["guard"]): Replace {
  const alone = (statement: Statement): readonly Command[] | undefined => {
    const own = guard(statement);
    return own === undefined ? undefined : [{ kind: "statement", statement: own }];
  };
  return (statement, ids) => {
    const fired = firing(statement, ids);
    return fired?.map((each) => inStatements(each, alone)) ?? alone(statement);
  };
}
