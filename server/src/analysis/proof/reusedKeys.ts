// Databases whose snapshots are kept by "the first updater wins" look for a key that is to be inserted among the newest
// rows: who inserts a row again that another deleted need not have seen the deletion. The schemes take for granted that
// writers of a row see each other, so they apply only where no key is taken again like this. Here every pair of a deletion
// and an insertion is asked about. That facts about snapshots are used for it is no circle: the first commit that takes
// such a key follows none.
import { tableOf } from "../encoding/relational/instances";
import type { Site } from "../encoding/relational/instances";
import { and, or } from "../encoding/smt";
import type { FlatProgram, FlatTransaction, Operation } from "../operations/operation";
import { FALSE } from "../operations/terms";
import { openInstances, uniqueKeyWrites } from "./accesses";
import type { Restriction } from "./answer";
import type { Asker } from "./asker";
import { releasesLocks } from "./moments";
import { beforeLiteral, encodeQuestion, unseenLiteral } from "./question";
import type { Setting } from "./setting";

interface ReusedKeys {
  /** Insertions that may take a key that another gave up without having seen that; none at the papers' levels. */
  readonly restrictions: readonly Restriction[];
  /** Names of assumptions that it took to rule out others. */
  readonly assumed: ReadonlySet<string>;
}

/** Asks about every pair of a deletion and an insertion. */
export function reusedKeys(asker: Asker, setting: Setting): ReusedKeys {
  const { flat, locks } = setting;
  const assumed = new Set<string>();
  if (!locks) return { restrictions: [], assumed };
  const members = flat.transactions.map((_, at) => at);
  const found = new Map<string, Restriction>();
  for (const taker of members)
    for (const giver of members)
      for (const site of sitesOf(flat, taker)) {
        const reason = whyReused(asker, setting, giver, taker, site, assumed);
        const id = flat.transactions[taker]?.id ?? "";
        if (reason !== undefined) found.set(`${id} ${reason}`, { transaction: id, reason });
      }
  return { restrictions: [...found.values()], assumed };
}

/** True if the second takes a key that the first gives up: the deletion of a row, or another value in a unique key. */
export function takesGivenKey(flat: FlatProgram, giver: Site, taker: Site): boolean {
  const table = tableOf(flat, taker.operation.table);
  if (giver.operation.table !== table.name) return false;
  const gone = giver.operation.kind === "delete";
  if (gone && taker.operation.kind === "insert" && table.primaryKey.length > 0) return true;
  const unique = uniqueKeyWrites(flat, taker).flat();
  return unique.length > 0 && (gone || unique.some((column) => giver.writes.has(column)));
}

function sitesOf(flat: FlatProgram, member: number): readonly Site[] {
  return openInstances(flat, [member])[0]?.sites ?? [];
}

function whyReused(
  asker: Asker,
  setting: Setting,
  giver: number,
  taker: number,
  site: Site,
  assumed: Set<string>,
): string | undefined {
  const { flat } = setting;
  const { table } = site.operation;
  const giving = sitesOf(flat, giver).filter((each) => takesGivenKey(flat, each, site));
  if (giving.length === 0) return undefined;
  const name = flat.transactions[giver]?.id ?? "";
  if (uniqueKeyWrites(flat, site).length > 0)
    return `its unique keys are looked for among the newest rows of ${table}, not in its snapshot, and ${name} gives up such keys`;
  const needed = whyNotReused(asker, setting, giver, taker, site);
  for (const name of needed ?? []) assumed.add(name);
  return needed === undefined
    ? `it may insert a row of ${table} again that ${name} deleted after its snapshot: the database looks for the key among the newest rows`
    : undefined;
}

/**
 * The condition that there is no row that the giver deletes and the taker inserts behind it, without seeing that;
 * undefined where there may be one.
 */
function whyNotReused(
  asker: Asker,
  setting: Setting,
  giver: number,
  taker: number,
  { operation }: Site,
): ReadonlySet<string> | undefined {
  const transaction = setting.flat.transactions[taker];
  if (!transaction) return new Set();
  // Where statements are undone, what came before does not tell what is left of it.
  if (releasesLocks(transaction)) return undefined;
  const transactions = [...setting.flat.transactions, upTo(transaction, operation)];
  const opened: Setting = { ...setting, flat: { ...setting.flat, transactions }, reuse: true };
  const { text, levels, assumptions } = encodeQuestion(
    opened,
    [giver, transactions.length - 1],
    [],
    ([gives, takes]) => {
      const insertion = takes?.instance.sites.find(
        (each) => each.operation.index === operation.index,
      );
      if (!gives || !takes || !insertion) return "true";
      const row = takes.run.row(insertion);
      const deleted = gives.instance.sites
        .filter(
          (each) => each.operation.kind === "delete" && each.operation.table === operation.table,
        )
        .map((each) => gives.run.changes(each, row));
      return and(takes.run.executed(insertion), or(...deleted));
    },
  );
  const literals = [...levels, beforeLiteral(0, 1), unseenLiteral(1, 0)];
  return asker.refuted({ text, literals, assumptions });
}

/** Effect of the transaction when it comes to the insertion, which does not fail for a row of its snapshot. */
function upTo(transaction: FlatTransaction, { index }: Operation): FlatTransaction {
  const { id, parameters, preconditions, losses, forgotten } = transaction;
  return {
    id,
    parameters,
    preconditions,
    losses,
    ...(forgotten && { forgotten }),
    operations: transaction.operations.slice(0, index + 1).map((each) => {
      if (each.index !== index) return each;
      return { ...each, onDuplicate: "nothing" };
    }),
    aborts: FALSE,
    returns: [],
    visible: transaction.visible.filter(({ operation }) => operation < index),
  };
}
