// Which level each transaction runs at: its own where it has one of the same product, else the one asked for.
import { findLevel, sameProduct } from "../isolation/levels";
import type { Level } from "../isolation/levels";
import type { Transaction } from "../program/program";
import type { Unknown } from "../protocol/report";
import { unknownLevelText } from "../workspace/configuration";

export interface EffectiveLevels {
  /** By id, in the order of the transactions. */
  readonly levels: ReadonlyMap<string, Level>;
  /** Levels that transactions ask for and that do not exist: what was checked instead is not what was meant. */
  readonly unknown: readonly Unknown[];
}

/** The levels of transactions in a check at `asked`. */
export function effectiveLevels(
  transactions: readonly Transaction[],
  asked: Level,
): EffectiveLevels {
  const unknown: Unknown[] = [];
  const levelOf = (transaction: Transaction): Level => {
    const declared = transaction.level;
    if (!declared) return asked;
    const own = findOfProduct(declared.name, asked) ?? findLevel(declared.name);
    if (!own) {
      unknown.push({
        reason: `${unknownLevelText(declared.name)} (checked at ${asked.name})`,
        transactions: [transaction.id],
        file: (declared.source ?? transaction.header).file,
        range: (declared.source ?? transaction.header).range,
      });
      return asked;
    }
    return sameProduct(own, asked) ? own : asked;
  };
  return { levels: new Map(transactions.map((each) => [each.id, levelOf(each)])), unknown };
}

/** SQL's own spelling (`SERIALIZABLE`) means the level of the product at hand. */
function findOfProduct(name: string, asked: Level): Level | undefined {
  return asked.family === "product" ? findLevel(`${asked.product}:${name}`) : undefined;
}
