// Triggers of any language as far as their firing goes: what fires them, and their bodies for one row as commands.
import type { Expression } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { Table } from "../../../program/schema";
import type { Command, Statement } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import type { Ids } from "../lowering";
import type { Names } from "../routine/names";
import { walkCommand } from "../walk";

export type TriggerEvent = "insert" | "update" | "delete" | "truncate";

export interface RowTrigger {
  readonly name: string;
  readonly table: string;
  /** `instead`: in place of a change through a view. */
  readonly timing: "before" | "after" | "instead";
  readonly events: readonly TriggerEvent[];
  /** Once for each row, or once for the statement. */
  readonly perRow: boolean;
  /** UPDATE OF these columns; empty: of any. */
  readonly columns: readonly string[];
  readonly isEnabled: boolean;
  /** It is a rule, which nobody follows. */
  readonly isRule?: true;
  readonly source: SourceRange;
}

/** A row by its columns: the variables that hold them. */
export type RowVariables = ReadonlyMap<string, string>;

export interface TriggerBody {
  readonly trigger: RowTrigger;
  readonly event: TriggerEvent;
  readonly commands: readonly Command[];
  readonly new: RowVariables;
  readonly old: RowVariables;
  /** The variable that is true where it leaves its row out. */
  readonly skips: string;
  /** Columns of NEW and OLD that it reads. */
  readonly reads: { readonly new: ReadonlySet<string>; readonly old: ReadonlySet<string> };
  /** Columns of NEW that it assigns. */
  readonly assigns: ReadonlySet<string>;
  /** Losses outside of its statements. */
  readonly losses: readonly Taint[];
}

/** The place at which a trigger fires, with the names that its body is lowered under. */
export interface FiringSite {
  readonly ids: Ids;
  readonly names: Names;
  /** The statement that fires it. */
  readonly site: SourceRange;
  /** When it does so; absent: always. */
  readonly fires?: Expression;
  /** The statement that the client or the routine sent; absent where none is at hand. */
  readonly outermost?: Statement;
}

/** Triggers of a language: their bodies, their order, and the statement with all of them. */
export interface TriggerLanguage<Kind extends RowTrigger> {
  readonly table: (name: string) => Table | undefined;
  /** The body for that event; the reason where it cannot be run here. Never throws. */
  readonly lower: (
    trigger: Kind,
    event: TriggerEvent,
    table: Table,
    site: FiringSite,
  ) => TriggerBody | string;
  /** In the order in which they run. */
  readonly inOrder: (triggers: readonly Kind[]) => readonly Kind[];
  /** When a statement names a column of UPDATE OF; absent: always. */
  readonly firesWhen?: (trigger: Kind, statement: Statement) => Expression | undefined;
  /** The statement with its triggers, as the product runs all of them together. */
  readonly whole?: (
    statement: Statement,
    commands: readonly Command[],
    bodies: readonly TriggerBody[],
  ) => readonly Command[] | { readonly reason: string };
}

/** The body with what its commands read and assign; `hidden` columns of NEW have their values later. */
export function bodyOf(
  made: Omit<TriggerBody, "reads" | "assigns">,
  hidden: ReadonlySet<string> = new Set(),
): TriggerBody {
  const used = variablesIn({ kind: "sequence", commands: made.commands });
  const namedIn = (which: RowVariables, variables: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...which].flatMap(([column, name]) => (variables.has(name) ? [column] : [])));
  const own = new Map([...made.new].filter(([column]) => !hidden.has(column)));
  return {
    ...made,
    reads: { new: namedIn(own, used.read), old: namedIn(made.old, used.read) },
    assigns: namedIn(own, used.assigned),
  };
}

function variablesIn(command: Command): {
  readonly read: ReadonlySet<string>;
  readonly assigned: ReadonlySet<string>;
} {
  const read = new Set<string>();
  const assigned = new Set<string>();
  walkCommand(command, {
    expression: (part) => part.kind === "variable" && read.add(part.name),
    command: (each) => each.kind === "assign" && assigned.add(each.variable),
  });
  return { read, assigned };
}
