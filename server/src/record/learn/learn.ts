// The learner: the runs of an entry point become a tree of paths, whose arguments are told by where they come from and
// whose branches are told by what decided between them. The same runs give the same program.
import type { Protocol, Value } from "../events";
import { CONCEALED_PREFIX, CONCEALED_NUMBER, type RecordedStatement } from "../statements";
import type { Run } from "../runs";
import { resultColumns } from "./columns";
import { decide } from "./conditions";
import { holesOf } from "./holes";
import {
  integerOf,
  isKey,
  isSameColumn,
  numberOf,
  resultKnowns,
  type KnownValue,
  type Path,
} from "./knowns";
import { preparedRun } from "./paths";
import { inequalityOf } from "./inequality";
import { foldRepetition, listKey } from "./repetition";
import { oneSidedRows } from "./rowRanges";
import type {
  AnswerPlace,
  Decider,
  Doubt,
  LearntArm,
  LearntNode,
  LearntProgram,
  OpenFlow,
} from "./program";
import { pathTwins, type PathTwins } from "./twins";
import { originOf } from "./values";

export interface LearnOptions {
  readonly protocol: Protocol;
  /** The text that a concealed word stands for, where it may be shown. */
  readonly reveal: (word: string, column: string | undefined) => string | undefined;
}

/** The program behind the runs of one entry point; undefined where none of them did anything. */
export function learn(
  name: string,
  runs: readonly Run[],
  options: LearnOptions,
): LearntProgram | undefined {
  const prepared = runs.flatMap((run) => preparedRun(run) ?? []);
  if (prepared.length === 0) return undefined;
  const errors = new Map<string, number>();
  const plain = prepared.filter(({ isChanged }) => !isChanged);
  for (const { error } of plain)
    if (error !== undefined) errors.set(error, (errors.get(error) ?? 0) + 1);
  const complete = prepared.filter(({ error }) => error === undefined);
  const used = complete.length > 0 ? complete : prepared;
  const { paths, doubts } = foldRepetition(used.map(({ path }) => path));
  const twins = pathTwins(used, paths);
  const learner: Learner = {
    ...options,
    twins,
    doubts: [...doubts],
    flows: [],
    answers: new Map(),
    names: new Set(),
    reads: 0,
  };
  const isPart = runs.some((run) => run.isPart === true);
  const isUnit = paths.some((path) => !isOneTransaction(path)) && !isPart;
  const grown = grow(learner, paths, 0, []).nodes;
  const body = sharedEnds(isUnit ? withoutRollbacks(grown) : grown);
  const place = runs.find((run) => run.place !== undefined)?.place;
  const entry = runs.find((run) => run.entry !== undefined)?.entry;
  if (prepared.length < 3)
    learner.doubts.push(
      `learnt from ${String(prepared.length)} ${prepared.length === 1 ? "run" : "runs"}`,
    );
  if (paths.some((path) => path.some(({ kind, hasNoResult }) => kind === "read" && hasNoResult)))
    learner.doubts.push(
      "a log has no results: what follows from what was read is taken to come from outside",
    );
  if (isPart) learner.doubts.push("it ran inside of a transaction that others used as well");
  return {
    name,
    isUnit,
    ...(place && { at: `${place.file}:${String(place.line)}` }),
    runs: plain.length,
    changedRuns: prepared.length - plain.length,
    twins: [...new Set(plain.flatMap(({ twin }) => twin ?? []))],
    errors,
    body: isPart ? [control("begin", "BEGIN"), ...body, control("commit", "COMMIT")] : body,
    doubts: [...new Set(learner.doubts)],
    ...(entry !== undefined && { entry }),
    flows: learner.flows,
    answers: [...learner.answers.values()],
  };
}

interface Learner extends LearnOptions {
  readonly twins: PathTwins;
  readonly doubts: Doubt[];
  readonly flows: OpenFlow[];
  readonly answers: Map<string, AnswerPlace>;
  readonly names: Set<string>;
  reads: number;
}

function control(what: "begin" | "commit", sql: string): LearntNode {
  return { kind: "control", what, sql };
}

function isOwn({ kind }: RecordedStatement): boolean {
  return kind === "read" || kind === "write";
}

