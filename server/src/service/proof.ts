// The proof step of a check: reasons that forbid a proof, the question to the solver's worker, and the report of its answer in sentences.
import { flattenProgram } from "../analysis/operations/flatten";
import { invariantName } from "../analysis/encoding/assumptions";
import { EXISTENCE } from "../analysis/encoding/relational/instances";
import { listText } from "../analysis/explain/words";
import type { InductionSummary, Obstacle, ProofAnswer } from "../analysis/proof/answer";
import type { Job } from "../engine/jobs";
import type { SolvePool } from "../engine/pool";
import { keyOfLevels, labelOfLevels, namesOfLevels } from "../isolation/mixedLevels";
import type { Levels } from "../isolation/mixedLevels";
import type { Program } from "../program/program";
import type { Statement, StatementId } from "../program/statement";
import type { ProofEnd, ProofObstacle, ProofReport, ProofStep } from "../protocol/proof";
import type { Unknown } from "../protocol/report";
import { isSerializable } from "./verdict/effectiveLevels";
import { statementsOf } from "./statements";
import { MAX_FINDINGS, RESOURCE_LIMIT } from "./search/tupleSolver";
import type { SolveCache, SolveCounters } from "./search/tupleSolver";
import { digest } from "./search/tuples";

export interface ProofInput {
  /** The searched program, with its decided invariants. */
  readonly program: Program;
  readonly levels: Levels;
  /** Parts that were not understood or left out: they rule out a proof. */
  readonly gaps: readonly Unknown[];
  readonly pool: SolvePool;
  readonly cache: SolveCache;
  readonly counters: SolveCounters;
  readonly unroll: number;
  /** True if the report needs no details of the proof. */
  readonly brief?: boolean;
}

