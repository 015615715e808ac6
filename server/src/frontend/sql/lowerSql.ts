// The cascade of parsers for one statement: PostgreSQL's own, then node-sql-parser, then keywords.
import { lowerByWords } from "./fallback";
import { sourceIn, type Lowering, type LoweringContext } from "./lowering";
import { createMemo } from "./memo";
import { parseWithNsp, type NspParse } from "./nsp/parse";
import { lowerWithNsp } from "./nsp/statement";
import type { SqlParsers } from "./parsers";
import type { PgParser, PgParseResult } from "./pg/pgParser";
import { lowerWithPg } from "./pg/statement";
import type { LowerSql } from "./script/state";

export interface StatementLowering {
  readonly lower: LowerSql;
  /** PostgreSQL's parser with a memo. */
  readonly pg: PgParser | undefined;
  /** Starts a reading: trees unused in the previous one are dropped. */
  nextReading(): void;
}

/** Lowers with the available parsers and memoises their results. Never throws for bad input. */
export function createLowering(parsers: SqlParsers): StatementLowering {
  const light = createMemo<NspParse>();
  const parseLight = (sql: string): NspParse => light.get(sql, () => parseWithNsp(sql));
  const full = createMemo<PgParseResult>();
  const { pg } = parsers;
  const remembering: PgParser | undefined =
    pg === undefined ? undefined : { ...pg, parse: (sql) => full.get(sql, () => pg.parse(sql)) };
  return {
    lower: (context) =>
      remembering === undefined
        ? lowerLight(context, parseLight)
        : lowerFully(context, remembering, parseLight),
    pg: remembering,
    nextReading: () => {
      light.nextReading();
      full.nextReading();
    },
  };
}

/** A text that PostgreSQL refuses is an error, and is still read as far as possible. */
function lowerFully(
  context: LoweringContext,
  parser: PgParser,
  parseLight: (sql: string) => NspParse,
): Lowering {
  const full = lowerWithPg(context, parser);
  if (full.ok) return full.lowered;
  const reason = `PostgreSQL cannot read this statement: ${shortened(full.message)}.`;
  const source = sourceIn(context.piece, full.offset, full.offset + 1);
  context.note({ severity: "error", code: "syntax", message: reason, source });
  const light =
    context.piece.sql.length > LONGEST_LIGHT ? undefined : lowerWithNsp(context, parseLight);
  if (light?.ok !== true) return lowerByWords(context, reason);
  const loss = { effect: "approx", reason, source } as const;
  const statements = light.lowered.statements.map((each) => ({
    ...each,
    taint: [...each.taint, loss],
  }));
  return { ...light.lowered, statements };
}

/** Longer refused texts are only searched for table names. */
const LONGEST_LIGHT = 20_000;

function lowerLight(context: LoweringContext, parse: (sql: string) => NspParse): Lowering {
  const light = lowerWithNsp(context, parse);
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
