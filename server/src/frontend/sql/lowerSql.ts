// The cascade of parsers for one statement: PostgreSQL's own, then node-sql-parser, then mere words.
import { lowerByWords } from "./fallback";
import { sourceIn, type Lowered, type LoweringContext } from "./lowering";
import { lowerWithNsp } from "./nsp/statement";
import type { SqlParsers } from "./parsers";
import type { LowerSql } from "./script";

/** Lowers with the parsers at hand. Never throws for bad input. */
export function createLowerSql(parsers: SqlParsers): LowerSql {
  return (context) => lowerWith(parsers, context);
}

function lowerWith(_parsers: SqlParsers, context: LoweringContext): Lowered {
  const light = lowerWithNsp(context);
  if (light.ok) return light.lowered;
  const reason = `This statement cannot be read: ${shortened(light.message)}.`;
  const source = sourceIn(context.piece, light.offset, light.offset + 1);
  context.note({ severity: "error", code: "syntax", message: reason, source });
  return lowerByWords(context, reason);
}

function shortened(message: string): string {
  const line = message.split("\n")[0] ?? message;
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