export interface Proof {
  readonly report: ProofReport;
  /** Assumptions by the names of `encoding/assumptions.ts`, with the transactions that rest on them. */
  readonly assumed: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Attempts a proof. Never rejects for bad input; a timeout or a missing solver gives `unknown`. */
export async function proveProgram(input: ProofInput, signal: AbortSignal): Promise<Proof> {
  const { program, levels, gaps } = input;
  const ids = program.transactions.map(({ id }) => id);
  if (gaps.length > 0) return { report: blockedByGaps(gaps), assumed: new Map() };
  const flat = flattenProgram(program, { unroll: input.unroll });
  if (isSerializable(levels, flat)) {
    const text = `At ${labelOfLevels(levels)} whatever commits is as if one transaction ran after the other.`;
    const steps: readonly ProofStep[] = [{ text, transactions: ids }];
    return {
      report: { status: "proved", scheme: "level", steps, obstacles: [], lemmas: [] },
      assumed: new Map(),
    };
  }
  const answer = await ask(input, signal);
  if (typeof answer === "string") return { report: unknownReport(answer), assumed: new Map() };
  const names = answer.kind === "proved" ? answer.assumed : [];
  const everyone = new Set(ids.map((_, at) => at));
  return {
    report: reportOf(program, levels, answer),
    assumed: new Map(names.filter((name) => !isLemma(name)).map((name) => [name, everyone])),
  };
}

/** Prefix of the names of lemmas in a refutation. */
const LEMMA = "lemma ";

function isLemma(name: string): boolean {
  return name.startsWith(LEMMA);
}

async function ask(input: ProofInput, signal: AbortSignal): Promise<ProofAnswer | string> {
  const { program, levels, pool, cache, counters, unroll, brief = false } = input;
  const question = brief ? "provable" : "proof";
  const job: Job = {
    program: { ...program, notes: [], files: [] },
    levels: namesOfLevels(levels),
    units: [{ transactions: program.transactions.map((_, at) => at), question }],
    resourceLimit: RESOURCE_LIMIT,
    maxFindings: MAX_FINDINGS,
    unroll,
  };
  const key = `proof ${digest([job])} ${keyOfLevels(levels)} ${String(RESOURCE_LIMIT)}`;
  counters.units += 1;
  const known = cache.get(key)?.[0]?.proof;
  if (known) {
    counters.cached += 1;
    return known;
  }
  const answer = await pool.solve(job, signal);
  if (answer.kind === "cancelled") return "the time was over before the proof was done";
  if (answer.kind === "failed") return answer.failure.message;
  const proof = answer.results[0]?.proof;
  if (!proof) return "the proof was stopped";
  counters.queries += proof.queries;
  if (proof.kind !== "unknown") cache.set(key, answer.results);
  return proof;
}

function reportOf(program: Program, levels: Levels, answer: ProofAnswer): ProofReport {
  switch (answer.kind) {
    case "unknown":
      return unknownReport(answer.reason);
    case "proved":
      return {
        status: "proved",
        scheme: answer.scheme,
        steps: stepsOf(program, answer),
        obstacles: [],
        lemmas: lemmasOf(program, answer.assumed),
      };
    case "blocked": {
      const obstacles = [
        ...answer.restrictions.map(({ transaction, reason }) =>
          placedObstacle(program, transaction, reason),
        ),
        ...(answer.reason === undefined
          ? []
          : [{ chain: [], dependencies: [], reason: answer.reason }]),
        ...answer.obstacles.map((each) => chainObstacle(program, levels, each)),
      ];
      return { status: "blocked", steps: [], obstacles, lemmas: [] };
    }
  }
}

function unknownReport(reason: string): ProofReport {
  const obstacles = [{ chain: [], dependencies: [], reason }];
  return { status: "unknown", steps: [], obstacles, lemmas: [] };
}

function blockedByGaps(gaps: readonly Unknown[]): ProofReport {
  const obstacles = gaps.map(({ reason, transactions, file, range }): ProofObstacle => ({
    chain: [],
    dependencies: [],
    reason: transactions.length > 0 ? `${reason} (in ${listText(transactions)})` : reason,
    ...(file !== undefined && { file }),
    ...(range && { range }),
  }));
  return { status: "blocked", steps: [], obstacles, lemmas: [] };
}

/** The induction argument: a sentence for each set that is removed. */
function stepsOf(
  program: Program,
  answer: Extract<ProofAnswer, { readonly kind: "proved" }>,
): readonly ProofStep[] {
  const nameOf = (member: number): string => program.transactions[member]?.name ?? "";
  const all = program.transactions.map((_, at) => at);
  if (answer.length !== undefined) {
    const length = String(answer.length);
    const text = `Every path of ${length} dependencies has a shorter one between its ends, and no ${length} transactions or fewer form a cycle.`;
    return [{ text, transactions: all.map(nameOf) }];
  }
  if (answer.moments) {
    const text =
      "Along a cycle some transaction would be left, by a read of something older, no later than the one before it: else time would run in a circle.";
    const { refuted } = answer.moments;
    return [{ text, transactions: all.map(nameOf) }, questionsStep(refuted)];
  }
  if (!answer.induction) {
    const text = "No two transactions conflict in a way that the level leaves open.";
    return [{ text, transactions: all.map(nameOf) }];
  }
  const { ordered, refuted, readersEarly } = answer.induction;
  const steps: ProofStep[] = [];
  if (readersEarly) {
    const text =
      "A transaction that writes nothing may be placed right behind what it sees: nobody can tell.";
    steps.push({ text, transactions: [] });
  }
  let left = all;
  for (const { members, forward } of ordered) {
    const names = members.map(nameOf);
    const among = left.length === all.length ? "whatever else runs" : "among those that are left";
    const them = names.length === 1 ? "it" : "them";
    const text = forward
      ? `Whoever depends on ${listText(names)} comes later in the order of commits, ${among}: no cycle goes through ${them}.`
      : `No chain of ${listText(names)} ends in the one that commits first, ${among}: on a cycle that one would have two such predecessors.`;
    steps.push({ text, transactions: names });
    left = left.filter((each) => !members.includes(each));
  }
  if (left.length > 0) {
    const names = left.map(nameOf);
    const text =
      left.length === 1
        ? `Instances of ${names.join("")} do not depend on each other.`
        : `${listText(names)} do not depend on each other.`;
    steps.push({ text, transactions: names });
  }
  return [...steps, questionsStep(refuted)];
}

function questionsStep({ pairs, triples }: InductionSummary["refuted"]): ProofStep {
  const text = `${counted(pairs, "question")} about two transactions and ${String(triples)} about three have no solution, in any database and whoever else runs.`;
  return { text, transactions: [] };
}

function counted(n: number, one: string): string {
  return `${String(n)} ${n === 1 ? one : `${one}s`}`;
}

function lemmasOf(program: Program, assumed: readonly string[]): readonly string[] {
  const invariants = (program.invariants ?? [])
    .map(({ text }) => text)
    .filter((text) => assumed.includes(invariantName(text)));
  const lemmas = assumed.filter(isLemma).map((name) => name.slice(LEMMA.length));
  return [...new Set([...invariants, ...lemmas])].sort();
}

function placedObstacle(program: Program, id: string, reason: string): ProofObstacle {
  const transaction = program.transactions.find((each) => each.id === id);
  return {
    chain: [],
    dependencies: [],
    reason: `${transaction?.name ?? id}: ${reason}`,
    ...(transaction && { file: transaction.header.file, range: transaction.header.range }),
  };
}

function chainObstacle(program: Program, levels: Levels, obstacle: Obstacle): ProofObstacle {
  const names = obstacle.members.map((member) => program.transactions[member]?.name ?? "");
  const chain = obstacle.closed ? [...names, names[0] ?? ""] : names;
  const dependencies = obstacle.steps.map((step, at) => {
    const from = obstacle.members[at];
    const to = obstacle.members[(at + 1) % obstacle.members.length];
    return {
      dependency: step.dependency,
      table: step.table,
      columns: step.columns,
      from: endOf(program, from, step.from),
      to: endOf(program, to, step.to),
    };
  });
  const advice = adviceFor(obstacle, program);
  const reason = obstacle.closed
    ? `at ${labelOfLevels(levels)} each of them may miss what the other writes`
    : `${names[names.length - 1] ?? ""} may come first in the order of commits although it is last in this chain, and a longer cycle might close it`;
  return {
    chain,
    dependencies,
    reason,
    ...(advice !== undefined && { advice }),
  };
}

/** The changes that were verified to break the chain; else generic advice. */
function adviceFor(obstacle: Obstacle, program: Program): string | undefined {
  const name = (place: number): string =>
    program.transactions[obstacle.members[place % obstacle.members.length] ?? -1]?.name ?? "";
  const { steps, remedies = [] } = obstacle;
  const changes = remedies.map(({ kind, step }) => {
    const table = steps[step]?.table ?? "";
    return kind === "lock"
      ? `${name(step)} reads ${table} with FOR UPDATE`
      : `${name(step)} also changes the row of ${table} that it reads`;
  });
  if (changes.length > 0) return `This chain is impossible as soon as ${changes.join(", or ")}.`;
  const at = steps.findLastIndex(({ dependency }) => dependency === "rw");
  const last = steps[at];
  if (!last) return undefined;
  const [reader, writer] = [name(at), name(at + 1)];
  const said = `an invariant that says which rows of ${last.table} ${writer} never touches`;
  if (last.columns.includes(EXISTENCE))
    return `The step from ${reader} to ${writer} is about rows that come and go, which no lock on a row keeps away. What may remove it: a row that both change, such as a counter or a parent; or ${said}.`;
  return `What may remove the step from ${reader} to ${writer}: ${said}.`;
}

function endOf(program: Program, member: number | undefined, id: StatementId): ProofEnd {
  const transaction = program.transactions[member ?? -1];
  const statement = transaction && statementById(transaction.body, id);
  const source = statement?.source ?? transaction?.header;
  const start = { line: 0, character: 0 };
  return {
    transaction: transaction?.name ?? "",
    file: source?.file ?? "",
    range: source?.range ?? { start, end: start },
    text: statement?.text ?? "",
  };
}

function statementById(
  body: Program["transactions"][number]["body"],
  id: StatementId,
): Statement | undefined {
  return statementsOf(body).find((each) => each.id === id);
}
