// A violated assertion for people: the execution statement by statement, the cycle that no serial order has, the history for the checker,
// and the levels that prevent it.
import type { AxiomaticLevel, StoreLevel } from "../exploration/exploration";
import { explainNamed } from "../analysis/explain/explain";
import { historyData } from "../history/formats/writeJson";
import type { Level } from "../isolation/levels";
import type { Program } from "../program/program";
import type { ExplorationViolation } from "../protocol/exploration";
import type { Anomaly } from "../protocol/report";
import type { SerialOutcome, Witness } from "../protocol/witness";
import { cycleThrough } from "../store/cycle";
import type { Execution } from "../store/execution";
import type { Assertion } from "./assertions";
import {
  exploreClient,
  valuesOf,
  type BrokenAssertion,
  type ExploreClientOptions,
} from "./exploreClient";
import type { ExplorableClient } from "./explorableClient";
import type { SmallestBreak } from "./minimise";
import { clientHistory } from "./recording";
import { plainTables } from "./rowKeys";
import { executionOf, namesOf, outcomeOf, ownTransactions } from "./story";

export interface Telling {
  readonly cause: ExplorationViolation["cause"];
  /** True if every serial order violates it. */
  readonly every: boolean;
  /** The violation found by exploring the whole client. */
  readonly broken: BrokenAssertion;
  readonly stop: () => boolean;
  readonly turn?: ExploreClientOptions["turn"];
}

/** The report of the smallest execution that violates an assertion. */
export async function violationOf(
  input: { readonly program: Program },
  assertion: Assertion,
  level: Level,
  { client, broken, serial, leftOut }: SmallestBreak,
  telling: Telling,
): Promise<ExplorationViolation> {
  const { cause } = telling;
  const names = namesOf(broken.history);
  const execution = await executionOf(client, broken.history, broken.state);
  const cycle =
    cause === "serial"
      ? []
      : cycleThrough(execution.dependencies, (step) => execution.steps[step]?.instance ?? "");
  const order = ownTransactions(broken.history).transactions.map(({ id }) => names(id));
  const compared =
    cause === "isolation"
      ? await compareLevels(client, assertion, telling)
      : { preventedBy: [], allowedAt: [] };
  const witness: Witness = {
    instances: client.transactions.flat().map(({ instance, name }) => ({
      ...instance,
      instance: name,
      transaction: transactionName(input.program, instance.transaction),
    })),
    initial: plainTables(client.initial),
    schedule: [],
    outcome: execution.outcome,
  };
  const outcomes = serial.outcomes.map(({ history, state }): SerialOutcome => ({
    order: ownTransactions(history).transactions.map(({ id }) => namesOf(history)(id)),
    outcome: outcomeOf(history, valuesOf(state)),
  }));
  const explained = explainNamed(input.program, level, {
    confirmation: {
      status: "confirmed",
      severity: assertion.asksState ? "state" : "value",
      cycle,
      execution,
      serial: outcomes,
      witness,
    },
    tables: tablesOf(execution, cycle),
    ...compared,
  });
  const message = sentence(assertion, level, client, explained, telling, order);
  const anomaly: Anomaly = {
    ...explained,
    ...(cycle.length === 0 && { kind: "broken-assertion" }),
    transactions: client.transactions.flat().map(({ title }) => title),
    message,
  };
  return {
    assertion: assertion.text,
    range: assertion.range,
    cause,
    ...(cause === "serial" && { order: { transactions: order, every: telling.every } }),
    count: telling.broken.count,
    first: telling.broken.first,
    message,
    history: historyData(clientHistory(ownTransactions(broken.history), names)),
    steps: anomaly.steps,
    anomaly,
    leftOut,
  };
}

function sentence(
  assertion: Assertion,
  level: Level,
  client: ExplorableClient,
  explained: Anomaly,
  { cause, every }: Telling,
  order: readonly string[],
): string {
  const who = client.transactions.flat().map(({ title }) => title);
  const what = `"${assertion.text}"`;
  if (cause === "serial") {
    const told =
      order.length < 2
        ? `${who.join("")} alone breaks it`
        : every
          ? "it fails in every serial order"
          : `it fails when they run one after the other: ${order.join(", ")}`;
    return `${what} does not depend on the isolation level: ${told}. A bug of the program, not of isolation.`;
  }
  const why =
    explained.cycle.length === 0
      ? ""
      : ` ${explained.message.charAt(0).toUpperCase()}${explained.message.slice(1)}`;
  const serial = cause === "isolation" ? " and holds in every serial order" : "";
  return `${what} fails at ${level.label}${serial}.${why}`;
}

const COMPARED: readonly AxiomaticLevel[] = [
  "read-committed",
  "read-atomic",
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
];
/** Larger parts take too long to be explored at every level. */
const MOST_COMPARED = 5;

/** The levels at which the part violates the assertion, and those at which it cannot. */
async function compareLevels(
  client: ExplorableClient,
  assertion: Assertion,
  { stop, turn }: Telling,
): Promise<Pick<Anomaly, "preventedBy" | "allowedAt">> {
  const preventedBy: string[] = [];
  const allowedAt: string[] = [];
  if (client.transactions.flat().length > MOST_COMPARED) return { preventedBy, allowedAt };
  for (const level of COMPARED) {
    const asked = { level, stop, first: true, ...(turn && { turn }) };
    const found = await exploreClient(client, [assertion], asked);
    const decided = found.exhausted && found.faults.size === 0 && found.problems.length === 0;
    if (found.broken.size > 0) allowedAt.push(level);
    else if (decided) preventedBy.push(level);
  }
  return { preventedBy, allowedAt };
}

function tablesOf({ dependencies, steps }: Execution, cycle: readonly number[]): readonly string[] {
  const onCycle = cycle.flatMap((at) => dependencies[at]?.table ?? []);
  const written = steps.flatMap(({ writes }) => writes.map(({ table }) => table));
  return [...new Set(onCycle.length > 0 ? onCycle : written)].sort();
}

function transactionName({ transactions }: Program, id: string): string {
  return transactions.find((each) => each.id === id)?.name ?? id;
}

/** The explorer's level of the same name. */
export function exploredName(level: Level): StoreLevel | undefined {
  if (level.family === "product") return level.name;
  return COMPARED.find((each) => each === level.name);
}
