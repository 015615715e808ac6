// A refusal as a finding: the waits-for cycle (for a duplicate key what was read and inserted), the victim, and the server's error.
import { keyOfLevels, levelAt, type Levels } from "../../isolation/mixedLevels";
import { accessedBy } from "../../program/accessedTables";
import { ERRORS } from "../../program/errors";
import type { KeptError, Program } from "../../program/program";
import { dictionary, ownEntry } from "../../protocol/dictionary";
import type { Anomaly, CycleEdge, Step } from "../../protocol/report";
import type { WitnessInstance } from "../../protocol/witness";
import type { ExecutedStep, Execution } from "../../store/execution";
import { REFUSALS } from "../../store/failure";
import type { Reached, RefusedRun, Wait } from "../../store/conflictRuns";
import { toExecution } from "../../store/toExecution";
import type { Refusal } from "../contention/refusalSearch";
import { cycleEnd, identity } from "./explain";
import { stepsOf } from "./steps";
import { listText, rowText, valueText } from "./words";

/** The finding of a refusal at these levels. Its cycle starts with the victim's edge. */
export function explainRefusal(program: Program, levels: Levels, refusal: Refusal): Anomaly {
  const { kind, transactions, setup, run } = refusal;
  const transactionOf = (instance: string): string =>
    setup.instances.find((each) => each.instance === instance)?.transaction ?? instance;
  const execution = withWait(toExecution(run.run), run);
  const levelOf = ({ instance }: Pick<ExecutedStep, "instance">) =>
    levelAt(levels, transactionOf(instance));
  const steps = stepsOf(program, transactionOf, levelOf, execution, []).map((step): Step =>
    step.instance === run.victim && step.statement === "rollback"
      ? { ...step, because: ENDED_FOR[run.code] ?? "" }
      : step,
  );
  const cycle =
    kind === "duplicate-key" ? keyRing(refusal, execution) : waitingRing(refusal, execution);
  const tables = [...new Set(cycle.map(({ table }) => table))].sort();
  const ending = ownEntry(execution.outcome.status, run.victim) ?? "";
  const [code = run.code] = ending.replace("rolled back: ", "").split(" ");
  const telling = { program, refusal, cycle, code };
  const { title, how } = toldOf(telling);
  return {
    id: identity([keyOfLevels(levels), kind, ...[...transactions].sort(), ...tables]),
    kind,
    severity: "refused",
    harm: "refused",
    status: "confirmed",
    transactions,
    tables,
    cycle,
    witness: { ...setup, schedule: run.schedule, outcome: execution.outcome },
    serial: [],
    steps,
    title,
    message: [`${title}: ${how}.`, ...uncaughtText(program, refusal)].join(" "),
    preventedBy: [],
    allowedAt: [],
  };
}

interface Telling {
  readonly program: Program;
  readonly refusal: Refusal;
  readonly cycle: readonly CycleEdge[];
  readonly code: string;
}

interface Told {
  readonly title: string;
  readonly how: string;
}

function toldOf(telling: Telling): Told {
  const { kept, run } = telling.refusal;
  if (kept) return keptTelling(telling, kept);
  if (run.code === ERRORS.duplicate) return duplicateTelling(telling);
  return run.code === REFUSALS.deadlock ? deadlockTelling(telling) : failureTelling(telling);
}

/** The explanation of a swallowed error: how the product treats the rest of the aborted transaction. */
function keptTelling({ program, refusal: { setup, run }, code }: Telling, kept: KeptError): Told {
  const victim = setup.instances.find(({ instance }) => instance === run.victim);
  const who = victim ? callText(program, victim) : run.victim;
  const line = `line ${String(kept.source.range.start.line + 1)}`;
  // PostgreSQL refuses all statements until the transaction ends; InnoDB has ended it and runs them without one.
  const isOver = run.run.steps.some(({ level }) => level?.candidates === "current");
  const rest = isOver
    ? "what came before is undone, and what follows commits by itself"
    : "every further statement fails with 25P02, and COMMIT undoes all without an error";
  if (kept.effect) {
    const { name, source } = kept.effect;
    return {
      title: `The server ends ${who} (${code}), and ${name}() of line ${String(source.range.start.line + 1)} is called again`,
      how: `what ${line} begins runs the whole transaction again, and no rollback takes back what the first call has done (repeated effect)`,
    };
  }
  return kept.then === "goes on"
    ? {
        title: `The server ends ${who} (${code}), and the code goes on as if nothing had happened`,
        how: `the handler of ${line} keeps the error; ${rest} (swallowed error)`,
      }
    : {
        title: `The server ends ${who} (${code}), and the code tries again in the transaction that is over`,
        how: `the loop of ${line} has to begin with BEGIN; ${rest} (retry in the transaction)`,
      };
}

