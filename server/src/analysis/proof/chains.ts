// One query about a chain of dependencies, and what its model shows.
import type { StaticEdge } from "../encoding/relational/edges";
import { neededNames } from "./asker";
import type { Answer, Check } from "./asker";
import { READERS_EARLY, dependsLiteral } from "./question";
import type { OpenQuestion } from "./question";
import type { Setting } from "./setting";

/** A chain of dependencies that the proof cannot rule out; members are indexes of transactions. */
export interface Chain {
  readonly members: readonly number[];
  /** The dependency of each step in the model. */
  readonly edges: readonly StaticEdge[];
  /** True if the last one leads back to the first. */
  readonly closed: boolean;
  /** The reason why there is no model. */
  readonly unanswered?: string;
}

/** The shared parts of the queries of one attempt. */
export interface ChainSession {
  readonly setting: Setting;
  readonly readersEarly: boolean;
  /** The numbers of refuted chains of two transactions, and of more. */
  readonly refuted: { pairs: number; triples: number };
  /** Names of assumptions that some refutation needed. */
  readonly assumed: Set<string>;
}

/** Positions of two members of a chain: the second depends on the first. */
export type Step = readonly [number, number];

/** A question about a chain, in a solver that has its text. */
interface ChainQuestion {
  readonly question: OpenQuestion;
  readonly check: Check;
  readonly members: readonly number[];
  readonly steps: readonly Step[];
  /** Literals that must hold beside its dependencies. */
  readonly wanted: readonly string[];
}

/** True if the chain is possible, or not known to be impossible. */
export function isPossible(session: ChainSession, asked: ChainQuestion): boolean {
  return askChain(session, asked, ({ kind }) => kind !== "impossible");
}

/** The chain if it is possible, or not known to be impossible. */
export function chainOf(session: ChainSession, asked: ChainQuestion): Chain | undefined {
  const { question, members, steps } = asked;
  const closed = steps.length === members.length;
  return askChain(session, asked, (answer): Chain | undefined => {
    if (answer.kind === "impossible") return undefined;
    if (answer.kind === "unknown") return { members, edges: [], closed, unanswered: answer.reason };
    const model = answer.model();
    const edges = steps.flatMap(([a, b]) => {
      const shown = question.selectors.filter(
        ({ name, edge }) => edge.from.instance === a && edge.to.instance === b && model.bool(name),
      );
      // The step against arbitration is reported.
      const told = shown.find(({ edge }) => edge.dependency === "rw") ?? shown[0];
      return told ? [told.edge] : [];
    });
    return { members, edges, closed };
  });
}

function askChain<Result>(
  session: ChainSession,
  { question, check, members, steps, wanted }: ChainQuestion,
  use: (answer: Answer) => Result,
): Result {
  const literals = [
    ...question.levels,
    ...(session.readersEarly ? [READERS_EARLY] : []),
    ...steps.map(([a, b]) => dependsLiteral(a, b)),
    ...wanted,
  ];
  const asked = [...literals, ...question.assumptions.map(({ literal }) => literal)];
  return check(asked, (answer) => {
    if (answer.kind === "impossible") {
      if (members.length > 2) session.refuted.triples += 1;
      else session.refuted.pairs += 1;
      for (const name of neededNames(check, literals, question.assumptions, answer.core))
        session.assumed.add(name);
    }
    return use(answer);
  });
}
