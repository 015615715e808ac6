// From an anomaly to verified fixes: each candidate is applied to the texts in memory, then the program is read and analysed again with
// every transaction that shares its tables, and the old witness is replayed on the result.
import {
  editedText,
  orderedEdits,
  withLineEnds,
  type Candidate,
  type TextEdit,
} from "../analysis/repair/candidate";
import { objectionToEditing } from "../analysis/repair/editable";
import { proposeFixes } from "../analysis/repair/proposals";
import { nowText } from "../analysis/repair/telling";
import { openWorkshop } from "../analysis/repair/workshop";
import type { CodeParsers } from "../frontend/code/workspace/codeParsers";
import { indexLines, positionAt } from "../frontend/sql/text/lines";
import type { Levels } from "../isolation/mixedLevels";
import { distinctLevels, productLevelAt } from "../isolation/mixedLevels";
import type { Program, Transaction } from "../program/program";
import type { Column } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import type { Advice, Fix, FixEdit, FixKind, FixReport } from "../protocol/fixes";
import { refusalAdvice } from "../protocol/refusalAdvice";
import type { Anomaly, LevelReport, Unknown } from "../protocol/report";
import type { Witness } from "../protocol/witness";
import type { Execution } from "../store/execution";
import { permutations } from "../store/permutations";
import { runSerial } from "../store/run";
import { followTurns, type TurnsRun } from "../store/turns";
import { staleReads, type StaleRead } from "./findings/causes";
import { claimOf, correspondence, type Relation } from "./search/correspondence";
import { withPrivateCopies } from "./search/privateCopies";
import type { ProjectTexts } from "./readProject";
import { tablesOf } from "./statements";
import { digest } from "./search/tuples";

/** Services of the session for finding fixes. */
export interface FixTools {
  readonly read: (project: ProjectTexts) => Promise<Program>;
  /** Checks a part of a program: its transactions alone. */
  readonly check: (program: Program) => Promise<LevelReport>;
  readonly levelsOf: (transactions: readonly Transaction[]) => Levels;
  readonly parsers: CodeParsers | undefined;
}

export interface FixQuestion {
  readonly project: ProjectTexts;
  /** The project's program. */
  readonly program: Program;
  readonly anomaly: Anomaly;
  /** All kinds by default. */
  readonly kinds?: readonly FixKind[];
  /** True to stop at the first verified fix. */
  readonly isOneEnough?: boolean;
}

/**
 * The verified fixes of an anomaly, cheapest first, and the reasons against the other candidates. Ends soon after an abort with the fixes
 * so far; `found` reports each as it is verified. One reading and one check of related transactions per candidate.
 */
export async function findFixes(
  question: FixQuestion,
  tools: FixTools,
  signal: AbortSignal,
  found: (fix: Fix) => void = () => undefined,
): Promise<FixReport> {
  const { project, program, anomaly, kinds, isOneEnough = false } = question;
  const files = editableTexts(project);
  const dialect = project.configuration.dialect ?? program.dialects?.[0] ?? "postgres";
  const workshop = openWorkshop(program, anomaly, dialect, files, tools.parsers);
  const { candidates, refusals } = proposeFixes(workshop, kinds);
  const before = checkedOnce(program, tools);
  const fixes: Fix[] = [];
  const advice: Advice[] = [...refusals];
  const tried = new Set<string>();
  // Of one kind the first that holds is the smallest; one that leaves the partner's same mistake gives way to one that mends both.
  const partial = new Map<FixKind, Fix>();
  const isDone = (kind: FixKind): boolean => fixes.some((each) => each.kind === kind);
  const settle = (kind?: FixKind): void => {
    for (const [each, fix] of partial) {
      if (each === kind) continue;
      partial.delete(each);
      fixes.push(fix);
      found(fix);
    }
  };
  for (const candidate of candidates) {
    const { kind } = candidate;
    settle(kind);
    if (signal.aborted || (isOneEnough && fixes.length > 0)) break;
    const edits = orderedEdits(withLineEnds(files, candidate.edits));
    const key = JSON.stringify(edits);
    if (tried.has(key) || isDone(kind)) continue;
    tried.add(key);
    const objection = edits ? objectionToAll(files, edits) : "its edits overlap";
    const verdict =
      edits && objection === undefined
        ? await verified({ ...question, edits }, candidate, before, tools, signal)
        : { ok: false as const, reason: objection ?? "" };
    if (verdict === undefined) break;
    if (!verdict.ok) advice.push({ kind, reason: verdict.reason });
    else if (verdict.isPartial) {
      if (!partial.has(kind)) partial.set(kind, verdict.fix);
    } else {
      partial.delete(kind);
      fixes.push(verdict.fix);
      found(verdict.fix);
    }
  }
  settle();
  return {
    anomaly: anomaly.id,
    fixes,
    advice: [...advice, ...refusedAdvice(anomaly)].filter(({ kind }) =>
      fixes.every((fix) => fix.kind !== kind),
    ),
    isPartial: signal.aborted,
  };
}