function deadlockTelling({ program, refusal: { setup, run }, cycle, code }: Telling): Told {
  const names = setup.instances.map((each) => callText(program, each));
  const [first = ""] = names;
  const isOne = names.every((each) => each === first);
  const who = isOne ? `${String(names.length)} runs of ${first}` : listText(names);
  const nameOf = (instance: string): string => {
    const at = setup.instances.findIndex((each) => each.instance === instance);
    return isOne ? instance : (names[at] ?? instance);
  };
  const wants = cycle.map(
    ({ from, to, table }) =>
      `${nameOf(from.instance)} wants ${lockText(waitOf(run, from.instance), table)}, which ${nameOf(to.instance)} has locked`,
  );
  const title = `${who} wait for each other, and the server ends one of them (${code})`;
  return { title, how: `${wants.join("; ")} (deadlock)` };
}

function duplicateTelling(telling: Telling): Told {
  const { cycle, code } = telling;
  const parties = partiesOf(telling);
  const [look, insertion] = cycle;
  if (!parties || !look || !insertion) return { title: code, how: code };
  const { own, who } = parties;
  const isSame = look.table === insertion.table;
  const looked = isSame
    ? `it looks at ${look.table} before the other one has inserted, and inserts behind it`
    : `it reads ${look.table} before the other one has changed it, and inserts into ${insertion.table} behind it`;
  return {
    title: `${own} fails with an error of the server (${code}) where ${who} inserts the same key into ${insertion.table} at the same time`,
    how: `${looked}, which the key refuses; one after the other neither is refused (duplicate key)`,
  };
}

function failureTelling(telling: Telling): Told {
  const { refusal, cycle, code } = telling;
  const { run } = refusal;
  const parties = partiesOf(telling);
  if (!parties) return { title: code, how: code };
  const { own, who } = parties;
  const row = lockText(waitOf(run, run.victim), cycle[0]?.table ?? "");
  return {
    title: `The server ends ${own} (${code}) where ${who} changes ${row} at the same time`,
    how: `its snapshot is older than that change (serialization failure)`,
  };
}

/** The call that the server refuses, and the other one as seen from it. */
function partiesOf({
  program,
  refusal: { setup, run },
}: Telling): { readonly own: string; readonly who: string } | undefined {
  const victim = setup.instances.find(({ instance }) => instance === run.victim);
  const other = setup.instances.find(({ instance }) => instance !== run.victim);
  if (!victim || !other) return undefined;
  const own = callText(program, victim);
  const theirs = callText(program, other);
  return { own, who: own === theirs ? "another run of it" : theirs };
}

/** The remark that errors are propagated, for transactions of which that is known. */
function uncaughtText(program: Program, refusal: Refusal): readonly string[] {
  const { kind, transactions, kept, setup, run } = refusal;
  if (kept) return [];
  const ended = setup.instances.find(({ instance }) => instance === run.victim)?.transaction;
  const thrown = program.transactions.filter(({ id, errors }) =>
    kind === "duplicate-key" ? id === ended : transactions.includes(id) && errors === "thrown",
  );
  if (thrown.length === 0) return [];
  return [
    `Nothing around ${listText(thrown.map(({ name }) => name))} catches that or tries again.`,
  ];
}

/** The server's reasons by error code. */
const ENDED_FOR = dictionary<string | undefined>({
  [REFUSALS.deadlock]: "the server ends it, so that the others can go on",
  [REFUSALS.changedRow]: "the row has changed since its snapshot",
  [ERRORS.duplicate]: "another transaction has inserted the key since this one looked",
});

/** The run with a step for the statement that waited until its transaction was aborted, at the point where it began to wait. */
function withWait(execution: Execution, { refused, victim }: RefusedRun): Execution {
  const waiting: ExecutedStep = {
    instance: victim,
    statement: refused.number,
    source: refused.statement,
    sees: [],
    reads: [],
    writes: [],
    result: [],
    affected: 0,
    waitsFor: refused.holders,
  };
  const { steps } = execution;
  // A statement that is refused at once is told where it rolls back.
  if (refused.holders.length === 0) return execution;
  // Step numbers shift, so the dependencies are dropped.
  return {
    ...execution,
    dependencies: [],
    steps: [...steps.slice(0, refused.at), waiting, ...steps.slice(refused.at)],
  };
}

