// Runs: what one call of an entry point sent to the database, as one sequence. A run is told by call sites where there
// are any; without them each transaction is a run, and each statement outside of one.
import { listKey } from "./learn/repetition";
import { inScripts } from "./scripts";
import type { CallSite, CodePlace } from "./sites";
import type { RecordedStatement } from "./statements";

export interface Run {
  /** The name of the entry point; undefined where no call site names it. */
  readonly entry?: string;
  readonly place?: CodePlace;
  /** Statements in their order, BEGIN and COMMIT among them. */
  readonly statements: readonly RecordedStatement[];
  /** It ran inside of a transaction that others used as well, which was committed. */
  readonly isPart?: boolean;
  /** The same for runs that are at the same place of the tests, each time that these run. */
  readonly twin?: string;
}

export interface Runs {
  readonly runs: readonly Run[];
  /** Statements that tests sent themselves. */
  readonly ofTests: number;
}

/**
 * The runs of a recording, in the order of their first statements; `level` is the server's own, which need not be asked
 * for. Linear in the number of statements.
 */
export function runsOf(statements: readonly RecordedStatement[], level?: string): Runs {
  const byConnection = new Map<number, RecordedStatement[]>();
  for (const statement of withLevels(
    inScripts([...statements].sort((a, b) => a.order - b.order)),
    level,
  )) {
    const list = byConnection.get(statement.connection) ?? [];
    byConnection.set(statement.connection, list);
    list.push(statement);
  }
  const runs: Run[] = [];
  let ofTests = 0;
  const blocks = [...byConnection.values()].map(transactionsOf);
  const loops = loopsAround(blocks.flat());
  for (const own of blocks) {
    for (const stretch of stretchesOf(own, loops)) {
      const { statements: own, site } = stretch;
      if (site?.isTest === true) ofTests += own.length;
      else if (own.some(isWork)) runs.push(runOf(stretch));
    }
  }
  runs.sort((a, b) => (a.statements[0]?.order ?? 0) - (b.statements[0]?.order ?? 0));
  const sentByTests = statements.filter((each) => each.site?.isTest === true && isWork(each));
  sentByTests.sort((a, b) => a.order - b.order);
  return { runs: withTwins(runs, sentByTests).filter((run) => !repeatsOnly(run)), ofTests };
}

/** Tells runs apart so that each has the same name when the tests run again. */
export interface RunOrdinals {
  /** A statement that a test sent itself. To be called in the order of all statements. */
  passTest(statement: Pick<RecordedStatement, "site" | "text">): void;
  of(entry: string | undefined, firstText: string): string;
}

/**
 * By their number among those of the same entry point that begin alike, since a test last sent something itself: where a
 * test ends early, the runs of the others keep their names.
 */
export function runOrdinals(): RunOrdinals {
  const counts = new Map<string, number>();
  const next = (key: string): number => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
  let anchor = "";
  return {
    passTest({ site, text }) {
      const place = site?.place;
      const key = place === undefined ? text : `${place.file}:${String(place.line)}`;
      anchor = `${key} ${String(next(`test ${key}`))}`;
    },
    of(entry, firstText) {
      const key = `${anchor}\n${entry ?? ""}\n${listKey(firstText)}`;
      return `${String(next(key))}\n${key}`;
    },
  };
}

/** True for a statement that reads or changes rows. */
export function isWork({ kind }: Pick<RecordedStatement, "kind">): boolean {
  return kind === "read" || kind === "write";
}

/** `sentByTests`: statements that tests sent themselves. Both are in the order in which they were sent. */
function withTwins(
  runs: readonly Run[],
  sentByTests: readonly RecordedStatement[],
): readonly Run[] {
  const byTestRun = new Map<number, RunOrdinals>();
  const ordinalsOf = (rerun = 0): RunOrdinals => {
    const ordinals = byTestRun.get(rerun) ?? runOrdinals();
    byTestRun.set(rerun, ordinals);
    return ordinals;
  };
  let passed = 0;
  return runs.map((run) => {
    const first = run.statements.find(isWork);
    for (; (sentByTests[passed]?.order ?? Infinity) < (first?.order ?? 0); passed++)
      ordinalsOf(sentByTests[passed]?.rerun).passTest(sentByTests[passed] ?? { text: "" });
    return { ...run, twin: ordinalsOf(first?.rerun).of(run.entry, first?.text ?? "") };
  });
}

