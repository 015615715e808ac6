// Statements of MySQL, MariaDB, SQL Server and SQLite in the AR: the entry that scripts and routines share.
import type { Dialect } from "../../../program/dialect";
import type { Expression } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import { lowerByWords } from "../fallback";
import type { Lowered, LoweringContext } from "../lowering";

/**
 * One statement on rows in the AR; `context.piece.sql` is canonical text (see canonical.ts). Never fails: what is not
 * understood becomes an opaque statement over the tables that its words name. Names are looked up by
 * `context.variable`: locals as `["x"]`, user variables as `["@x"]`, and what the session remembers as
 * `["row_count()"]`, `["last_insert_id()"]` and `["found_rows()"]`.
 */
export function lowerDialectStatement(context: LoweringContext, dialect: Dialect): Lowered {
  return lowerByWords(context, `Statements of ${dialect} are not read.`);
}

/** One expression (the whole of `context.piece.sql`), as a value or as a condition. Never fails. */
export function lowerDialectExpression(
  context: LoweringContext,
  dialect: Dialect,
  use: "value" | "condition",
): { readonly value: Expression; readonly taint: readonly Taint[] } {
  const why = `an expression of ${dialect} as a ${use}`;
  const id = context.ids.fresh("u");
  return { value: { kind: "unknown", id, type: "other", dependsOn: [], why }, taint: [] };
}
