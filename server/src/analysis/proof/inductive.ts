// Serializability by induction along arbitration (Nagar and Jagannathan, CONCUR 2018, 5.3): the first transaction of a cycle has two
// predecessors that come later, so without such a chain of three and a cycle of two there is no cycle.
import { staticEdges } from "../encoding/relational/edges";
import { openInstances } from "./accesses";
import type { Asker } from "./asker";
import { chainOf, isPossible } from "./chains";
import type { Chain, ChainSession, Step } from "./chains";
import { cyclicGroups } from "./cyclicGroups";
import { beforeLiteral, encodeQuestion, unseenLiteral } from "./question";
import type { Setting } from "./setting";

/** Possible dependencies between pairs of transactions at the current levels, whatever else runs. */
type PairTable = (from: number, to: number) => PairFacts;

export interface OrderedSet {
  readonly members: readonly number[];
  readonly forward: boolean;
}

export interface Induction {
  /**
   * Sets of transactions in the order of their removal. `forward`: every transaction that depends on one of them is arbitrated after it,
   * directly and over any path among the remaining ones; else no chain of three among them ends in the one that is arbitrated first.
   */
  readonly ordered: readonly OrderedSet[];
  /** Chains that prevent the removal of the remaining transactions. */
  readonly obstacles: readonly Chain[];
  /** Transactions that may lie on a cycle, as far as this scheme can tell. */
  readonly open: readonly number[];
  /** The same by groups: no cycle connects two groups. */
  readonly groups: readonly (readonly number[])[];
  /** The numbers of refuted chains of two and of three. */
  readonly refuted: { readonly pairs: number; readonly triples: number };
  readonly readersEarly: boolean;
  /** Names of assumptions that some refutation needed. */
  readonly assumed: ReadonlySet<string>;
}

/** Runs the scheme, and tries the stronger placement of readers if the plain order leaves obstacles. Stops after `mostObstacles`. */
export function proveInductively(asker: Asker, setting: Setting, mostObstacles: number): Induction {
  const plain = induct(asker, setting, { readersEarly: false, mostObstacles });
  if (plain.open.length === 0 || !setting.axioms.has("prefix")) return plain;
  const early = induct(asker, setting, { readersEarly: true, mostObstacles });
  return early.open.length === 0 || early.obstacles.length < plain.obstacles.length ? early : plain;
}

function induct(
  asker: Asker,
  setting: Setting,
  {
    readersEarly,
    mostObstacles,
  }: { readonly readersEarly: boolean; readonly mostObstacles: number },
): Induction {
  const session: Session = {
    asker,
    setting,
    readersEarly,
    refuted: { pairs: 0, triples: 0 },
    assumed: new Set(),
  };
  const all = setting.flat.transactions.map((_, at) => at);
  const table = pairFacts(session);
  const ordered: OrderedSet[] = [];
  const obstacles: Chain[] = [];
  const groups: (readonly number[])[] = [];
  for (const group of cyclicGroups(all, (from, to) => table(from, to).depends)) {
    if (obstacles.length >= mostObstacles) {
      groups.push(group);
      continue;
    }
    const found = obstaclesAmong(session, table, group, mostObstacles);
    if (found.length === 0) continue;
    obstacles.push(...found);
    groups.push(group);
  }
  const open = groups.flat().sort((a, b) => a - b);
  // The sets are reported for proved programs: they explain the order.
  let left = all.filter((each) => !open.includes(each));
  for (;;) {
    const now = left;
    const connected = now.filter((a) =>
      now.some((b) => table(a, b).depends || table(b, a).depends),
    );
    if (connected.length === 0) break;
    const next = connected.filter((a) => now.every((b) => !table(a, b).reverses));
    if (next.length === 0) {
      ordered.push({ members: connected, forward: false });
      break;
    }
    ordered.push({ members: next, forward: true });
    left = now.filter((each) => !next.includes(each));
  }
  return {
    ordered,
    obstacles,
    open,
    groups,
    refuted: session.refuted,
    readersEarly,
    assumed: session.assumed,
  };
}

interface Session extends ChainSession {
  readonly asker: Asker;
}

function before([first, second]: Step): string {
  return beforeLiteral(first, second);
}

/** Possible dependencies between two transactions, or between two instances of one. */
interface PairFacts {
  readonly depends: boolean;
  /** True if the second may depend on the first without seeing it: by overwriting what the first read. */
  readonly unseen: boolean;
  readonly reverses: boolean;
  /** A cycle of the two in which the second is arbitrated first. */
  readonly closed: Chain | undefined;
}

const NO_FACTS: PairFacts = {
  depends: false,
  unseen: false,
  reverses: false,
  closed: undefined,
};