/** True for what ran once more without any answer being changed: it shows what the first run did. */
function repeatsOnly({ statements }: Run): boolean {
  return (
    statements.some(({ rerun }) => rerun !== undefined) &&
    !statements.some(({ isPerturbed }) => isPerturbed)
  );
}

const LEVEL =
  /^set (session characteristics as |session |local )?transaction isolation level (read (?:un)?committed|repeatable read|serializable)/i;
const DEFAULT_LEVEL =
  /^set (?:session )?(?:@@(?:session\.)?)?(?:default_transaction_isolation|transaction_isolation|tx_isolation) ?(?:=|:=|to) ?(?:(\$1)|"?([a-z -]+)"?)$/i;

/** The level in a transaction's first word: `BEGIN ISOLATION LEVEL SERIALIZABLE`. */
const OWN_LEVEL =
  /(?<=^(?:begin|start)\b.*) isolation level (read (?:un)?committed|repeatable read|serializable)(?:,|$| (?=read|not|deferrable))/i;

/** Puts the level that a session or transaction asks for by SET on the BEGIN that it is about. */
function withLevels(
  statements: readonly RecordedStatement[],
  usual: string | undefined,
): readonly RecordedStatement[] {
  const levels = new Map<number, { session?: string; next?: string; begun?: number }>();
  const own: RecordedStatement[] = [];
  for (const statement of statements) {
    const state = levels.get(statement.connection) ?? {};
    levels.set(statement.connection, state);
    const { kind, text } = statement;
    const [, scope, level] = LEVEL.exec(text) ?? [];
    const [, given, word] = DEFAULT_LEVEL.exec(text) ?? [];
    const value = (given === undefined ? word : statement.arguments[0])?.replaceAll("-", " ");
    const begun = state.begun === undefined ? undefined : own[state.begun];
    if (level !== undefined && /^session/i.test(scope ?? "")) state.session = level;
    else if (/^default$/i.test(value ?? "")) delete state.session;
    else if (level === undefined && value !== undefined) state.session = value;
    else if (level !== undefined && begun) own[state.begun ?? 0] = { ...begun, level };
    else if (level !== undefined) state.next = level;
    const asked = OWN_LEVEL.exec(text)?.[1] ?? state.next ?? state.session;
    if (kind === "begin") {
      state.begun = own.length;
      delete state.next;
    } else if (statement.status === "idle") delete state.begun;
    // A session without autocommit begins by its first statement.
    const isBegun = kind !== "begin" && state.begun !== undefined;
    if (isBegun) own.push(statement);
    else own.push(atLevel(statement, asked ?? statement.level, usual));
  }
  return own;
}

/** Asking for the server's own level asks for nothing. */
function atLevel(
  statement: RecordedStatement,
  asked: string | undefined,
  usual: string | undefined,
): RecordedStatement {
  if (asked === undefined) return statement;
  if (asked.toLowerCase() !== usual?.toLowerCase()) return { ...statement, level: asked };
  const { level, text, ...rest } = statement;
  return level === undefined && !OWN_LEVEL.test(text)
    ? statement
    : { ...rest, text: text.replace(OWN_LEVEL, " ").trim() };
}

/** A transaction, or a statement that is one by itself. */
interface Block {
  readonly statements: readonly RecordedStatement[];
  readonly isTransaction: boolean;
}

