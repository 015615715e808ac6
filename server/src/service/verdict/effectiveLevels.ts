// The level that each transaction runs at: its own, if it declares one of the same product, else the requested one; and the pairs that are
// kept serializable in addition.
import type { FlatProgram, FlatTransaction } from "../../analysis/operations/operation";
import { areCertified } from "../../analysis/search/products/plan";
import { findLevel, sameProduct, snapshotAtBegin, withOneSnapshot } from "../../isolation/levels";
import type { Level, PaperLevel } from "../../isolation/levels";
import { levelAt } from "../../isolation/mixedLevels";
import type { Levels, SerializablePair } from "../../isolation/mixedLevels";
import { namedLevel, ONE_SNAPSHOT } from "../../program/declaredLevel";
import type { DeclaredLevel, Transaction } from "../../program/program";
import type { Command } from "../../program/statement";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { LevelReport, Unknown } from "../../protocol/report";
import { mixedProductsText, unknownLevelText } from "../../workspace/configuration";

export interface EffectiveLevels {
  /** A single level if all transactions run at it and no pair is kept serializable. */
  readonly levels: Levels;
  /** The levels for the report: transactions by id, in order. */
  readonly reported: LevelReport["levels"];
  /** Declared levels that are not available here: the check used another level than was meant. */
  readonly unknown: readonly Unknown[];
}

export interface LevelOptions {
  /** Pairs by id or name, at the papers' levels only; pairs of unknown names are dropped. */
  readonly serializablePairs?: readonly SerializablePair[];
  /** Levels that the user defined. */
  readonly defined?: readonly PaperLevel[];
  /** True if the user asked for this level in place of the project's own: declared levels of other products are then ignored. */
  readonly isOverride?: boolean;
}

/** The levels of transactions in a check at the level `asked`. */
export function effectiveLevels(
  transactions: readonly Transaction[],
  asked: Level,
  { serializablePairs = [], defined = [], isOverride = false }: LevelOptions = {},
): EffectiveLevels {
  const unknown: Unknown[] = [];
  const levelOf = (transaction: Transaction): Level => {
    const { level: declared } = transaction;
    if (!declared) return asked;
    if (declared.name === ONE_SNAPSHOT) return withOneSnapshot(asked);
    const { name, isAtBegin } = namedLevel(declared.name);
    const level = name === undefined ? asked : levelNamed(transaction, { ...declared, name });
    return isAtBegin ? snapshotAtBegin(level) : level;
  };
  const levelNamed = (transaction: Transaction, declared: DeclaredLevel): Level => {
    const own = findOfProduct(declared.name, asked) ?? findLevel(declared.name, defined);
    if (own && sameProduct(own, asked)) return own;
    if (!own || (!isOverride && declared.from !== "sql")) {
      const why = own
        ? mixedProductsText(transaction.name, own, asked)
        : unknownTo(declared.name, defined);
      unknown.push({
        reason: `${why} (checked at ${asked.name})`,
        transactions: [transaction.id],
        file: (declared.source ?? transaction.header).file,
        range: (declared.source ?? transaction.header).range,
      });
    }
    return asked;
  };
  const perTransaction = Object.fromEntries(transactions.map((each) => [each.id, levelOf(each)]));
  const inside: Record<string, Readonly<Record<string, Level>>> = {};
  for (const transaction of transactions) {
    const own = ownEntry(perTransaction, transaction.id) ?? asked;
    for (const { level: declared, source } of atomicIn(transaction.body)) {
      if (!declared) continue;
      const { name, isAtBegin } = namedLevel(declared.name);
      const named =
        name === undefined ? own : (findOfProduct(name, asked) ?? findLevel(name, defined));
      const inner = named && isAtBegin ? snapshotAtBegin(named) : named;
      if (inner === own) continue;
      if (inner?.family === "product" && sameProduct(inner, asked)) {
        setEntry(inside, transaction.id, {
          ...ownEntry(inside, transaction.id),
          [declared.name]: inner,
        });
        continue;
      }
      // If transactions ignore such a level, so do those of a unit.
      if (inner && !sameProduct(inner, asked) && (isOverride || declared.from === "sql")) continue;
      const why = !inner
        ? unknownTo(name ?? "", defined)
        : sameProduct(inner, asked)
          ? `a transaction of ${transaction.name} asks for ${declared.name}, which is not followed inside of what is no single transaction`
          : mixedProductsText(transaction.name, inner, asked);
      unknown.push({
        reason: `${why} (checked at ${own.name})`,
        transactions: [transaction.id],
        file: source.file,
        range: source.range,
      });
    }
  }
  const pairs = asked.family === "paper" ? pairsOfIds(transactions, serializablePairs) : [];
  const own = Object.entries(perTransaction).map(([id, level]) => [id, level.name] as const);
  const isMixed = Object.keys(inside).length > 0;
  const single = pairs.length === 0 && !isMixed && own.every(([, name]) => name === asked.name);
  const mixed = { perTransaction, ...(isMixed && { inside }), serializablePairs: pairs };
  return {
    levels: single ? asked : { family: "mixed", ...mixed },
    reported: {
      default: asked.name,
      perTransaction: Object.fromEntries(own),
      ...(pairs.length > 0 && { serializablePairs: pairs }),
    },
    unknown,
  };
}

/** The transactions of a unit. */
function atomicIn(command: Command): readonly Extract<Command, { kind: "atomic" }>[] {
  switch (command.kind) {
    case "atomic":
      return [command];
    case "sequence":
      return command.commands.flatMap(atomicIn);
    case "if":
      return [command.then, ...(command.otherwise ? [command.otherwise] : [])].flatMap(atomicIn);
    case "loop":
      return atomicIn(command.body);
    case "try":
      return [...atomicIn(command.body), ...atomicIn(command.handler)];
    default:
      return [];
  }
}

/** True for levels that need no search, because all committed runs of these transactions are serializable. */
export function isSerializable(
  levels: Levels,
  { tables, transactions }: Pick<FlatProgram, "tables" | "transactions">,
): boolean {
  const ofProducts = transactions.filter(({ id }) => levelAt(levels, id).family === "product");
  const isTotal = (each: FlatTransaction): boolean => {
    const level = levelAt(levels, each.id);
    return (
      each.parts === undefined && (level.family === "product" || level.axioms.includes("total"))
    );
  };
  return transactions.every(isTotal) && areCertified(levels, tables, ofProducts);
}

/** Pairs as ids; a name that several files share stands for each of them. */
function pairsOfIds(
  transactions: readonly Transaction[],
  named: readonly SerializablePair[],
): readonly SerializablePair[] {
  const idsOf = (name: string): readonly string[] => {
    const byId = transactions.filter((each) => each.id === name);
    const found = byId.length > 0 ? byId : transactions.filter((each) => each.name === name);
    return found.map((each) => each.id);
  };
  const pairs = named.flatMap(([a, b]) =>
    idsOf(a).flatMap((one) =>
      idsOf(b).map((other): SerializablePair => (one < other ? [one, other] : [other, one])),
    ),
  );
  return [...new Map(pairs.map((pair) => [pair.join("\n"), pair])).values()];
}

/** SQL's own spelling (`SERIALIZABLE`) means the level of the product at hand. */
function findOfProduct(name: string, asked: Level): Level | undefined {
  return asked.family === "product" ? findLevel(`${asked.product}:${name}`) : undefined;
}

/** The reason why a declared level is unknown; a level computed in code has no name. */
function unknownTo(name: string, defined: Parameters<typeof unknownLevelText>[1]): string {
  return name === ""
    ? "the level that the code asks for is not known"
    : unknownLevelText(name, defined);
}