/** Help in words against what the server refuses. */
function refusedAdvice(anomaly: Anomaly): readonly Advice[] {
  const text = refusalAdvice(anomaly);
  return text === undefined ? [] : [{ kind: "retry-loop", reason: text }];
}

function objectionToAll(
  files: ProjectTexts["files"],
  edits: readonly TextEdit[],
): string | undefined {
  for (const { file, text } of files) {
    const own = edits.filter((each) => each.file === file);
    const objection = own.length > 0 ? objectionToEditing(text, own) : undefined;
    if (objection !== undefined) return `${file}: ${objection}`;
  }
  return undefined;
}

type Verdict =
  | {
      readonly ok: true;
      readonly fix: Fix;
      /** The partner makes the same mistake, and still does. */
      readonly isPartial: boolean;
    }
  | { readonly ok: false; readonly reason: string };

/** Undefined if the signal aborted. */
async function verified(
  { project, program, anomaly, edits }: FixQuestion & { readonly edits: readonly TextEdit[] },
  candidate: Candidate,
  before: (ids: ReadonlySet<string>) => Promise<LevelReport>,
  tools: FixTools,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const changed = await tools.read(withEdits(project, edits));
  if (signal.aborted) return undefined;
  const misread = misreading(program, changed);
  if (misread !== undefined) return { ok: false, reason: misread };
  // Most useless candidates already fail among the anomaly's own transactions.
  const own = new Set(anomaly.transactions);
  const alone = await tools.check(restricted(changed, own));
  if (signal.aborted) return undefined;
  const { relationOf, sharesRead } = correspondence(editableTexts(project), edits);
  if (alone.anomalies.some((each) => relationOf(anomaly, each) === "same"))
    return { ok: false, reason: STILL_POSSIBLE };
  const related = relatedIds(program, changed, anomaly.transactions);
  const old = await before(related);
  // An edit is credited only if the anomaly is found without it.
  if (!signal.aborted && !old.anomalies.some((each) => claimOf(each) === claimOf(anomaly)))
    return { ok: false, reason: "the anomaly is not found among those who share its tables" };
  const part = restricted(changed, related);
  const report = await tools.check(part);
  if (signal.aborted) return undefined;
  const others = await otherCauses(part, report, tools, (each) => relationOf(anomaly, each));
  if (signal.aborted) return undefined;
  if (others === undefined) return { ok: false, reason: STILL_POSSIBLE };
  const hidden = new Set(
    newIn(old, report, anomaly).filter(
      (each) => !sharesRead(anomaly, each) && wasPossible(program, tools, each),
    ),
  );
  const objection = objectionTo(anomaly, old, report, { relationOf, hidden });
  if (objection !== undefined) return { ok: false, reason: objection };
  const levels = tools.levelsOf(changed.transactions);
  if (!keepsSerialRuns(program, changed, anomaly))
    return {
      ok: false,
      reason: "one after the other, the transactions would leave something else",
    };
  const turns = witnessAgain(program, changed, levels, anomaly);
  const isRetried = candidate.kind === "retry-loop";
  const deadlock = turns?.aborted.find(({ code }) => code === "40P01");
  if (deadlock && !isRetried)
    return { ok: false, reason: "it would only turn the anomaly into a deadlock" };
  const left = new Set(report.anomalies.map(claimOf));
  const stale = new Set(staleReads(anomaly).map(({ transaction }) => transaction));
  const alsoRemoves = old.anomalies.filter((each) => !left.has(claimOf(each))).map(({ id }) => id);
  return {
    ok: true,
    isPartial: others.some((each) => each.transactions.some((name) => !stale.has(name))),
    fix: {
      kind: candidate.kind,
      title: candidate.title,
      edits: fixEdits(project, edits),
      costs: [
        ...candidate.costs,
        ...others.map(({ text }) => text),
        ...[...hidden].map((each) => `${namedText(each)} is possible as before`),
      ],
      now: turns ? nowText(anomaly, turns) : "its execution is no longer possible",
      alsoRemoves: alsoRemoves.filter((id) => id !== anomaly.id),
      rests: report.rests,
    },
  };
}

