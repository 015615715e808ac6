// Proof that a program is serializable for any number of transactions: first restrictions, then the schemes, cheapest first. The answer is
// plain data about the flat program; `service/` makes sentences of it.
import type { Levels } from "../../isolation/mixedLevels";
import type { SolverFactory } from "../../solver/solver";
import type { StaticEdge } from "../encoding/relational/edges";
import type { FlatProgram } from "../operations/operation";
import type { SearchLimits } from "../search/unit";
import type { Obstacle, ObstacleStep, ProofAnswer } from "./answer";
import { createAsker } from "./asker";
import type { Asker } from "./asker";
import { testGraph } from "./graphTest";
import type { GraphTest } from "./graphTest";
import { mayBeInTheWay, proveInductively } from "./inductive";
import type { Chain } from "./chains";
import type { Induction } from "./inductive";
import { proveLemmas, withTheirGrounds } from "./lemmas";
import { withRemedies } from "./remedies";
import { reusedKeys } from "./reusedKeys";
import { restrictionsOf } from "./restrictions";
import { settingOf } from "./setting";
import type { Setting } from "./setting";
import { proveByShortestPaths } from "./shortestPath";
import type { Statements } from "./splitQuestion";
import { mayBeSplit, proveBySplits, statementsOf } from "./splits";

/** Limit of reported chains of the graph test. */
const MOST_CHAINS = 6;

/** Limits of shortest-path queries, which are quadratic in the operations. */
const PATHS = { longest: 3, sequences: 24, operations: 16 };

const NOTHING: ReadonlySet<string> = new Set();

interface ProveOptions {
  /** Names of assumptions and lemmas that the proof must not use. */
  readonly without?: ReadonlySet<string>;
  /** True if only the existence of a proof matters: the first obstacle ends it, and no advice is computed. */
  readonly brief?: boolean;
}

/** Limit of obstacles: one decides, a few help to see why. */
const MOST_OBSTACLES = 6;

/** Tries to prove the program serializable at the levels. SolverError propagates. */
export function prove(
  solvers: SolverFactory,
  flat: FlatProgram,
  levels: Levels,
  limits: SearchLimits,
  { without = NOTHING, brief = false }: ProveOptions = {},
): ProofAnswer {
  const most = brief ? 1 : MOST_OBSTACLES;
  const restrictions = restrictionsOf(flat, levels);
  const nothing = { obstacles: [], queries: 0, open: flat.transactions.map((_, at) => at) };
  if (restrictions.length > 0) return { kind: "blocked", restrictions, ...nothing };
  const graph = testGraph(flat, levels);
  if (graph.isSafe) return { kind: "proved", scheme: "graph", assumed: [], queries: 0 };
  const found = settingOf(flat, levels, without);
  const asker = createAsker(solvers, limits);
  if ("reason" in found) {
    const statements = statementsOf(flat, levels);
    if (statements) return bySplits(asker, flat, levels, statements, graph, { without, brief });
    const obstacles = graph.chains.slice(0, MOST_CHAINS).map(obstacleOf);
    const reason = obstacles.length === 0 && { reason: found.reason };
    return { kind: "blocked", restrictions: [], ...nothing, obstacles, ...reason };
  }
  const lemmas = proveLemmas(asker, found.setting);
  const reused = reusedKeys(asker, { ...found.setting, lemmas });
  const induction = proveInductively(asker, { ...found.setting, lemmas }, most);
  const queries = asker.count();
  const remedy = (obstacle: Obstacle): Obstacle => {
    if (brief) return obstacle;
    return withRemedies(flat, levels, obstacle, (changed) => {
      const again = settingOf(changed, levels, without);
      if ("reason" in again) return true;
      return mayBeInTheWay(asker, { ...again.setting, lemmas }, obstacle, induction.readersEarly);
    });
  };
  if (reused.restrictions.length > 0) {
    const reason = asker.unanswered();
    if (reason !== undefined) return { kind: "unknown", reason, queries };
    const answer = blockedBy(asker, induction, remedy);
    return answer.kind === "blocked" ? { ...answer, restrictions: reused.restrictions } : answer;
  }
  if (induction.open.length === 0) {
    const { ordered, refuted, readersEarly } = induction;
    const assumed = withTheirGrounds([...induction.assumed, ...reused.assumed], lemmas);
    return {
      kind: "proved",
      scheme: "induction",
      induction: { ordered, refuted, readersEarly },
      assumed,
      queries,
    };
  }
  const paths = pathsOf(asker, { ...found.setting, lemmas }, induction);
  if (!paths) return blockedBy(asker, induction, remedy);
  const assumed = withTheirGrounds(
    [...induction.assumed, ...paths.assumed, ...reused.assumed],
    lemmas,
  );
  const { length } = paths;
  return { kind: "proved", scheme: "shortest path", length, assumed, queries: asker.count() };
}

