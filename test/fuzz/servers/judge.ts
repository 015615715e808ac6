// Holds the verdict of `check` on a program against what a server does: nothing that is called safe may give what no serial
// order gives, and what is called confirmed must be seen.
import process from "node:process";
import { findLevel } from "../../../server/src/isolation/levels";
import type { Program } from "../../../server/src/program/program";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { Anomaly, LevelReport } from "../../../server/src/protocol/report";
import type { FileId } from "../../../server/src/protocol/source";
import { completeRows } from "../../../server/src/replay/initialRows";
import { literal } from "../../../server/src/replay/literal";
import type { Session } from "../../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { callText, definitionsOf, type Call, type FuzzProgram } from "./program";
import { randomOf } from "./random";
import { chooserOf, nestedChoosers, searchInterleavings, someChoosers } from "./serial";
import type { Stage } from "./stage";

export interface Judgement {
  readonly verdict: "safe" | "anomaly" | "undecided" | "refused";
  readonly interleavings: number;
  /** Runs that the verdict calls free of anomalies. */
  readonly safeRuns: number;
  /** Anomalies whose witness was tried. */
  readonly confirmed: number;
  /** Reasons of what is undecided. */
  readonly reasons: readonly string[];
  readonly contradictions: readonly Contradiction[];
}

export interface Contradiction {
  readonly kind: "missed" | "falsely confirmed" | "fault";
  readonly text: string;
  /** The program that shows a miss again. */
  readonly calls: readonly Call[];
  readonly init: readonly string[];
  /** In which the instances went on; empty where nothing was missed. */
  readonly order: readonly number[];
}

export interface Effort {
  /** Interleavings for each run that is called safe. */
  readonly safe: number;
  /** Interleavings in which a witness must show. */
  readonly confirmed: number;
}

/** Milliseconds of a check, and of what it may take beyond that. */
const BUDGET = 10_000;
const BEYOND = 5_000;
/** Steps that end any transaction. */
const REST = 60;
/** Anomalies of one program that are tried. */
const MOST_ANOMALIES = 2;

/** Judges a program; a known order of steps is tried first. */
export async function judge(
  stage: Stage,
  session: Session,
  program: FuzzProgram,
  effort: Effort,
  known: readonly number[] = [],
): Promise<Judgement> {
  const none = { interleavings: 0, safeRuns: 0, confirmed: 0, reasons: [], contradictions: [] };
  const refusal = await stage.define(program);
  if (refusal !== undefined) return { ...none, verdict: "refused", reasons: [refusal] };
  const size = Math.max(2, ...program.runs.map((calls) => calls.length));
  const checked = await verdictOf(session, program, size);
  if ("fault" in checked)
    return { ...none, verdict: "undecided", contradictions: [fault(checked.fault)] };
  const { report, read } = checked;
  const random = randomOf(program.text.length);
  const contradictions: Contradiction[] = [];
  let interleavings = 0;
  let safeRuns = 0;
  let confirmed = 0;

  for (const calls of program.runs.filter((each) => isCalledSafe(report, each))) {
    safeRuns += 1;
    const found = await searchInterleavings(
      stage,
      program,
      { init: program.init, calls, isAfresh: false },
      { choosers: [chooserOf(known), ...someChoosers(random, effort.safe)], stopAtFirst: true },
    );
    interleavings += found.interleavings;
    if (found.refusal !== undefined)
      return { ...none, verdict: "refused", reasons: [found.refusal] };
    const [wrong] = found.wrong;
    if (wrong === undefined) continue;
    const assumed = report.assumptions.filter(({ kind }) => kind !== "rollbacks");
    if (assumed.length > 0) continue;
    const text = `${calls.map(callText).join(" | ")} in the order ${wrong.order.map((at) => at + 1).join(" ")} gives ${wrong.text}${wrong.failures.length > 0 ? `; ${wrong.failures.join("; ")}` : ""}`;
    contradictions.push({ kind: "missed", text, calls, init: program.init, order: wrong.order });
  }

  const sure = report.anomalies.filter(
    (anomaly) =>
      anomaly.status === "confirmed" &&
      anomaly.severity !== "unused" &&
      !isRefusedLate(program, anomaly),
  );
  for (const anomaly of sure.slice(0, MOST_ANOMALIES)) {
    confirmed += 1;
    const setting = settingOf(read, program, anomaly);
    const place = (instance: string): number =>
      anomaly.witness.instances.findIndex((each) => each.instance === instance);
    // The rest of a transaction takes as many steps as the server needs: branches have gates that the witness does not name.
    const order = anomaly.witness.schedule.flatMap(({ instance, statement }): readonly number[] =>
      Array.from({ length: statement === "commit" ? REST : 1 }, () => place(instance)),
    );
    const found = await searchInterleavings(
      stage,
      program,
      { ...setting, isAfresh: true },
      {
        choosers: [
          chooserOf(order),
          ...nestedChoosers(setting.calls.length),
          ...someChoosers(random, effort.confirmed),
        ],
        stopAtFirst: true,
      },
    );
    interleavings += found.interleavings;
    if (found.wrong.length > 0) continue;
    if (found.refusal !== undefined && found.isFaulty === true)
      return { ...none, verdict: "refused", reasons: [found.refusal] };
    const told = `${anomaly.kind} ${anomaly.severity}: ${setting.calls.map(callText).join(" | ")} after ${setting.init.join("; ")}`;
    const text =
      found.refusal === undefined
        ? told
        : `${told}: the server refuses these rows: ${found.refusal}`;
    contradictions.push({ kind: "falsely confirmed", text, order: [], ...setting });
  }
  const verdict =
    report.verdict === "cancelled" || report.verdict === "unknown" ? "undecided" : report.verdict;
  const reasons = report.unknown.map(({ reason }) => reason);
  return { verdict, interleavings, safeRuns, confirmed, reasons, contradictions };
}