interface OtherCause {
  readonly text: string;
  /** The transactions whose reads go stale. */
  readonly transactions: readonly string[];
}

const STILL_POSSIBLE = "the anomaly is still possible with it";

/**
 * Looks for anomalies with the same claim that the fixed one may have hidden (the search reports one per claim): each one found is removed
 * by giving its reads private copies, and the check is repeated until the claim is gone. Returns sentences on the others; undefined if the
 * anomaly itself is among them, or might be.
 */
async function otherCauses(
  part: Program,
  report: LevelReport,
  { check }: FixTools,
  relationTo: (now: Anomaly) => Relation,
): Promise<readonly OtherCause[] | undefined> {
  const others: OtherCause[] = [];
  const reads: StaleRead[] = [];
  for (let now = report; ;) {
    const related = now.anomalies.filter((each) => relationTo(each) !== "new");
    if (related.some((each) => relationTo(each) === "same")) return undefined;
    const [other] = related;
    if (!other) return others;
    const own = staleReads(other);
    const remaining = withPrivateCopies(part, [...reads, ...own]);
    if (!remaining || reads.length >= MOST_READS) return undefined;
    reads.push(...own);
    others.push({ text: otherText(other, own), transactions: own.map((each) => each.transaction) });
    now = await check(remaining);
    const undecided = now.unknown.some((each) => !isKnown(report, each));
    if (undecided) return undefined;
  }
}

/** Limit of stale reads that are removed this way. */
const MOST_READS = 8;

function otherText({ kind }: Anomaly, [read]: readonly StaleRead[]): string {
  const text = read?.read?.text.replace(/\s+/gu, " ") ?? "";
  return `another ${kind.replaceAll("-", " ")} of ${read?.transaction ?? ""} stays: what \`${text}\` reads goes stale as well`;
}

/** The reason why the changed program does not fix the anomaly; undefined if it does. */
function objectionTo(
  anomaly: Anomaly,
  old: LevelReport,
  now: LevelReport,
  {
    relationOf,
    hidden,
  }: {
    readonly relationOf: (before: Anomaly, now: Anomaly) => Relation;
    readonly hidden: ReadonlySet<Anomaly>;
  },
): string | undefined {
  const touched = (each: Anomaly): boolean =>
    claimOf(each) === claimOf(anomaly) && relationOf(anomaly, each) !== "other";
  if (countedIn(now, anomaly).some(touched)) return STILL_POSSIBLE;
  const other = newIn(old, now, anomaly).find((each) => !hidden.has(each));
  if (other) {
    const why = other.reason === undefined ? "" : ` (${other.reason})`;
    return `another anomaly would be possible with it: ${namedText(other)}${why}`;
  }
  const undecided = now.unknown.find((each) => !isKnown(old, each));
  return undecided && `it could not be verified: ${undecided.reason}`;
}

/** The anomalies that count against a fix: what nobody uses counts only where the fixed one is of that sort. */
function countedIn({ anomalies }: LevelReport, { severity }: Anomaly): readonly Anomaly[] {
  return anomalies.filter((each) => each.severity !== "unused" || severity === "unused");
}

/** Those of them that were not told before. */
function newIn(old: LevelReport, now: LevelReport, fixed: Anomaly): readonly Anomaly[] {
  const known = new Set(old.anomalies.map(claimOf));
  return countedIn(now, fixed).filter((each) => !known.has(claimOf(each)));
}

/**
 * True if the execution of an anomaly of the changed program is as harmful in the program as it was: what was found before
 * had hidden it.
 */
