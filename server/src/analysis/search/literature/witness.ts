// Witnesses by refinement: a model is run by the store; where a serial order gives the same, the solver is told that
// order and asked again. Most cycles need no or few of the n! serial orders, which are the costly part of a question.
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

/** Runs a plan and says what it shows. */
export type Judge = (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;

/** Judgement of the store on a model, and the level that the model keeps to. */
export interface Judgement {
  readonly confirmation: Confirmation;
  readonly level: SearchedLevel;
}

/** Part that is to differ from every serial order: the final rows, also what callers receive, or anything at all. */
export type Difference = "state" | "value" | "anything";

export interface WitnessRequest {
  /** Assumptions that the witness keeps to. */
  readonly context: readonly string[];
  /** The level that the model keeps to ... */
  readonly level: SearchedLevel;
  /** ... and the weaker or equal one at which the store runs it. */
  readonly judgedAt: SearchedLevel;
  readonly wanted: Difference;
  /** Learns what is found out about levels on the way. */
  readonly vector: LevelVector;
  /** Shared by all requests about one group of cycles: models that showed nothing and may still come. */
  readonly patience: { left: number };
}

export interface Witnesses {
  readonly encoding: RelationalEncoding;
  readonly queries: Queries;
  /**
   * A witness that the store confirms, with at least the wanted severity; else one that it could not run. A weaker
   * confirmed one is returned for "state" as well when there is no other. Undefined when there is none.
   */
  find(request: WitnessRequest): Judgement | undefined;
  /** The assumption that results differ from the serial orders that are known so far; nothing before the first. */
  differing(): readonly string[];
  /** Cycles were set aside after one execution that a serial order gives as well; others of theirs may differ. */
  setAside(): boolean;
  /** A confirmed witness seen on the way that differs only in reads that nobody uses. */
  unused(): Judgement | undefined;
}

export interface WitnessSource {
  readonly program: Program;
  readonly encoding: RelationalEncoding;
  readonly queries: Queries;
  readonly judge: Judge;
}

/** Models that are tried per question before it is given up; those that teach a new serial order do not count. */
const TRIES = 3;

/** Serial orders that are told to the solver of a larger tuple before a lesser witness is enough, ... */
const MOST_ORDERS = 2;
/** ... and before one is that differs only in reads that nobody uses. */
const MOST_ORDERS_UNUSED = 6;

/** Models that are tried per group of cycles: where so many show nothing, the store does not follow the encoding. */
export const PATIENCE = 8;

/** Opens the search for witnesses of one encoding, whose text the solver has. */
export function openWitnesses({ program, encoding, queries, judge }: WitnessSource): Witnesses {
  const orders = new Set<string>();
  let preferred = false;
  let unused: Judgement | undefined;
  let setAside = false;

  const goalOf = (wanted: Difference): readonly string[] => {
    if (orders.size === 0 || wanted === "anything") return [];
    return [wanted === "state" ? DIFFERS_STATE : DIFFERS];
  };

  /** Tells the solver the serial orders that the run could not be told from; whether any was new. */
  const learn = (agreeing: readonly (readonly string[])[]): boolean => {
    // One at a time: the next model mostly differs from the others as well.
    const order = agreeing.find((each) => !orders.has(each.join(" ")));
    if (order === undefined) return false;
    orders.add(order.join(" "));
    const numbers = new Map(
      encoding.instances.map(({ index }): [string, number] => [instanceName(index), index]),
    );
    queries.add(encoding.differFrom(order.flatMap((name) => numbers.get(name) ?? [])));
    return true;
  };

  /** True if there is a model, the most readable one. */
  const ask = ({ context, level, wanted, vector }: WitnessRequest): boolean => {
    if (!preferred) queries.add(encoding.preferences());
    preferred = true;
    const goal = [...context, ...goalOf(wanted), ...level.assumptions];
    let possible = false;
    const refused: (readonly string[])[] = [];
    // Beside several serial orders questions are hard.
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
        // True if a less readable model is worth asking for.
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
        // With three and more each further order costs seconds, and this cycle is shown already.
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

/** It ran, and some serial order gives the same. */
function isBenign(confirmation: Confirmation): boolean {
  return confirmation.execution !== undefined && confirmation.severity === undefined;
}