/** One BEGIN at its start and one end at its end, or a single statement. */
function isOneTransaction(path: Path): boolean {
  const begins = path.filter(({ kind }) => kind === "begin").length;
  const own = path.filter(isOwn).length;
  if (begins === 0) return own === 1;
  const ends = path.findIndex(({ kind }) => kind === "commit" || kind === "rollback");
  return begins === 1 && path[0]?.kind === "begin" && (ends < 0 || ends === path.length - 1);
}

interface Grown {
  readonly nodes: readonly LearntNode[];
  /** Arguments from outside that show first in these nodes. */
  readonly inputs: readonly KnownValue[];
}

/** The nodes from a point on that all of these runs have reached. */
function grow(
  learner: Learner,
  paths: readonly Path[],
  from: number,
  before: readonly KnownValue[],
): Grown {
  const nodes: LearntNode[] = [];
  const inputs: KnownValue[] = [];
  let knowns = before;
  for (let step = from; ; step++) {
    const ways = waysAt(paths, step);
    const [only] = ways;
    if (ways.length > 1) {
      const branch = fork(learner, ways, step, knowns);
      return { nodes: [...nodes, ...branch.nodes], inputs: [...inputs, ...branch.inputs] };
    }
    const statement = only?.[0]?.[step];
    if (statement === undefined) return { nodes, inputs };
    const grown = leaf(learner, paths, statement, step, knowns);
    const apart = inequalityOf(knowns, grown.inputs, paths);
    inputs.push(...grown.inputs);
    knowns = [...knowns, ...grown.inputs, ...grown.results];
    if (apart !== undefined) {
      learner.doubts.push(apart.doubt);
      const rest = grow(learner, paths, step + 1, knowns);
      const body = [grown.node, ...rest.nodes];
      const arms = [{ condition: apart.condition, runs: paths.length, body }, GIVEN_UP];
      return { nodes: [...nodes, { kind: "branch", arms }], inputs: [...inputs, ...rest.inputs] };
    }
    nodes.push(grown.node);
    if (grown.guard === undefined) continue;
    const rest = grow(learner, paths, step + 1, knowns);
    addFlow(learner, {
      key: `guard ${statementKey(paths, step)}`,
      doubt: `what it does where "${grown.guard.what}" is not what was read was not seen; it is taken to give up`,
      deciders: [placeOf(learner, paths, step)],
    });
    const arms: readonly LearntArm[] = [
      { condition: `${grown.guard.counter} > 0`, runs: paths.length, body: rest.nodes },
      GIVEN_UP,
    ];
    return { nodes: [...nodes, { kind: "branch", arms }], inputs: [...inputs, ...rest.inputs] };
  }
}

const GIVEN_UP: LearntArm = {
  runs: 0,
  body: [{ kind: "control", what: "quit", sql: "\\quit" }],
};

/** The runs apart by what they do at a step; those that do most come first. */
function waysAt(paths: readonly Path[], step: number): readonly (readonly Path[])[] {
  const ways = new Map<string, Path[]>();
  for (const path of paths) {
    const at = path[step];
    const key = `${at?.text ?? ""} ${at?.kind === "begin" ? (at.level ?? "") : ""}`;
    const way = ways.get(key) ?? [];
    ways.set(key, way);
    way.push(path);
  }
  const rest = (way: readonly Path[]): number => Math.max(...way.map((path) => path.length));
  return [...ways.entries()]
    .sort(
      ([a, left], [b, right]) =>
        rest(right) - rest(left) || right.length - left.length || (a < b ? -1 : 1),
    )
    .map(([, way]) => way);
}