/** Applies shortest paths to the groups that the induction left open; undefined if one of them is not proved. */
function pathsOf(asker: Asker, setting: Setting, { groups, obstacles }: Induction) {
  // A possible cycle of two rules this scheme out as well.
  if (obstacles.some(({ closed, unanswered }) => closed && unanswered === undefined))
    return undefined;
  let length = 1;
  const assumed: string[] = [];
  for (const group of groups) {
    if (group.length > FEW && operationsOf(setting, group) > PATHS.operations) return undefined;
    const paths = proveByShortestPaths(asker, setting, group, PATHS);
    if (paths.kind !== "proved") return undefined;
    length = Math.max(length, paths.length);
    assumed.push(...paths.assumed);
  }
  return { length, assumed };
}

/** Up to this many transactions the sequences are few, whatever the number of operations. */
const FEW = 3;

function operationsOf({ flat }: Setting, group: readonly number[]): number {
  return group.flatMap((at) => flat.transactions[at]?.operations ?? []).length;
}

/** The scheme for levels with a snapshot per statement. */
function bySplits(
  asker: Asker,
  flat: FlatProgram,
  levels: Levels,
  statements: Statements,
  graph: GraphTest,
  { without = NOTHING, brief = false }: ProveOptions,
): ProofAnswer {
  const most = brief ? 1 : MOST_OBSTACLES;
  const { refuted, assumed, obstacles } = proveBySplits(
    asker,
    statements,
    graph.open,
    without,
    most,
  );
  if (obstacles.length > 0)
    return blockedBy(asker, { obstacles, open: graph.open.flat() }, (obstacle) => {
      if (brief) return obstacle;
      return withRemedies(flat, levels, obstacle, (changed) => {
        const again = statementsOf(changed, levels);
        return !again || mayBeSplit(asker, again, obstacle.members, without);
      });
    });
  const queries = asker.count();
  const moments = { refuted };
  return { kind: "proved", scheme: "induction", moments, assumed: [...assumed].sort(), queries };
}

function blockedBy(
  asker: Asker,
  { obstacles, open }: Pick<Induction, "obstacles" | "open">,
  remedy: (obstacle: Obstacle) => Obstacle,
): Exclude<ProofAnswer, { readonly kind: "proved" }> {
  const shown = obstacles.filter(({ unanswered }) => unanswered === undefined);
  const [missing] = obstacles;
  if (shown.length === 0 && missing?.unanswered !== undefined)
    return { kind: "unknown", reason: missing.unanswered, queries: asker.count() };
  const told = shown.map((chain) => remedy(obstacleOf(chain)));
  return { kind: "blocked", restrictions: [], obstacles: told, open, queries: asker.count() };
}

function obstacleOf({ members, edges, closed }: Chain): Obstacle {
  return { members, closed, steps: edges.map(stepOf) };
}

function stepOf({ dependency, table, columns, from, to }: StaticEdge): ObstacleStep {
  return {
    dependency,
    table,
    columns,
    from: from.operation.statement,
    to: to.operation.statement,
  };
}