/** From the look of the victim to what the other one changes of it, and from the other one's insertion to its own, which comes behind that. */
function keyRing({ run, holds, looks }: Refusal, { steps }: Execution): readonly CycleEdge[] {
  const { refused, victim } = run;
  const taken = stepAt(steps, holds[0]);
  if (taken?.source?.kind !== "insert") return [];
  const { table } = taken.source;
  const own: ExecutedStep = { ...EMPTY, instance: victim, source: refused.statement };
  const looked = stepAt(steps, looks) ?? own;
  const tables = looked.source ? accessedBy(looked.source) : [];
  const changed = steps
    .filter(({ instance }) => instance === taken.instance)
    .flatMap((step) => step.writes.map((write) => ({ step, table: write.table })))
    .find((write) => tables.includes(write.table));
  const change = tables.includes(table) || !changed ? { step: taken, table } : changed;
  const edge = (
    dependency: "rw" | "ww",
    from: ExecutedStep,
    to: { readonly step: ExecutedStep; readonly table: string },
  ): CycleEdge => ({
    dependency,
    from: cycleEnd(from),
    to: cycleEnd(to.step),
    table: to.table,
    columns: [],
  });
  return [edge("rw", looked, change), edge("ww", taken, { step: own, table })];
}

/** The step that executed a statement for that time; undefined if none did. */
function stepAt(steps: Execution["steps"], at: Reached | undefined): ExecutedStep | undefined {
  if (at === undefined) return undefined;
  const { instance, statement, nth } = at;
  return steps.filter((each) => each.instance === instance && each.source?.id === statement)[
    nth - 1
  ];
}

/** The waits-for cycle, starting at the victim. */
function waitingRing({ run, holds, setup }: Refusal, { steps }: Execution): readonly CycleEdge[] {
  const edges: CycleEdge[] = [];
  let at = run.victim;
  for (let count = 0; count < setup.instances.length; count++) {
    const wait = waitOf(run, at);
    const [holder] = wait?.holders ?? [];
    if (!wait || holder === undefined) break;
    const locking = stepAt(
      steps,
      holds.find(({ instance }) => instance === holder),
    );
    edges.push({
      dependency: "waits",
      from: cycleEnd({ ...EMPTY, instance: at, source: wait.statement }),
      to: cycleEnd(locking ?? { ...EMPTY, instance: holder }),
      table: tableOf(wait, locking),
      columns: [],
    });
    at = holder;
  }
  return edges;
}

const EMPTY = { statement: 0, sees: [], reads: [], writes: [], result: [], affected: 0 } as const;

function waitOf({ waits }: RefusedRun, name: string): Wait | undefined {
  return waits.findLast(({ instance }) => instance === name);
}

/** The table of the wanted lock. */
function tableOf({ wants, statement }: Wait, locking: ExecutedStep | undefined): string {
  const [table] = wants?.split("\u0000") ?? [];
  if (table !== undefined) return table;
  if (statement.kind === "insert") return statement.table;
  return locking?.writes[0]?.table ?? locking?.reads[0]?.table ?? "";
}

/** "account[1]", or a gap in a table for an insertion. */
function lockText(wait: Wait | undefined, table: string): string {
  const [name, key] = wait?.wants?.split("\u0000") ?? [];
  if (name !== undefined && key !== undefined) return rowText(name, key);
  if (name !== undefined) return name.startsWith("advisory ") ? "the advisory lock" : name;
  return `a place among the rows of ${table}`;
}

/** Longer calls, or calls with more arguments, are shown by name only. */
const MOST_SHOWN = { characters: 32, values: 3 };

/** "transfer(1, 2)". */
function callText(program: Program, { transaction, arguments: given }: WitnessInstance): string {
  const name = program.transactions.find(({ id }) => id === transaction)?.name ?? transaction;
  const values = Object.values(given).map(valueText);
  const text = values.join(", ");
  const isLong = values.length > MOST_SHOWN.values || text.length > MOST_SHOWN.characters;
  return text === "" || isLong ? name : `${name}(${text})`;
}
