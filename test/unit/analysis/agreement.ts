// A small program's verdict at a product's level by the search, beside that of exhaustive enumeration over the store,
// which shares no code with the encodings: all interleavings from some states at the start, and from those of the
// search's own witnesses.
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import type {
  FlatProgram,
  FlatTransaction,
} from "../../../server/src/analysis/operations/operation";
import { planPapers, solvePapers } from "../../../server/src/analysis/search/literature/backend";
import { planProduct, solveProduct } from "../../../server/src/analysis/search/products/backend";
import { openZ3 } from "../../../server/src/engine/z3";
import { productLevelAt, type Levels } from "../../../server/src/isolation/mixedLevels";
import type { Program } from "../../../server/src/program/program";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { Severity } from "../../../server/src/protocol/report";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import type { Setup } from "../../../server/src/store/execution";
import { freshValues } from "../../../server/src/store/freshValues";
import { runEveryOrder } from "../../../server/src/store/run";
import { COMMITTED, type Run } from "../../../server/src/store/runRecord";
import { observedOf, outcomeOf } from "../../../server/src/store/toExecution";

/** The difference from every serial order, or that there is none. */
export type Worst = Severity | "none";

export interface Agreement {
  /** By enumeration. */
  readonly shown: Worst;
  /** By the search, confirmed. */
  readonly claimed: Worst;
  /**
   * The same; an anomaly that the search does not have, or has as a less severe one; one that no interleaving shows.
   * Where the search says that it could not confirm or decide something, it has not called the program safe: such
   * answers are `unconfirmed` and `unknown`, also where there is nothing to find.
   */
  readonly kind: "same" | "missed" | "weaker" | "false" | "unconfirmed" | "unknown";
  /** Reasons of the search for what it could not confirm or decide, and why enumeration was cut short. */
  readonly reasons: readonly string[];
}

const solvers = openZ3();
const SEVERITIES: readonly Worst[] = ["none", "unused", "value", "state"];
const STARTS = [[1, 2], [5, 5], [6, 0], [7, 1, 3], [-3, 5], [12, 12], [3]];
/** More runs than any of the programs has at one start. */
const RUNS = 4000;

/** Compares the verdicts on one instance each of `transactions` (indexes into the program's), at most three. */
export async function compareVerdicts(
  program: Program,
  levels: Levels,
  transactions: readonly number[],
  unroll = 1,
): Promise<Agreement> {
  const flat = flattenProgram(program, { unroll });
  const search = await searched(program, flat, levels, transactions);
  const instances = transactions.flatMap((each, at) => {
    const id = program.transactions[each]?.id;
    return id === undefined
      ? []
      : [{ instance: `T${String(at + 1)}`, transaction: id, arguments: {} }];
  });
  let shown: Worst = "none";
  const reasons = [...search.reasons];
  const look = (setup: Setup): void => {
    if (shown === "state") return;
    const found = enumerated(program, levels, setup);
    shown = severer(shown, found.worst);
    reasons.push(...found.reasons);
  };
  const most = mostRows(transactions.flatMap((each) => flat.transactions[each] ?? []));
  for (const start of STARTS.filter(({ length }) => length <= most))
    look({ instances, initial: { t: start.map((v, at) => ({ id: at + 1, v })) } });
  for (const { setup, severity } of search.witnesses)
    if (severer(shown, severity) !== shown) look(setup);
  const { claimed } = search;
  return { shown, claimed, kind: kindOf(shown, search), reasons };
}

/** The search's verdict alone, also at the papers' levels: "unknown" where it could not decide or confirm. */
export async function verdictOf(
  program: Program,
  levels: Levels,
  transactions: readonly number[],
): Promise<Worst | "unknown"> {
  const flat = flattenProgram(program, { unroll: 1 });
  const { claimed, reasons } = await searched(program, flat, levels, transactions);
  return claimed === "none" && reasons.length > 0 ? "unknown" : claimed;
}

/** The rows that the search takes to be enough at the start: those that statements name, and two more. */
function mostRows(transactions: readonly FlatTransaction[]): number {
  const keys = transactions.flatMap((each) =>
    each.operations.map(({ key }) =>
      Object.values(key).flatMap((term) => (term.kind === "int" ? term.value : [])),
    ),
  );
  return 2 + new Set(keys.flat()).size;
}

function severer<S extends Worst>(a: S, b: S): S {
  return SEVERITIES.indexOf(b) > SEVERITIES.indexOf(a) ? b : a;
}

export interface Searched {
  /** The severest of what the store confirmed. */
  readonly claimed: Worst;
  /** Where what was confirmed starts from. */
  readonly witnesses: readonly { readonly setup: Setup; readonly severity: Worst }[];
  readonly undecided: boolean;
  readonly unconfirmed: boolean;
  readonly reasons: readonly string[];
}