function wasPossible(old: Program, { levelsOf }: FixTools, anomaly: Anomaly): boolean {
  const levels = levelsOf(old.transactions);
  const initial = withColumnsOf(old, anomaly.witness.initial);
  const run = turnsOn(old, levels, { ...anomaly.witness, initial });
  if (!run || run.isRefused || run.aborted.length > 0) return false;
  // A transaction that rolled back did not happen: the orders without it would count as well.
  const ends = Object.values(run.execution.outcome.status);
  if (ends.some((each) => each !== "committed")) return false;
  const { instances } = anomaly.witness;
  const orders = permutations(instances.map(({ instance }) => instance));
  const serial = orders.map((order) => runSerial(old, { instances, initial }, order));
  const viewOf = ({ outcome: { final, status, returned } }: Execution): string =>
    JSON.stringify(anomaly.severity === "state" ? final : [final, status, returned]);
  const view = viewOf(run.execution);
  return serial.every((each) => each.ok && viewOf(each.execution) !== view);
}

function namedText({ kind, transactions }: Anomaly): string {
  return `${kind.replaceAll("-", " ")} of ${[...new Set(transactions)].join(" and ")}`;
}

function isKnown(report: LevelReport, unknown: Unknown): boolean {
  return report.unknown.some((each) => unknownKey(each) === unknownKey(unknown));
}

function unknownKey({ reason, transactions }: Unknown): string {
  return JSON.stringify([reason, transactions]);
}

/** The reason why the changed text does not read as the same program with the edit. */
function misreading(old: Program, now: Program): string | undefined {
  const ids = new Set(now.transactions.map(({ id }) => id));
  const gone = old.transactions.find(({ id }) => !ids.has(id));
  if (gone) return `${gone.name} could not be read any more`;
  const faults = new Set(old.notes.map(({ code, message }) => `${code} ${message}`));
  const fault = now.notes.find(
    ({ severity, code, message }) =>
      severity !== "information" && !faults.has(`${code} ${message}`),
  );
  return fault && `the changed text was not understood: ${fault.message}`;
}

/** Transactions that share a table with the anomaly's transactions or with the change. */
function relatedIds(
  old: Program,
  now: Program,
  transactions: readonly string[],
): ReadonlySet<string> {
  const digests = new Map(old.transactions.map((each) => [each.id, digest(each)]));
  const core = now.transactions.filter(
    (each) => transactions.includes(each.id) || digests.get(each.id) !== digest(each),
  );
  const tables = new Set(core.flatMap((each) => [...tablesOf(each)]));
  const touching = now.transactions.filter((each) =>
    [...tablesOf(each)].some((table) => tables.has(table)),
  );
  return new Set([...core, ...touching].map(({ id }) => id));
}

function restricted(program: Program, ids: ReadonlySet<string>): Program {
  const transactions = program.transactions.filter(({ id }) => ids.has(id));
  return { ...program, transactions, notes: [] };
}

/** Checks parts of a program, each part once. */
function checkedOnce(
  program: Program,
  { check }: FixTools,
): (ids: ReadonlySet<string>) => Promise<LevelReport> {
  const known = new Map<string, Promise<LevelReport>>();
  return (ids) => {
    const key = [...ids].sort().join("\n");
    const report = known.get(key) ?? check(restricted(program, ids));
    known.set(key, report);
    return report;
  };
}

/** The anomaly's witness replayed on the changed program; undefined if no product's rules can run it. */
function witnessAgain(
  old: Program,
  program: Program,
  levels: Levels,
  anomaly: Anomaly,
): TurnsRun | undefined {
  const initial = withNewColumns(old, program, anomaly.witness.initial);
  return turnsOn(program, levels, { ...anomaly.witness, initial });
}

/** The turns of a witness taken on a program; undefined if no product's rules can run it. */
function turnsOn(
  program: Program,
  levels: Levels,
  { instances, initial, schedule }: Pick<Witness, "instances" | "initial" | "schedule">,
): TurnsRun | undefined {
  if (distinctLevels(levels).some(({ family }) => family === "paper")) return undefined;
  const transactionOf = new Map(instances.map((each) => [each.instance, each.transaction]));
  return followTurns(
    program,
    (instance, declared) => productLevelAt(levels, transactionOf.get(instance) ?? "", declared),
    { instances, initial },
    schedule.map(({ instance }) => instance),
  );
}

/**
 * True if every serial order of the anomaly's instances leaves the same rows as before the change, if it can be run: an edit that computes
 * something else or affects other rows is no fix.
 */