function transactionsOf(sent: readonly RecordedStatement[]): readonly Block[] {
  const blocks: Block[] = [];
  let open: RecordedStatement[] = [];
  const close = (): void => {
    blocks.push({ statements: withEnd(open), isTransaction: true });
    open = [];
  };
  for (const statement of sent) {
    if (statement.kind === "session" || statement.kind === "ddl") {
      if (open.length > 0 && statement.status === "idle") close();
      continue;
    }
    const isIn = open.length > 0 || statement.kind === "begin" || statement.status !== "idle";
    if (!isIn) {
      const isEnd = statement.kind === "commit" || statement.kind === "rollback";
      if (!isEnd) blocks.push({ statements: [statement], isTransaction: false });
      continue;
    }
    open.push(statement);
    if (statement.status === "idle") close();
  }
  // A recording that was cut short, or a connection that left: nobody knows how it would have ended.
  if (open.length > 1) blocks.push({ statements: open, isTransaction: true });
  return blocks;
}

/** A script or a batch commits at its end without a word, and so does MySQL before DDL. */
function withEnd(statements: readonly RecordedStatement[]): readonly RecordedStatement[] {
  const last = statements.at(-1);
  if (last === undefined || last.error !== undefined) return statements;
  if (last.kind === "commit" || last.kind === "rollback") return statements;
  return [...statements, silent(last, "commit")];
}

/** The begin or end of a transaction that no statement asks for. */
function silent(statement: RecordedStatement, kind: "begin" | "commit"): RecordedStatement {
  const nothing = { arguments: [], forms: [], columns: [], rows: [], count: 0 };
  return { ...statement, ...nothing, kind, text: kind.toUpperCase() };
}

interface Stretch {
  readonly statements: readonly RecordedStatement[];
  readonly site?: CallSite;
  readonly isPart?: boolean;
}

const entryKey = ({ entry, entryPlace }: CallSite): string => `${entryPlace?.file ?? ""} ${entry}`;

/**
 * Entry points that are loops around the work of others (a worker's, which stands at one line): committed transactions
 * hold statements of several of their calls, as far as a hook could tell these. What they do is told by its statements.
 */
function loopsAround(blocks: readonly Block[]): ReadonlySet<string> {
  const counts = new Map<string, { lines: Set<number>; whole: number; split: number }>();
  for (const { statements, isTransaction } of blocks) {
    const sites = statements.flatMap(({ site }) => (site && site.isTest !== true ? [site] : []));
    const [first] = sites;
    if (first === undefined || new Set(sites.map(entryKey)).size > 1) continue;
    const count = counts.get(entryKey(first)) ?? { lines: new Set(), whole: 0, split: 0 };
    counts.set(entryKey(first), count);
    for (const { entryPlace } of sites) count.lines.add(entryPlace?.line ?? 0);
    const isDriver = isTransaction && statements[0]?.site === undefined;
    if (!isDriver || statements.at(-1)?.kind !== "commit") continue;
    if (new Set(sites.map(({ call }) => call)).size > 1) count.split++;
    else count.whole++;
  }
  const found = [...counts].filter(
    ([, { lines, whole, split }]) => lines.size === 1 && split >= 3 && 2 * split >= whole,
  );
  return new Set(found.map(([key]) => key));
}

/** Puts blocks of the same call together, and takes apart transactions that several calls (or a test) share. */
function stretchesOf(blocks: readonly Block[], loops: ReadonlySet<string>): readonly Stretch[] {
  const stretches: { statements: RecordedStatement[]; site?: CallSite; isPart?: boolean }[] = [];
  const add = (
    statements: readonly RecordedStatement[],
    site: CallSite | undefined,
    isPart = false,
  ): void => {
    const last = stretches.at(-1);
    // Tags that name no call (a route without a trace) do not tell one request from the next.
    const isOne = last?.site !== undefined && site?.call !== undefined;
    if (isOne && last.site && isSameCall(last.site, site)) last.statements.push(...statements);
    else
      stretches.push({
        statements: [...statements],
        ...(site && { site }),
        ...(isPart && { isPart }),
      });
  };
  for (const { statements, isTransaction } of blocks) {
    // A transaction that the application began is of the call that began it, whatever loops stand in it.
    const begun = isTransaction && statements[0]?.kind === "begin" ? statements[0].site : undefined;
    const sites = begun && begun.isTest !== true ? [begun] : callsOf(statements);
    const [only] = sites;
    if (only && sites.every((each) => loops.has(entryKey(each)))) {
      add(statements, undefined);
      continue;
    }
    if (sites.length <= 1 || !isTransaction) add(statements, only);
    else for (const part of sharedParts(statements)) add(part.statements, part.site, part.isPart);
  }
  return stretches;
}

