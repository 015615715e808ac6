// Witnesses by refinement: the store runs a model; if a serial order has the same outcome, the solver learns that order and is asked again.
// Most cycles need few or none of the n! serial orders, which are the expensive part of a query.
import type { Levels } from "../../../isolation/mixedLevels";
import type { Program } from "../../../program/program";
import type { Confirmation, WitnessPlan } from "../../../store/execution";
import { DIFFERS, DIFFERS_STATE } from "../../encoding/relational/encoding";
import type { RelationalEncoding } from "../../encoding/relational/encoding";
import { FEW_PREFERENCES, PREFERENCES } from "../../encoding/relational/readable";
import { instanceName } from "../readModel";
import { decodePapers } from "./decode";
import { blockCycle, cycleOfModel } from "./groups";
import type { LevelVector, SearchedLevel } from "./levels";
import type { Queries } from "./queries";

/** Runs a plan and reports what it shows. */
export type Judge = (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;

/** The store's judgement of a model, and the level that the model satisfies. */
export interface Judgement {
  readonly confirmation: Confirmation;
  readonly level: SearchedLevel;
}

/** The required difference from every serial order: in the final rows, also in returned values, or in anything. */
export type Difference = "state" | "value" | "anything";

export interface WitnessRequest {
  /** Assumptions that the witness must satisfy. */
  readonly context: readonly string[];
  /** The level that the model must satisfy ... */
  readonly level: SearchedLevel;
  /** ... and the weaker or equal level at which the store runs it. */
  readonly judgedAt: SearchedLevel;
  readonly wanted: Difference;
  /** Receives what is learnt about levels on the way. */
  readonly vector: LevelVector;
  /** The budget of unsuccessful models, shared by all requests of one group of cycles. */
  readonly patience: { left: number };
}

export interface Witnesses {
  readonly encoding: RelationalEncoding;
  readonly queries: Queries;
  /**
   * A witness that the store confirms with at least the wanted severity, else one that it could not run. If there is no other, "state" also
   * returns a confirmed one of lower severity. Undefined if there is none.
   */
  find(request: WitnessRequest): Judgement | undefined;
  /** The assumption that results differ from the serial orders learnt so far; none before the first. */
  differing(): readonly string[];
  /** True if cycles were excluded after one execution that matched a serial order; other executions of them may differ. */
  setAside(): boolean;
  /** A confirmed witness found on the way that differs only in reads nobody uses. */
  unused(): Judgement | undefined;
}

export interface WitnessSource {
  readonly program: Program;
  readonly encoding: RelationalEncoding;
  readonly queries: Queries;
  readonly judge: Judge;
}

/** Models per query before it is given up; those that teach a new serial order do not count. */
const TRIES = 3;

/** Serial orders that the solver learns for a larger tuple before a lesser witness is accepted, ... */
const MOST_ORDERS = 2;
/** ... and before one that differs only in unused reads is. */
const MOST_ORDERS_UNUSED = 6;

/** Unsuccessful models per group of cycles; after these the store evidently does not follow the encoding. */
export const PATIENCE = 8;

/** Opens the witness search of an encoding that the solver has loaded. */
export function openWitnesses({ program, encoding, queries, judge }: WitnessSource): Witnesses {
  const orders = new Set<string>();
  let preferred = false;
  let unused: Judgement | undefined;
  let setAside = false;

  const goalOf = (wanted: Difference): readonly string[] => {
    if (orders.size === 0 || wanted === "anything") return [];
    return [wanted === "state" ? DIFFERS_STATE : DIFFERS];
  };

  /** Teaches the solver a serial order with the same outcome as the run; true if it was new. */
  const learn = (agreeing: readonly (readonly string[])[]): boolean => {
    // One order at a time: the next model usually differs from the others as well.
    const order = agreeing.find((each) => !orders.has(each.join(" ")));
    if (order === undefined) return false;
    orders.add(order.join(" "));
    const numbers = new Map(
      encoding.instances.map(({ index }): [string, number] => [instanceName(index), index]),
    );
    queries.add(encoding.differFrom(order.flatMap((name) => numbers.get(name) ?? [])));
    return true;
  };

  /** True if there is a model; the most readable one is current. */
  const ask = ({ context, level, wanted, vector }: WitnessRequest): boolean => {
    if (!preferred) queries.add(encoding.preferences());
    preferred = true;
    const goal = [...context, ...goalOf(wanted), ...level.assumptions];
    let possible = false;
    const refused: (readonly string[])[] = [];
    // With several serial orders queries are hard, so fewer preferences are tried.
    const preferences = orders.size < 2 ? PREFERENCES : FEW_PREFERENCES;
    for (const preference of preferences) {
      const last = preference.length === 0;
      if (refused.some((core) => core.every((literal) => preference.includes(literal)))) continue;
      const answer = (last ? queries.ask : queries.tryOut)([...goal, ...preference]);
      if (answer === "sat") return true;
      if (answer === "unknown") continue;
      const core = new Set(queries.core());
      const blamed = preference.filter((literal) => core.has(literal));
      if (blamed.length > 0) {
        refused.push(blamed);
        // The model without preferences is only asked for if one can exist.
        possible ||= queries.ask(goal) !== "unsat";
        if (possible) continue;
      }
      const why = new Set(queries.core());
      if (!why.has(DIFFERS_STATE)) vector.refuse(why, level);
      return false;
    }
    return false;
  };

  return {
    encoding,
    queries,
    differing: () => goalOf("value"),
    unused: () => unused,
    setAside: () => setAside,
    find: (request) => {
      const { wanted, level, judgedAt, patience } = request;
      let lesser: Judgement | undefined;
      let tries = 0;
      while (tries < TRIES && patience.left > 0 && !queries.stopped()) {
        if (!ask(request)) break;
        const model = queries.model();
        const cycle = cycleOfModel(encoding, model);
        const confirmation = judge(
          program,
          judgedAt.levels,
          decodePapers(program, encoding, model),
        );
        const judged = { confirmation, level };
        const { severity, status, agreeing } = confirmation;
        if (status === "confirmed") {
          if (severity === "unused") unused ??= judged;
          else if (lesser?.confirmation.status !== "confirmed") lesser = judged;
          if (isEnough(severity, wanted)) return judged;
        } else if (!isBenign(confirmation)) lesser ??= judged;
        // With three or more transactions each further order costs seconds, and this cycle has a witness already.
        const isShown = lesser?.confirmation.status === "confirmed";
        const enough = isShown ? MOST_ORDERS : MOST_ORDERS_UNUSED;
        if (encoding.instances.length > 2 && orders.size >= enough && (isShown || unused)) break;
        const same = wanted === "state" ? agreeing?.state : agreeing?.values;
        if (wanted !== "anything" && learn(same ?? [])) continue;
        blockCycle(queries, cycle);
        setAside ||= isBenign(confirmation);
        tries += 1;
        patience.left -= 1;
      }
      return lesser;
    },
  };
}

function isEnough(severity: Confirmation["severity"], wanted: Difference): boolean {
  if (severity === "state" || wanted === "anything") return true;
  return severity === "value" && wanted === "value";
}

/** True if it ran and matched a serial order. */
function isBenign(confirmation: Confirmation): boolean {
  return confirmation.execution !== undefined && confirmation.severity === undefined;
}