function keepsSerialRuns(old: Program, now: Program, { witness, serial }: Anomaly): boolean {
  const { instances, initial } = witness;
  return serial.every(({ order }) => {
    const before = runSerial(old, { instances, initial }, order);
    const after = runSerial(now, { instances, initial: withNewColumns(old, now, initial) }, order);
    if (!before.ok) return true;
    if (!after.ok) return false;
    const [left, leaves] = [before, after].map(({ execution }) =>
      Object.entries(execution.outcome.final).map(([table, rows]) => [
        table,
        rows.map((row) => columnsOf(old, table).map(({ name }) => ownEntry(row, name))),
      ]),
    );
    return JSON.stringify(left) === JSON.stringify(leaves);
  });
}

/** The rows of a witness once a fix has given their tables further columns: what these are by default, or a version of 0. */
function withNewColumns(
  old: Program,
  now: Program,
  initial: Anomaly["witness"]["initial"],
): Anomaly["witness"]["initial"] {
  return Object.fromEntries(
    Object.entries(initial).map(([table, rows]) => {
      const known = columnsOf(old, table).map(({ name }) => name);
      const added = columnsOf(now, table).filter(({ name }) => !known.includes(name));
      const values = added.flatMap(({ name, nullable, default: value }) =>
        value?.kind === "literal"
          ? [[name, value.value] as const]
          : nullable
            ? []
            : [[name, 0] as const],
      );
      return [table, rows.map((row) => ({ ...Object.fromEntries(values), ...row }))];
    }),
  );
}

/** Rows without the columns that a program's tables lack. */
function withColumnsOf(
  program: Program,
  initial: Anomaly["witness"]["initial"],
): Anomaly["witness"]["initial"] {
  return Object.fromEntries(
    Object.entries(initial).map(([table, rows]) => {
      const known = new Set(columnsOf(program, table).map(({ name }) => name));
      const kept = (row: (typeof rows)[number]): (typeof rows)[number] =>
        Object.fromEntries(Object.entries(row).filter(([name]) => known.has(name)));
      return [table, rows.map(kept)];
    }),
  );
}

function columnsOf({ schema }: Program, table: string): readonly Column[] {
  return schema.tables.find(({ name }) => name === table)?.columns ?? [];
}

function withEdits(project: ProjectTexts, edits: readonly TextEdit[]): ProjectTexts {
  const change = (files: ProjectTexts["files"]): ProjectTexts["files"] =>
    files.map((each) => {
      const own = edits.filter(({ file }) => file === each.file);
      return own.length > 0 ? { file: each.file, text: editedText(each.text, own) } : each;
    });
  const created = edits.flatMap(({ file, newText, creates }) =>
    creates ? [{ file, text: newText }] : [],
  );
  const files = [...change(project.files), ...created].sort((a, b) => compareNames(a.file, b.file));
  return {
    ...project,
    files: created.length > 0 ? files : change(project.files),
    context: change(project.context),
    ...(project.code && { code: withChangedTexts(project.code, change) }),
  };
}

/** The texts that a fix may edit: the project's files, its context, and the schemas of its mappers. */
export function editableTexts({
  files,
  context,
  code,
}: Pick<ProjectTexts, "files" | "context" | "code">): ProjectTexts["files"] {
  const schemas = (code?.schemas ?? []).flatMap((file) => {
    const text = code?.text(file);
    return text === undefined ? [] : [{ file, text }];
  });
  return [...files, ...context, ...schemas];
}

/** The code with its changed schemas. */
function withChangedTexts(
  code: NonNullable<ProjectTexts["code"]>,
  change: (files: ProjectTexts["files"]) => ProjectTexts["files"],
): NonNullable<ProjectTexts["code"]> {
  const schemas = editableTexts({ files: [], context: [], code });
  const changed = change(schemas).filter(({ text }, at) => text !== schemas[at]?.text);
  if (changed.length === 0) return code;
  const texts = new Map(changed.map(({ file, text }) => [file, text]));
  return {
    ...code,
    text: (file) => texts.get(file) ?? code.text(file),
    digest: () => digest([code.digest(), changed]),
  };
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function fixEdits(project: ProjectTexts, edits: readonly TextEdit[]): readonly FixEdit[] {
  const texts = new Map(editableTexts(project).map(({ file, text }) => [file, text]));
  return edits.map(({ file, start, end, newText, creates }) => {
    const lines = indexLines(file, texts.get(file) ?? "");
    return {
      file,
      range: { start: positionAt(lines, start), end: positionAt(lines, end) },
      newText,
      ...(creates && { creates }),
    };
  });
}