/** The answer of `check`; a fault where it rejects, or does not answer in its time. */
export async function verdictOf(
  session: Session,
  { text, level: name }: FuzzProgram,
  size: number,
): Promise<{ readonly report: LevelReport; readonly read: Program } | { readonly fault: string }> {
  const level = findLevel(name);
  if (level === undefined) return { fault: `there is no level ${name}` };
  const started = performance.now();
  const before = process.cpuUsage();
  const isMariadb = name.startsWith("mariadb");
  try {
    const { report, program } = await session.checkWorkspace(
      {
        project: {
          // The only file of a program that is made up.
          files: [{ file: "program.sql" as FileId, text }],
          context: [],
          configuration: {
            ...DEFAULT_CONFIGURATION,
            ...(isMariadb && { dialect: "mariadb" }),
            budget: BUDGET,
            maxTransactions: size,
          },
        },
        level,
        isCompared: false,
      },
      new AbortController().signal,
    );
    const took = performance.now() - started;
    const { user, system } = process.cpuUsage(before);
    // A budget counts the time that the process gets: a busy machine makes no fault.
    if (Math.min(took, (user + system) / 1000) > BUDGET + BEYOND)
      return { fault: `it took ${(took / 1000).toFixed(1)} s` };
    return { report, read: program };
  } catch (problem) {
    return {
      fault: problem instanceof Error ? (problem.stack ?? problem.message) : String(problem),
    };
  }
}

/** True if the report promises that a run of these transactions gives what a serial order gives. */
function isCalledSafe(
  { verdict, anomalies, unknown, transactions }: LevelReport,
  calls: readonly Call[],
): boolean {
  if (verdict === "cancelled") return false;
  const names = calls.map(({ name }) => name);
  if (names.some((name) => !transactions.some((each) => each.name === name))) return false;
  const isOpen = unknown.some(
    ({ transactions: about }) => about.length === 0 || about.some((name) => names.includes(name)),
  );
  // A finding of values that are read on the way alone leaves and returns what a serial order does.
  const alarming = anomalies.filter(({ severity }) => severity !== "unused");
  return !isOpen && !alarming.some((anomaly) => isWithin(anomaly.transactions, names));
}

/** True if all of these instances are among those. */
function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  const left = [...whole];
  return part.every((name) => {
    const at = left.indexOf(name);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

/** True if a lock is refused after a time of waiting: the others of an interleaving do not stand still for so long. */
function isRefusedLate({ text }: FuzzProgram, { steps }: Anomaly): boolean {
  return (
    /get_lock\(.*, [1-9]/i.test(text) && steps.some(({ effect }) => /refused a lock/.test(effect))
  );
}

/** The rows and arguments of a witness. */
function settingOf(
  read: Program,
  program: FuzzProgram,
  { witness }: Anomaly,
): { readonly init: readonly string[]; readonly calls: readonly Call[] } {
  const init = completeRows(read.schema, witness.initial).flatMap(({ table, rows }) =>
    rows.map((row) => {
      const columns = Object.entries(row);
      const names = columns.map(([name]) => name).join(", ");
      return `insert into ${table.name} (${names}) values (${columns.map(([, value]) => literal(value)).join(", ")})`;
    }),
  );
  const calls = witness.instances.map(({ transaction, arguments: given }): Call => {
    const names = parametersOf(program.text, transaction);
    const value = (name: string): string =>
      literal(ownEntry(given, name) ?? (Object.hasOwn(given, name) ? null : 1));
    return {
      name: transaction,
      args: names
        ? names.map((name) => ({ value: value(name) }))
        : Object.keys(given).map((name) => ({ name, value: value(name) })),
    };
  });
  return { init, calls };
}

/** The parameters of a routine in order; undefined for a transaction of a script. */
function parametersOf(text: string, routine: string): readonly string[] | undefined {
  const found = new RegExp(
    `(?:function|procedure) ${routine}\\s*\\(((?:[^()]|\\([^()]*\\))*)\\)`,
    "i",
  ).exec(definitionsOf(text))?.[1];
  return found
    ?.replace(/\([^()]*\)/g, "")
    .split(",")
    .filter((each) => !/^\s*out\s/i.test(each))
    .flatMap((each) => /^\s*(?:in\s+)?(\w+)/i.exec(each)?.[1] ?? []);
}

function fault(text: string): Contradiction {
  return { kind: "fault", text, calls: [], init: [], order: [] };
}
