// The statements of stored routines of MySQL and MariaDB; SQL inside stays text.
import type { Target } from "../routine/assign";
import type { BranchText } from "../routine/branchText";
import type { Span } from "../text/split";

/** `SELECT ... INTO a, @b`: the targets and the text from INTO up to the last of them. */
export interface Into {
  readonly targets: readonly Target[];
  readonly span: Span;
}

/** The conditions of a handler: NOT FOUND, SQLEXCEPTION, an SQLSTATE, an error number, a condition name. */
export type Condition =
  | { readonly kind: "notFound" | "exception" | "warning" }
  | { readonly kind: "state"; readonly code: string }
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "named"; readonly name: string };

export interface HandlerDeclaration {
  readonly kind: "handler";
  readonly action: "continue" | "exit" | "undo";
  readonly conditions: readonly Condition[];
  readonly body: readonly RoutineStatement[];
  readonly span: Span;
}

export interface CursorDeclaration {
  readonly kind: "cursor";
  readonly name: string;
  readonly query: Span;
  /** MariaDB: `CURSOR (k INT) FOR`. */
  readonly parameters: readonly string[];
  readonly span: Span;
}

export type Declaration =
  | {
      readonly kind: "variables";
      readonly names: readonly string[];
      /** As written, without DEFAULT. */
      readonly type: string;
      readonly value: Span | undefined;
      readonly span: Span;
    }
  | {
      readonly kind: "condition";
      readonly name: string;
      readonly condition: Condition;
      readonly span: Span;
    }
  | CursorDeclaration
  | HandlerDeclaration;

export interface Block {
  readonly label: string | undefined;
  readonly declarations: readonly Declaration[];
  readonly body: readonly RoutineStatement[];
}

export type LoopOver =
  | { readonly kind: "forever" }
  | { readonly kind: "while"; readonly condition: Span }
  /** The condition is evaluated after each round and ends the loop. */
  | { readonly kind: "repeat"; readonly until: Span }
  /** MariaDB: `FOR i IN [REVERSE] 1 .. 3`. */
  | {
      readonly kind: "count";
      readonly variable: string;
      readonly from: Span;
      readonly to: Span;
      readonly reverse: boolean;
    }
  /** MariaDB: `FOR r IN (SELECT ...)`. */
  | { readonly kind: "query"; readonly record: string; readonly query: Span }
  /** MariaDB: `FOR r IN c`. */
  | {
      readonly kind: "cursor";
      readonly record: string;
      readonly cursor: string;
      readonly args: readonly Span[];
    };

export type Branch = BranchText<RoutineStatement>;

type StatementKind =
  | { readonly kind: "block"; readonly block: Block }
  | {
      readonly kind: "if";
      readonly branches: readonly Branch[];
      readonly otherwise: readonly RoutineStatement[] | undefined;
    }
  | {
      readonly kind: "case";
      /** The value that the branches' conditions are compared with. */
      readonly subject: Span | undefined;
      readonly branches: readonly Branch[];
      readonly otherwise: readonly RoutineStatement[] | undefined;
    }
  | {
      readonly kind: "loop";
      readonly label: string | undefined;
      readonly over: LoopOver;
      /** The words up to the body. */
      readonly header: Span;
      readonly body: readonly RoutineStatement[];
    }
  /** LEAVE of a loop or block, ITERATE of a loop. */
  | { readonly kind: "leave" | "iterate"; readonly label: string | undefined }
  | {
      readonly kind: "set";
      readonly items: readonly { readonly target: Target; readonly value: Span }[];
    }
  /** SET of session variables and the like, without effect on transactions. */
  | { readonly kind: "session" }
  | { readonly kind: "sql"; readonly into: Into | undefined }
  /** CREATE, ALTER, DROP, TRUNCATE, RENAME; those of temporary tables do not end a transaction. */
  | { readonly kind: "ddl"; readonly isTemporary: boolean }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Span[] }
  | { readonly kind: "return"; readonly value: Span }
  | {
      readonly kind: "signal" | "resignal";
      readonly condition: Condition | undefined;
      readonly text: string;
    }
  | { readonly kind: "open"; readonly cursor: string; readonly args: readonly Span[] }
  | { readonly kind: "fetch"; readonly cursor: string; readonly targets: readonly Target[] }
  | { readonly kind: "close"; readonly cursor: string }
  | { readonly kind: "prepare"; readonly name: string; readonly from: Span }
  | { readonly kind: "execute"; readonly name: string; readonly using: readonly Span[] }
  | { readonly kind: "executeImmediate"; readonly from: Span; readonly using: readonly Span[] }
  | {
      readonly kind: "diagnostics";
      readonly items: readonly { readonly target: Target; readonly what: string }[];
    }
  /** START TRANSACTION, COMMIT, SAVEPOINT, SET TRANSACTION, ...: parsed by control.ts. */
  | { readonly kind: "control"; readonly isRollback: boolean }
  | { readonly kind: "broken"; readonly message: string };

/** A statement with its text, without the semicolon. */
export type RoutineStatement = StatementKind & { readonly span: Span };

/** A statement without its place. */
export type WithoutPlace = RoutineStatement extends infer Each
  ? Each extends RoutineStatement
    ? Omit<Each, "span">
    : never
  : never;

/** The statements directly inside of a statement, including those of handlers. */
export function partsOf(statement: RoutineStatement): readonly RoutineStatement[] {
  switch (statement.kind) {
    case "block":
      return [
        ...statement.block.declarations.flatMap((each) =>
          each.kind === "handler" ? each.body : [],
        ),
        ...statement.block.body,
      ];
    case "if":
    case "case":
      return [...statement.branches.flatMap(({ body }) => body), ...(statement.otherwise ?? [])];
    case "loop":
      return statement.body;
    default:
      return [];
  }
}

/** True if the statement or an inner one satisfies the predicate. Linear in the statements. */
export function someStatement(
  statements: readonly RoutineStatement[],
  accepts: (statement: RoutineStatement) => boolean,
): boolean {
  return statements.some((each) => accepts(each) || someStatement(partsOf(each), accepts));
}

/** The names that a statement itself assigns: `x` of SET x, INTO x, FETCH ... INTO x, and arguments of CALL. */
export function assignedBy(statement: RoutineStatement, text: string): readonly string[] {
  const first = ({ path }: Target): string => path[0] ?? "";
  switch (statement.kind) {
    case "set":
    case "diagnostics":
      return statement.items.map(({ target }) => first(target));
    case "sql":
      return statement.into?.targets.map(first) ?? [];
    case "fetch":
      return statement.targets.map(first);
    case "call":
      return statement.args.map(({ start, end }) => text.slice(start, end).trim().toLowerCase());
    default:
      return [];
  }
}