/** A branch: every way but the last one has a condition. */
function fork(
  learner: Learner,
  ways: readonly (readonly Path[])[],
  step: number,
  knowns: readonly KnownValue[],
): Grown {
  const inputs: KnownValue[] = [];
  const arms = ways.map((here, at): LearntArm => {
    const grown = grow(learner, here, step, knowns);
    inputs.push(...grown.inputs);
    const elsewhere = ways.slice(at + 1).flat();
    if (elsewhere.length === 0) return { runs: here.length, body: grown.nodes };
    const later = grown.inputs;
    const fresh = (name: string): string => freshName(learner, name);
    const literal = (value: Value, column: string): string | undefined =>
      literalText(learner, value, "text", column);
    const question = {
      here,
      elsewhere,
      knowns,
      later,
      sent: steadyAmounts(here, step),
      step: step - 1,
      fresh,
      literal,
      twins: learner.twins.twins,
    };
    const { condition, doubt, deciders = [] } = decide(question);
    const aimsOf = (
      aimAt: (path: Path) => readonly number[],
    ): ReadonlyMap<string, readonly number[]> =>
      new Map(
        [...here, ...elsewhere].flatMap((path) => {
          const key = learner.twins.key(path);
          return key === undefined ? [] : [[key, aimAt(path)]];
        }),
      );
    if (doubt !== undefined)
      addFlow(learner, {
        key: `condition ${String(at)} ${step === 0 ? "" : statementKey(here, step - 1)}`,
        doubt,
        deciders: deciders.flatMap(({ known, aims = [], aimAt }) =>
          decidersOf(learner, [...here, ...elsewhere], known, aims).map((each) => ({
            ...each,
            ...(aimAt && { aimsOf: aimsOf(aimAt) }),
          })),
        ),
      });
    return { condition, runs: here.length, body: grown.nodes };
  });
  return { nodes: [{ kind: "branch", arms }], inputs };
}

/** Numbers that all of these runs send from a step on, without their signs: an amount is taken here and put there. */
function steadyAmounts(paths: readonly Path[], from: number): readonly number[] {
  const [first = []] = paths;
  return first.slice(from).flatMap(({ kind, arguments: own }, behind) =>
    kind === "write"
      ? own.flatMap((value, at) => {
          const number = numberOf(value);
          const isSteady = paths.every((path) => path[from + behind]?.arguments[at] === value);
          return number === undefined || !isSteady ? [] : [Math.abs(number)];
        })
      : [],
  );
}

function addFlow(learner: Learner, flow: OpenFlow): void {
  learner.doubts.push(flow.doubt);
  learner.flows.push(flow);
}

/** The statement at a step, as it can be told from others while a run goes on. */
function placeOf({ twins }: Learner, paths: readonly Path[], step: number): AnswerPlace {
  const [path = []] = paths;
  const runs = [...new Set(paths.flatMap((each) => twins.key(each) ?? []))];
  return { ...statementOf(path, step), runs };
}

function statementOf(path: Path, step: number): Pick<AnswerPlace, "text" | "occurrence"> {
  const text = listKey(path[step]?.text ?? "");
  const before = path.slice(0, step).filter((each) => listKey(each.text) === text);
  return { text, occurrence: before.length };
}

function statementKey([path = []]: readonly Path[], step: number): string {
  const { text, occurrence } = statementOf(path, step);
  return `${String(occurrence)} ${text}`;
}

/** The answer that a value was; none for keys, for what the statement asked for, and for what came from outside. */
function decidersOf(
  learner: Learner,
  paths: readonly Path[],
  { step, origin, at, column, fixed }: KnownValue,
  aims: readonly number[] = [],
): readonly Decider[] {
  if (origin === "input" || isKey(column) || fixed !== undefined) return [];
  const isRead = origin === "count" && paths.every((path) => path[step]?.affected === undefined);
  if (isRead) return [];
  return [{ ...placeOf(learner, paths, step), ...(at !== undefined && { column: at }), aims }];
}

interface Leaf {
  readonly node: LearntNode;
  readonly inputs: readonly KnownValue[];
  readonly results: readonly KnownValue[];
  /** It changes a row only where that still is what was read; no run showed what happens otherwise. */
  readonly guard?: { readonly counter: string; readonly what: string };
}

