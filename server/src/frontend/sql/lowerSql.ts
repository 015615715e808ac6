// The cascade of parsers for one statement: PostgreSQL's own, then node-sql-parser, then mere words.
import { lowerByWords } from "./fallback";
import { sourceIn, type Lowered, type LoweringContext } from "./lowering";
import { createMemo } from "./memo";
import { parseWithNsp, type NspParse } from "./nsp/parse";
import { lowerWithNsp } from "./nsp/statement";
import type { SqlParsers } from "./parsers";
import type { LowerSql } from "./scriptState";

export interface StatementLowering {
  readonly lower: LowerSql;
  /** Starts a reading: trees that the last one did not need are forgotten. */
  nextReading(): void;
}

/** Lowers with the parsers at hand and remembers what they gave. Never throws for bad input. */
export function createLowering(_parsers: SqlParsers): StatementLowering {
  const light = createMemo<NspParse>();
  const parseLight = (sql: string): NspParse => light.get(sql, () => parseWithNsp(sql));
  return {
    lower: (context) => {
      const result = lowerWithNsp(context, parseLight);
      return result.ok ? result.lowered : unread(context, result.message, result.offset);
    },
    nextReading: () => light.nextReading(),
  };
}

/** The statement by its words, with the parser's complaint as a note at its place. */
function unread(context: LoweringContext, message: string, offset: number): Lowered {
  const reason = `This statement cannot be read: ${shortened(message)}.`;
  const source = sourceIn(context.piece, offset, offset + 1);
  context.note({ severity: "error", code: "syntax", message: reason, source });
  return lowerByWords(context, reason);
}

function shortened(message: string): string {
  const line = message.split("\n")[0] ?? message;
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