/** The search's answer on one instance each of `transactions`. */
export async function searched(
  program: Program,
  flat: FlatProgram,
  levels: Levels,
  transactions: readonly number[],
): Promise<Searched> {
  const limits = { resourceLimit: 3_000_000, maxFindings: 5, stopped: () => false };
  const wanted = [...transactions].sort().join(" ");
  let claimed: Worst = "none";
  const witnesses: { readonly setup: Setup; readonly severity: Worst }[] = [];
  const undecided: string[] = [];
  const unconfirmed: string[] = [];
  const isPaper = levels.family === "paper";
  const units = isPaper
    ? planPapers(flat, levels, transactions.length)
    : planProduct(flat, levels, transactions.length);
  for (const unit of units) {
    if ([...unit.transactions].sort().join(" ") !== wanted) continue;
    const asked =
      transactions.length === 3 ? [unit, { ...unit, evenPartly: true as const }] : [unit];
    const factory = await solvers;
    const solve = isPaper ? solvePapers : solveProduct;
    const results = asked.map((each) => solve(factory, program, flat, levels, each, limits));
    undecided.push(...results.flatMap((result) => result.undecided));
    for (const { confirmation } of results.flatMap((result) => result.findings)) {
      const { status, severity = "none", witness, reason = "" } = confirmation;
      if (status === "unconfirmed") unconfirmed.push(reason);
      else {
        claimed = severer<Worst>(claimed, severity);
        witnesses.push({ setup: witness, severity });
      }
    }
  }
  return {
    claimed,
    witnesses,
    undecided: undecided.length > 0,
    unconfirmed: unconfirmed.length > 0,
    reasons: [...undecided, ...unconfirmed],
  };
}

function kindOf(shown: Worst, search: Searched): Agreement["kind"] {
  const { claimed, undecided, unconfirmed } = search;
  if (severer(shown, claimed) !== shown) return "false";
  if (claimed !== "none") return shown === claimed ? "same" : "weaker";
  if (undecided) return "unknown";
  if (unconfirmed) return "unconfirmed";
  return shown === "none" ? "same" : "missed";
}

/** The worst severity over all interleavings from one state. */
export function enumerated(
  program: Program,
  levels: Levels,
  setup: Setup,
): { readonly worst: Worst; readonly reasons: readonly string[] } {
  const transactions = new Map(setup.instances.map((each) => [each.instance, each.transaction]));
  const levelOf = (instance: string, declared?: string) =>
    productLevelAt(levels, transactions.get(instance) ?? "", declared);
  const { runs, complete, leftOut } = enumerateProduct(program, setup, levelOf, RUNS);
  const worst = runs.map(makeJudge(program, setup)).reduce<Worst>(severer, "none");
  const reasons = leftOut.map((reason) => `not enumerated: ${reason}`);
  return { worst, reasons: complete ? reasons : [...reasons, "enumeration was cut short"] };
}

/**
 * The severity of runs from one state: against every serial order of all instances and, where some rolled themselves
 * back, of those that committed alone.
 */
function makeJudge(program: Program, setup: Setup): (run: Run) => Worst {
  const fresh = freshValues(setup);
  const all = setup.instances.map((each) => each.instance);
  const serialOf = new Map<string, readonly Run[]>();
  const ordersOf = (names: readonly string[]): readonly Run[] => {
    const known = serialOf.get(names.join(" "));
    if (known !== undefined) return known;
    const made = runEveryOrder(program, setup, names, fresh).map((each) => each.run);
    serialOf.set(names.join(" "), made);
    return made;
  };
  const judged = new Map<string, Worst>();
  return (run) => {
    const committed = all.filter((name) => ownEntry(run.status, name) === COMMITTED);
    const own = viewsOf(run, committed);
    const text = `${committed.join(" ")} ${own.join(" ")}`;
    const known = judged.get(text);
    if (known !== undefined) return known;
    const references = [
      ...ordersOf(all),
      ...(committed.length < all.length ? ordersOf(committed) : []),
    ];
    let like = references.map((each) => viewsOf(each, committed));
    let worst: Worst = "none";
    for (const [at, severity] of (["state", "value", "unused"] as const).entries()) {
      like = like.filter((each) => each[at] === own[at]);
      if (like.length > 0) continue;
      worst = severity;
      break;
    }
    judged.set(text, worst);
    return worst;
  };
}

/** Final rows, what callers were given, and all that was observed, each as text. */
function viewsOf(run: Run, committed: readonly string[]): readonly string[] {
  const { final, status, returned } = outcomeOf(run);
  const observed = observedOf(run);
  return [
    JSON.stringify(
      Object.values(final).map((rows) => rows.map((row) => JSON.stringify(row)).sort()),
    ),
    JSON.stringify(committed.map((name) => [ownEntry(status, name), ownEntry(returned, name)])),
    JSON.stringify(committed.map((name) => ownEntry(observed, name))),
  ];
}