function leaf(
  learner: Learner,
  paths: readonly Path[],
  statement: RecordedStatement,
  step: number,
  knowns: readonly KnownValue[],
): Leaf {
  const { kind, text } = statement;
  if (kind !== "read" && kind !== "write") {
    const what = kind === "release" || kind === "session" || kind === "ddl" ? "savepoint" : kind;
    return {
      node: { kind: "control", what, sql: controlText(statement, learner.protocol) },
      inputs: [],
      results: [],
    };
  }
  const inputs: KnownValue[] = [];
  const holes = holesOf(text, learner.protocol);
  const independent = new Set(paths.map((path) => learner.twins.key(path) ?? path)).size;
  const expressions = holes.map((hole, at): string => {
    const origin = originOf({
      hole,
      step,
      paths,
      form: statement.forms[at] ?? "parameter",
      of: (path) => path[step]?.arguments[at],
      knowns: [...knowns, ...inputs],
      isWrite: kind === "write",
      independent,
      fresh: (name) => freshName(learner, name),
      literal: (value) =>
        literalText(learner, value, statement.forms[at] ?? "parameter", hole.column),
    });
    if (origin.input) inputs.push(origin.input);
    const { doubt, deciders = [] } = origin;
    if (doubt !== undefined)
      addFlow(learner, {
        key: `value ${String(at)} ${statementKey(paths, step)}`,
        doubt,
        deciders: deciders.flatMap((known) => decidersOf(learner, paths, known)),
      });
    return origin.expression;
  });
  learner.reads++;
  const prefix = `s${String(learner.reads)}_`;
  const counter = `n${String(learner.reads)}`;
  const { sql, names, sources } = resultColumns(
    withoutIdleLimit(text, paths, step),
    statement.columns,
    learner.protocol,
  );
  const fixed = new Map<string, string>();
  for (const [at, { column, isFixed }] of holes.entries()) {
    const expression = expressions[at] ?? "";
    const root = [...knowns, ...inputs].find((known) => known.expression === expression)?.fixed;
    if (isFixed && column !== undefined) fixed.set(column.toLowerCase(), root ?? expression);
  }
  const isRead = (expression: string, column: string): boolean =>
    knowns.some(
      (known) =>
        known.origin === "column" &&
        known.expression === expression &&
        isSameColumn(known.column, column),
    );
  const guard = holes.findIndex(
    ({ where, column }, at) =>
      where === "condition" &&
      column !== undefined &&
      !isKey(column) &&
      isRead(expressions[at] ?? "", column),
  );
  const isGuarded =
    guard >= 0 &&
    /^(?:update|delete)\b/i.test(text) &&
    paths.every((path) => (path[step]?.affected ?? 0) > 0);
  const hasResult = paths.every((path) => path[step]?.hasNoResult !== true);
  const results = hasResult ? resultKnowns(step, { prefix, counter, names, sources, fixed }) : [];
  for (const known of results)
    for (const answer of decidersOf(learner, paths, known))
      learner.answers.set(`${statementKey(paths, step)} ${String(answer.column)}`, answer);
  const place = paths.find((path) => path[step]?.site?.place !== undefined)?.[step]?.site?.place;
  const isAlone = paths.every((path) => path.filter(isOwn).length === 1);
  const rows = isAlone || isGuarded ? undefined : oneSidedRows(paths, step);
  const isLimited = rows !== undefined && statement.affected !== undefined && rows.least > 0;
  if (isLimited)
    learner.flows.push({
      key: `rows ${statementKey(paths, step)}`,
      doubt: "what it does where this changes no row was not seen",
      deciders: [placeOf(learner, paths, step)],
    });
  return {
    node: {
      kind: "statement",
      sql: filled(sql, expressions),
      prefix,
      counter,
      returns: statement.columns.length > 0,
      ...(rows !== undefined && { rows }),
      ...(place && { at: `${place.file}:${String(place.line)}` }),
    },
    inputs,
    results,
    ...(isGuarded && { guard: { counter: `:${counter}`, what: holes[guard]?.column ?? "" } }),
  };
}

/** A limit that no result came near bounds nothing that was seen: libraries set one to notice a second row. */
function withoutIdleLimit(text: string, paths: readonly Path[], step: number): string {
  const hole = /^select\b[^]* limit \$(\d+)(?=$| for )/i.exec(text)?.[1];
  if (hole === undefined) return text;
  const isIdle = paths.every((path) => {
    const limit = integerOf(path[step]?.arguments[Number(hole) - 1]) ?? 0;
    const isSeen = path[step]?.hasNoResult !== true;
    return isSeen && limit > 1 && (path[step]?.count ?? 0) * 2 <= limit;
  });
  return isIdle ? text.replace(/ limit \$\d+(?=$| for )/i, "") : text;
}