/** The calls that a transaction's statements come from, each once. */
function callsOf(statements: readonly RecordedStatement[]): readonly CallSite[] {
  const found: CallSite[] = [];
  for (const { site } of statements)
    if (site && !found.some((each) => isSameCall(each, site))) found.push(site);
  return found;
}

function isSameCall(left: CallSite, right: CallSite): boolean {
  return (
    left.entry === right.entry &&
    left.call === right.call &&
    left.entryPlace?.file === right.entryPlace?.file &&
    left.isTest === right.isTest
  );
}

/**
 * The calls inside of one transaction that a test opened around them. Where it is rolled back, it is there to clean up:
 * savepoints are the application's transactions then, and what is outside of them would commit by itself.
 */
function sharedParts(statements: readonly RecordedStatement[]): readonly Stretch[] {
  const isCleanUp = statements.at(-1)?.kind !== "commit";
  const parts: { statements: RecordedStatement[]; site?: CallSite }[] = [];
  let depth = 0;
  for (const statement of statements) {
    if (statement.kind === "begin" || statement.kind === "commit" || statement.kind === "rollback")
      continue;
    const { site } = statement;
    const last = parts.at(-1);
    // A statement without a site belongs to the call around it.
    const isSame = site === undefined || (last?.site && isSameCall(last.site, site));
    const part = isSame ? last : { statements: [], ...(site && { site }) };
    if (part === undefined) continue;
    if (part !== last) {
      parts.push(part);
      depth = 0;
    }
    part.statements.push(isCleanUp ? asTransaction(statement, depth) : statement);
    if (statement.kind === "savepoint") depth++;
    if (statement.kind === "release" || statement.kind === "rollbackTo")
      depth = Math.max(0, depth - 1);
  }
  return isCleanUp ? parts : parts.map((part) => ({ ...part, isPart: true }));
}

function asTransaction(statement: RecordedStatement, depth: number): RecordedStatement {
  const isAlone = depth === 0 && statement.kind !== "savepoint";
  if (statement.kind === "savepoint" && depth === 0)
    return { ...statement, kind: "begin", text: "BEGIN" };
  if (statement.kind === "release" && depth === 1)
    return { ...statement, kind: "commit", text: "COMMIT" };
  if (statement.kind === "rollbackTo" && depth === 1)
    return { ...statement, kind: "rollback", text: "ROLLBACK" };
  return isAlone ? { ...statement, status: "idle" } : statement;
}

function runOf({ statements, site, isPart }: Stretch): Run {
  return {
    ...(site && { entry: site.entry }),
    ...(site?.entryPlace && { place: site.entryPlace }),
    statements: withoutEnds(statements, isPart === true),
    ...(isPart === true && { isPart: true }),
  };
}

/** Django's atomic rolls back to a savepoint and releases it then: a COMMIT behind ROLLBACK ends nothing. */
function withoutEnds(
  statements: readonly RecordedStatement[],
  isPart: boolean,
): readonly RecordedStatement[] {
  const kept: RecordedStatement[] = [];
  let isOpen = false;
  for (const statement of statements) {
    const { kind } = statement;
    if ((kind === "commit" || kind === "rollback") && !isOpen) continue;
    if (kind === "begin") isOpen = true;
    if (kind === "commit" || kind === "rollback") isOpen = false;
    // MySQL with autocommit off, and batches of the extended protocol, open a transaction without a word.
    if (
      !isOpen &&
      !isPart &&
      statement.status !== "idle" &&
      (kind === "read" || kind === "write")
    ) {
      kept.push(silent(statement, "begin"));
      isOpen = true;
    }
    kept.push(statement);
  }
  return kept;
}
