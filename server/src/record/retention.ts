// Statements that are kept to be learnt from. Of runs that send the same again and again a number is enough, so that a load
// test of hours takes no more memory than a test of minutes; the recording's file has them all.
import type { RecordedStatement } from "./statements";

export interface Retention {
  add(statement: RecordedStatement): void;
  /** All that is kept, in the order in which it was complete for each connection. */
  statements(): readonly RecordedStatement[];
  /** Statements that were added, and those of them that are not kept. */
  readonly count: number;
  readonly passedOver: number;
}

export interface RetentionLimits {
  /** Runs that send the same. */
  readonly alike: number;
  /** The same, where so much is kept that only what is rare may be added. */
  readonly rare: number;
  readonly many: number;
  /** Statements of one transaction. */
  readonly longest: number;
}

const LIMITS: RetentionLimits = { alike: 1000, rare: 20, many: 300_000, longest: 20_000 };

/** A transaction, or a statement outside of one, that is not at its end. */
interface OpenBlock {
  readonly statements: RecordedStatement[];
  length: number;
}

/** The first transaction of a call decides about all of them: a part of a call would tell a way that nobody took. */
interface CallDecision {
  readonly call: string;
  readonly isKept: boolean;
}

/** Keeps what was kept before. Each statement is looked at once. */
export function createRetention(
  before: readonly RecordedStatement[] = [],
  limits: RetentionLimits = LIMITS,
): Retention {
  const kept: RecordedStatement[] = [...before];
  const blocks = new Map<number, OpenBlock>();
  const calls = new Map<number, CallDecision>();
  const counts = new Map<string, number>();
  let count = 0;
  let passedOver = 0;

  function isWanted(block: OpenBlock, connection: number): boolean {
    if (block.length > limits.longest) return false;
    const site = block.statements.find((each) => each.site?.call !== undefined)?.site;
    const call = site && `${site.entry} ${site.call ?? ""}`;
    const before = calls.get(connection);
    if (call !== undefined && before?.call === call) return before.isKept;
    const signature = signatureOf(block.statements);
    const alike = counts.get(signature) ?? 0;
    counts.set(signature, alike + 1);
    const isKept = alike < (kept.length < limits.many ? limits.alike : limits.rare);
    if (call !== undefined) calls.set(connection, { call, isKept });
    return isKept;
  }

  return {
    add(statement) {
      count++;
      const { connection, kind, status, text } = statement;
      const open = blocks.get(connection);
      // Only levels and tables of what a session sets matter later, and where its text ends a transaction.
      const isSetting = kind === "session" || kind === "ddl";
      const isEnd = open !== undefined && status === "idle";
      const isKept = kind === "ddl" || (kind === "session" && /isolation/i.test(text));
      if (isKept) kept.push(statement);
      if (isSetting && !isEnd) return;
      const block = open ?? { statements: [], length: 0 };
      blocks.set(connection, block);
      if (!isKept && ++block.length <= limits.longest) block.statements.push(statement);
      if (status !== "idle") return;
      blocks.delete(connection);
      if (isWanted(block, connection)) kept.push(...block.statements);
      else passedOver += block.length;
    },
    statements: () => [...kept, ...[...blocks.values()].flatMap((block) => block.statements)],
    get count() {
      return count;
    },
    get passedOver() {
      return passedOver;
    },
  };
}

/** The same for transactions that do the same in the same place, whatever their values. */
function signatureOf(statements: readonly RecordedStatement[]): string {
  return statements
    .map(
      ({ text, site, error, rerun, isPerturbed, affected }) =>
        `${text} ${site?.entry ?? ""} ${error ?? ""} ${String(rerun)} ${String(isPerturbed)} ${String(affected === 0)}`,
    )
    .join("\n");
}