/** The facts of all pairs; each pair is encoded once, when one of its directions is first needed. */
function pairFacts(session: Session): (from: number, to: number) => PairFacts {
  const { asker, setting } = session;
  const known = new Map<string, readonly [PairFacts, PairFacts]>();
  const learn = (a: number, b: number): readonly [PairFacts, PairFacts] => {
    if (!mayMeet(setting, a, b)) return [NO_FACTS, NO_FACTS];
    const question = encodeQuestion(
      setting,
      [a, b],
      [
        [0, 1],
        [1, 0],
      ],
    );
    const opened = asker.open(question.text);
    try {
      const about = { question, check: opened.ask, members: [a, b] };
      const direction = (step: Step, back: Step): Omit<PairFacts, "closed"> => {
        const may = (...wanted: readonly string[]): boolean =>
          isPossible(session, { ...about, steps: [step], wanted });
        const [from, to] = step;
        // The one that is arbitrated first sees nothing of the other.
        const reverses = may(before(back));
        const unseen = reverses || may(unseenLiteral(to, from));
        return { reverses, unseen, depends: unseen || may(before(step)) };
      };
      const there = direction([0, 1], [1, 0]);
      const back = a === b ? there : direction([1, 0], [0, 1]);
      const both: readonly Step[] = [
        [0, 1],
        [1, 0],
      ];
      const closed = (facts: typeof there, other: typeof there, first: Step) =>
        facts.reverses && other.depends
          ? chainOf(session, { ...about, steps: both, wanted: [before(first)] })
          : undefined;
      return [
        { ...there, closed: closed(there, back, [1, 0]) },
        { ...back, closed: a === b ? undefined : closed(back, there, [0, 1]) },
      ];
    } finally {
      opened.dispose();
    }
  };
  return (from, to) => {
    const [a, b] = from <= to ? [from, to] : [to, from];
    const key = `${String(a)} ${String(b)}`;
    const facts = known.get(key) ?? learn(a, b);
    known.set(key, facts);
    return from <= to ? facts[0] : facts[1];
  };
}

/** True if the texts allow any dependency at all. */
function mayMeet({ flat }: Setting, a: number, b: number): boolean {
  const [first, second] = openInstances(flat, [a, b]);
  if (first === undefined || second === undefined) return false;
  return staticEdges(first, second).length > 0 || staticEdges(second, first).length > 0;
}

function obstaclesAmong(
  session: Session,
  table: PairTable,
  group: readonly number[],
  most: number,
): readonly Chain[] {
  const { setting } = session;
  const found: Chain[] = [];
  const reversing = group.flatMap((b) =>
    group.filter((c) => table(b, c).reverses).map((c) => [b, c] as const),
  );
  // Of two that depend on each other, the one that is arbitrated later misses a write of the earlier.
  for (const [b, c] of reversing) {
    const { closed } = table(b, c);
    if (closed) found.push(closed);
    if (found.length >= most) return found;
  }
  const isSnapshot = setting.axioms.has("prefix") && setting.axioms.has("noConflict");
  for (const [b, c] of reversing)
    for (const a of group) {
      // If snapshots are prefixes, a transaction that sees the first also sees the last, which precedes it.
      if (isSnapshot ? !table(a, b).unseen : !table(a, b).depends) continue;
      const chain = tripleChain(session, [a, b, c]);
      if (chain) found.push(chain);
      if (found.length >= most) return found;
    }
  return found;
}

/** True if an obstacle is possible in this setting. */
export function mayBeInTheWay(
  asker: Asker,
  setting: Setting,
  { members, closed }: Pick<Chain, "members" | "closed">,
  readersEarly: boolean,
): boolean {
  const refuted = { pairs: 0, triples: 0 };
  const session: Session = { asker, setting, readersEarly, refuted, assumed: new Set() };
  if (!closed) return tripleChain(session, members) !== undefined;
  const [a = 0, b = 0] = members;
  const table = pairFacts(session);
  return table(a, b).closed !== undefined || table(b, a).closed !== undefined;
}

/** The chain of three with its last transaction arbitrated first. */
function tripleChain(session: Session, members: readonly number[]): Chain | undefined {
  const steps: readonly Step[] = [
    [0, 1],
    [1, 2],
  ];
  const question = encodeQuestion(session.setting, members, steps);
  const opened = session.asker.open(question.text);
  try {
    const wanted = [beforeLiteral(2, 0), beforeLiteral(2, 1)];
    return chainOf(session, { question, check: opened.ask, members, steps, wanted });
  } finally {
    opened.dispose();
  }
}