/** The level of a transaction is what its session asked for, or it itself. */
function controlText({ text, kind, level }: RecordedStatement, protocol: Protocol): string {
  if (kind !== "begin" || level === undefined || /isolation/i.test(text)) return text;
  const asked = `ISOLATION LEVEL ${level.toUpperCase()}`;
  return protocol === "mysql" ? `SET TRANSACTION ${asked};\n${text}` : `${text} ${asked}`;
}

/** The text with expressions for `$1`, `$2`, ...; one that is computed stands in parentheses. */
function filled(sql: string, expressions: readonly string[]): string {
  return sql.replace(/(\+ )?\$(\d+)/g, (_, plus: string | undefined, number: string) => {
    const expression = expressions[Number(number) - 1] ?? "NULL";
    if (plus !== undefined && /^- :\w+$/.test(expression)) return expression;
    return `${plus ?? ""}${/^- | [+-] /.test(expression) ? `(${expression})` : expression}`;
  });
}

function literalText(
  learner: Learner,
  value: Value,
  form: string,
  column: string | undefined,
): string | undefined {
  if (value === null) return "NULL";
  if (value.startsWith(CONCEALED_NUMBER)) {
    const number = learner.reveal(value, column);
    return form === "text" && number !== undefined ? `'${number}'` : number;
  }
  if (form === "number") return value;
  if (form === "parameter" && /^-?\d+(?:\.\d+)?$/.test(value)) return value;
  // Drivers of Java write Booleans in capitals.
  if (form === "parameter" && /^(?:t|f|TRUE|FALSE)$/.test(value))
    return /^t/i.test(value) ? "TRUE" : "FALSE";
  const shown = value.startsWith(CONCEALED_PREFIX)
    ? (learner.reveal(value, column) ?? value)
    : value;
  return `'${shown.replaceAll("'", "''")}'`;
}

function freshName(learner: Learner, wanted: string): string {
  const plain = wanted
    .toLowerCase()
    .replace(/\W/g, "_")
    .replace(/^(?=\d)/, "v");
  let name = plain;
  for (let number = 2; learner.names.has(name); number++) name = `${plain}${String(number)}`;
  learner.names.add(name);
  return name;
}

/** A unit that ends by ROLLBACK on another way gives up: scripts of units end their transactions outside of branches. */
function withoutRollbacks(nodes: readonly LearntNode[]): readonly LearntNode[] {
  const last = nodes.at(-1);
  if (last?.kind !== "branch") return nodes;
  const arms = last.arms.map((arm) => ({ ...arm, body: withoutRollbacks(arm.body) }));
  const isEnd = (node: LearntNode | undefined): boolean =>
    node?.kind === "control" && node.what === "rollback";
  if (arms.every(({ body }) => isEnd(body.at(-1))))
    return [...nodes.slice(0, -1), { ...last, arms }];
  const quit: LearntNode = { kind: "control", what: "quit", sql: "\\quit" };
  const own = arms.map((arm) =>
    isEnd(arm.body.at(-1)) ? { ...arm, body: [...arm.body.slice(0, -1), quit] } : arm,
  );
  return [...nodes.slice(0, -1), { ...last, arms: own }];
}

/** Where every arm of a branch ends with the same COMMIT, it stands behind the branch. */
function sharedEnds(nodes: readonly LearntNode[]): readonly LearntNode[] {
  const last = nodes.at(-1);
  if (last?.kind !== "branch") return nodes;
  const arms = last.arms.map((arm) => ({ ...arm, body: sharedEnds(arm.body) }));
  // An arm that gives up comes to no end of its own.
  const ends = arms.map(({ body }) => body.at(-1)).filter((each) => !isQuit(each));
  const [end] = ends;
  const isShared =
    end?.kind === "control" &&
    ends.every((each) => each?.kind === "control" && each.sql === end.sql);
  if (!isShared) return [...nodes.slice(0, -1), { ...last, arms }];
  const shorter = arms.map((arm) =>
    isQuit(arm.body.at(-1)) ? arm : { ...arm, body: arm.body.slice(0, -1) },
  );
  return [...nodes.slice(0, -1), { ...last, arms: shorter }, end];
}

function isQuit(node: LearntNode | undefined): boolean {
  return node?.kind === "control" && node.what === "quit";
}
