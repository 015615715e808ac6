// The evaluation of the roots of a workspace, file by file: each function once, recalled where nothing that it depends on has
// changed.
import type { Note, Transaction } from "../../program/program";
import type { FileId } from "../../protocol/source";
import { rangeOf } from "../sql/text/lines";
import type { Span } from "../sql/text/split";
import { inferParameterTypes } from "../sql/types";
import { createState, rootWithout, type Evaluation, type Root } from "./evaluate/evaluator";
import { createModuleScopes } from "./evaluate/moduleScope";
import { undoAll, type Workspace } from "./evaluate/state";
import { functionsNaming } from "./callGraph/callerNames";
import type { FilePart } from "./workspace/readingOrder";
import { withInputTypes } from "./roots/inputTypes";
import type { HirModule } from "./hir";
import type { ModuleCall } from "./modules/references";
import type { ModuleScope } from "./values";
import { createChangedElsewhere } from "./effects/importedState";
import { createNameReachability } from "./callGraph/nameReachability";
import { LIBRARIES } from "./libraries/libraries";
import type { Library } from "./libraries/library";
import type { Round } from "./queries/memo";
import { nearDatabase } from "./callGraph/moduleReachability";
import { functionKey, originOf } from "./queries/origins";
import { namesElsewhere } from "./callGraph/aliases";
import { evaluateToTheEnd, failureOf, passedAt, passedOver, passedRoot } from "./roots/omissions";
import { reachOf, type NameReachability, type Reach } from "./callGraph/reachability";
import { atomicPlaces, placesIn } from "./roots/places";
import { rootsOf, type ModuleRoot } from "./roots/roots";
import { pulseOf, type ReadingStep, type SlicedWork } from "./queries/slices";
import {
  unionOfDependencies,
  createFacts,
  createTrace,
  dependencies,
  withTrace,
  type Dependencies,
} from "./queries/dependencies";
import { reachedSites } from "./callGraph/unreachedCalls";
import { semanticsOf } from "./semantics";
import type { PassedFunction, Present, ReadFunction, RootReading } from "./queries/rootReading";
import type { CodeSurroundings } from "./workspace/codeSurroundings";
import { declaringDigests } from "./queries/persistence";
import { partNumbers } from "./queries/stableIds";
import { transactionOf } from "./roots/unit";

/** The evaluation of the roots of a workspace. */
interface WorkspaceEvaluation {
  readonly around: CodeSurroundings;
  readonly workspace: Workspace;
  /** Reachability, whose questions here are no dependencies of the roots. */
  readonly reach: Reach;
  readonly leads: NameReachability;
  readonly scopes: (file: FileId) => ModuleScope | undefined;
  /** The state of the workspace that readings of a file depend on. */
  readonly present: (file: FileId) => Present;
  /** The files whose functions may use a database. */
  readonly near: ReadonlySet<FileId>;
  /** The keys of the functions that were evaluated, or recalled. */
  readonly seen: Set<string>;
  readonly evaluated: ReadFunction[];
  /** The keys of functions that were skipped or cut short, which is reported. */
  readonly passedKeys: Set<string>;
}

/** The shared parts of the evaluation: reachability, dependencies, and the files near a database. */
export function* beginEvaluation(around: CodeSurroundings): SlicedWork<WorkspaceEvaluation> {
  const { files, modules, memory, libraries = LIBRARIES, isStopped = () => false } = around;
  const used = usedModules(around);
  const base = memory?.base ?? createFacts();
  const trace = createTrace(base.facts);
  around.watchTables?.((kind, name) => {
    trace.use(trace.facts[kind].cell(name));
  });
  const known = new Set(LIBRARIES);
  const described = new Set(
    libraries.flatMap((each) => (known.has(each) ? [] : [...each.modules])),
  );
  const asking = { used, models: around.models };
  // The tables of a later phase change nothing of the code.
  const world = base.worldOf([modules, around.models, libraries, ...files], () => {
    const hirs = files.flatMap((file) => modules.moduleOf(file) ?? []);
    const reach = (memory?.reachOf ?? reachOf)(hirs, namesElsewhere(files, modules));
    const leads = createNameReachability(modules, {
      isReachedBy: reach.isReachedBy,
      described,
      isAsked: (call) => libraries.some((each) => each.asks?.(call, asking) === true || mayBeOfRow(each, call, used)), // prettier-ignore
    });
    return {
      modules,
      files,
      reach,
      leads,
      changedElsewhere: createChangedElsewhere(files, modules),
    };
  });
  const { reach, leads, changedElsewhere } = world;
  const workspace: Workspace = {
    ...around,
    changedElsewhere,
    ...withTrace(trace, modules, reach, leads),
    untraced: modules,
    trace,
    libraries,
    used,
    moduleScope: (file) => scopes(file),
    fresh: (file) => createState(workspace, file, "module"),
    pulse: pulseOf(around.isStopped),
    counts: { births: 0, connections: 0 },
    logs: new Map(),
  };
  const scopes = createModuleScopes(workspace.fresh);
  const snapshot = { moduleOf: modules.moduleOf, lines: around.lines };
  base.begin(world, { spelling: (name) => name, tables: around, ...around });
  const present = presentOf(around, { snapshot }, used);
  const near = yield* nearDatabase(files, modules, { used, described }, isStopped);
  return {
    around,
    workspace,
    reach,
    leads,
    scopes,
    present,
    near,
    seen: new Set(),
    evaluated: [],
    passedKeys: new Set(),
  };
}

/** True if a call may be a method of a row of that library, whatever it is called on. */
function mayBeOfRow(
  { name, statementsOfRows }: Library,
  { method, isOfPackage, isPromise }: ModuleCall,
  used: ReadonlySet<string>,
): boolean {
  return isPromise && used.has(name) && !isOfPackage && statementsOfRows?.has(method) === true;
}

/** Evaluates a function; keeps its writes until the functions that it created have been evaluated. */
function evaluate(evaluation: WorkspaceEvaluation, root: Root, into: Gathered): void {
  const { seen, workspace, around } = evaluation;
  if (seen.has(root.key)) {
    // An earlier root led to this one.
    if (!into.own.has(root.key)) into.elsewhere.add(root.key);
    return;
  }
  seen.add(root.key);
  into.own.add(root.key);
  if (!workspace.reach.mayReach(root.callee.function)) return;
  if (into.steps === 0) {
    into.isCut = true;
    into.passed.push(passedRoot(root, around));
    return;
  }
  const { file } = root.callee.scope.module;
  const isWithout = root.without !== undefined;
  const state = createState(workspace, file, root.name, root.callee.function.span, isWithout);
  const budget = Math.min(state.budget, into.steps);
  state.budget = budget;
  const { failure, isBroken, ...whole } = evaluateToTheEnd(root, state);
  const types = inferParameterTypes(whole.body, around.table);
  const result = { ...whole, body: withInputTypes(whole.body, types) };
  into.steps -= budget - Math.max(0, state.budget);
  into.isCut ||= state.budget < 0;
  into.isBroken ||= isBroken;
  const isAround = (root.madeOf ?? []).some(({ function: hir, scope: { module } }) =>
    state.ranInside.has(functionKey(module.file, hir)),
  );
  if (root.isWrapper === true && !isAround) {
    undoAll(state);
    return;
  }
  // A function that exceeded the budget without a statement so far may still run one later.
  if (state.budget < 0 && result.statements === 0) {
    into.passed.push(passedRoot(root, around, failure === undefined ? {} : { failure }));
  }
  into.evaluated.push(readFunction(result, around));
  for (const each of result.handlers) evaluate(evaluation, each, into);
  undoAll(state);
  // A single statement behaves the same inside and outside of its caller's transaction.
  if (whole.mayLack !== undefined && whole.statements > 1) {
    evaluate(evaluation, rootWithout(root, whole.mayLack), into);
  }
}

/** True if the functions of a reading are still its own, and those of others were seen. */
function isSame({ own, elsewhere }: RootReading, isSeen: (key: string) => boolean): boolean {
  return ![...own].some(isSeen) && [...elsewhere].every(isSeen);
}

/** Takes the result of a reading that holds. */
function adopt(evaluation: WorkspaceEvaluation, { own, evaluated }: RootReading): void {
  const { seen } = evaluation;
  for (const key of own) seen.add(key);
  evaluation.evaluated.push(...evaluated);
}

/** Adopts the readings of earlier rounds if the same functions are left to the file; true if they are. */
function adoptRounds(evaluation: WorkspaceEvaluation, rounds: readonly Round[]): boolean {
  const { seen } = evaluation;
  const own = new Set<string>();
  const isSeen = (key: string): boolean => own.has(key) || seen.has(key);
  for (const round of rounds) {
    const isAgain = "before" in round ? isSeen(round.before) : isSame(round.reading, isSeen);
    if (!isAgain) return false;
    if ("reading" in round) for (const key of round.reading.own) own.add(key);
  }
  for (const round of rounds) if ("reading" in round) adopt(evaluation, round.reading);
  return true;
}

/** Evaluates a root or recalls its result. */
function readRoot(
  evaluation: WorkspaceEvaluation,
  found: ModuleRoot,
  file: FileId,
  steps: number,
): RootReading {
  const { present, seen, around, workspace } = evaluation;
  const { trace } = workspace;
  const { name, function: hir, argument } = found;
  const asked = { file, name, function: hir, steps, ...(argument !== undefined && { argument }) };
  const kept = found.isPassing === true ? undefined : around.memory;
  const known = kept?.recall(asked, present(file));
  // Recalls the result only if exactly the same functions had been reached by earlier roots.
  if (known && isSame(known, (key) => seen.has(key))) {
    adopt(evaluation, known);
    return known;
  }
  const into: Gathered = {
    evaluated: [],
    own: new Set(),
    steps,
    isCut: false,
    isBroken: false,
    elsewhere: new Set(),
    passed: [],
  };
  const uses: Dependencies = new Set();
  trace.during(uses, () => {
    try {
      evaluate(evaluation, found.root(), into);
    } catch (error) {
      const at = found.function.header;
      into.isCut = true;
      into.isBroken = true;
      into.passed.push(passedAt(found, found.file, at, around, failureOf(error)));
    }
  });
  const used = unionOfDependencies(found.used, uses);
  const evaluated = withNotesOf(used, into.evaluated);
  evaluation.evaluated.push(...evaluated);
  const reading = { ...into, evaluated, steps: steps - into.steps };
  kept?.keep(asked, present(file), dependencies(used), reading);
  return reading;
}

export function* readFile(
  evaluation: WorkspaceEvaluation,
  { file, naming }: FilePart,
  step: ReadingStep,
): SlicedWork<void> {
  const { around, near, present, passedKeys } = evaluation;
  const { modules, memory } = around;
  const hir = modules.moduleOf(file);
  const unreadPart = hir ? hir.errors[0] : WHOLE;
  if (unreadPart) around.note(unparsed(unreadPart, file, around));
  if (!hir || !near.has(file)) return;
  const known = memory?.recallFile(file, present(file));
  const passed =
    known && adoptRounds(evaluation, known)
      ? known.flatMap((round) => ("reading" in round ? round.reading.passed : []))
      : yield* readRoots(evaluation, file, hir, step, naming);
  for (const note of passedOver(passed)) around.note(note);
  for (const { key } of passed) passedKeys.add(key);
}

function* readRoots(
  evaluation: WorkspaceEvaluation,
  file: FileId,
  hir: HirModule,
  step: ReadingStep,
  naming?: ReadonlySet<string>,
): SlicedWork<readonly PassedFunction[]> {
  const { scopes, workspace, around, seen, reach, leads, present } = evaluation;
  const { trace } = workspace;
  const scope = scopes(file);
  if (!scope) return [];
  let steps = MOST_STEPS;
  const passed: PassedFunction[] = [];
  const rounds: Round[] = [];
  const used: Dependencies = new Set();
  const roots = rootsOf(file, hir, scope, {
    state: () => createState(workspace, file, "module"),
    trace,
    used,
    failed: (error, { name, span }) => {
      const key = `${file}#${name}`;
      const failure = failureOf(error);
      // A named top-level value is also exported under that name.
      if (passed.some((each) => each.key === key)) return;
      passed.push(passedAt({ key, name }, file, span, around, failure));
    },
  });
  const isWhole = passed.length === 0;
  const functions = roots.map((root) => root.function);
  const isAsked = naming ? functionsNaming(hir, functions, naming) : undefined;
  for (const root of roots) {
    // An inherited method calls the methods of the subclass.
    if (root.file === file && isAsked?.(root.function) === false) continue;
    if (seen.has(root.key)) {
      rounds.push({ before: root.key });
      continue;
    }
    used.add(trace.entry(trace.facts.reach.cell(originOf(root.function))));
    if (!reach.mayReach(root.function)) continue;
    if (root.isPassing !== true) {
      used.add(trace.entry(trace.facts.leads.cell(file, originOf(root.function))));
      if (!leads.mayLead(root.file, root.function)) continue;
    }
    if (steps === 0) {
      const { key, name } = root;
      passed.push(passedAt({ key, name }, root.file, root.function.header, around));
      continue;
    }
    yield step;
    const reading = readRoot(evaluation, root, file, steps);
    steps -= reading.steps;
    passed.push(...reading.passed);
    rounds.push({ reading });
  }
  // Calls that were skipped for lack of steps belong to no root.
  if (steps > 0 && isWhole && !naming)
    around.memory?.keepFile(file, present(file), dependencies(unionOfDependencies(used)), rounds);
  return passed;
}

/** The findings of a root and of the functions that run because of it. */
interface Gathered {
  readonly evaluated: ReadFunction[];
  readonly own: Set<string>;
  /** Remaining steps. */
  steps: number;
  isCut: boolean;
  isBroken: boolean;
  /** The keys of functions that it leads to and that earlier roots reached first. */
  readonly elsewhere: Set<string>;
  /** Parts that were skipped or cut short. */
  readonly passed: PassedFunction[];
}

/** Step budget for all functions of a file. The largest router of a real application takes half of it. */
const MOST_STEPS = 400_000;

/** Stands for a file that the parser gave up on: an empty range at its start. */
const WHOLE: Span = { start: 0, end: 0 };

function unparsed(at: Span, file: FileId, { lines }: CodeSurroundings): Note {
  const message =
    at === WHOLE
      ? "This file could not be parsed: it takes too long or too much memory. Nothing of it was read."
      : "This could not be parsed, or is nested too deeply: statements in and around it may be missing.";
  const source = rangeOf(lines(file), at.start, at.end);
  const code = at === WHOLE ? "code-unread" : "code-syntax";
  return { severity: "information", code, message, source };
}

/**
 * The present state that a file's readings depend on. In Java this is all files: classes are known by name alone, and the implementations
 * of an interface depend on still more files, so these readings are not persisted.
 */
function presentOf(
  around: CodeSurroundings,
  now: Omit<Present, "environment" | "lasting">,
  used: ReadonlySet<string>,
): (file: FileId) => Present {
  const { environment = [], modules, files } = around;
  const usual = [...environment, [...used].sort().join(), around.libraries ?? LIBRARIES];
  const lasting = lastingPresent(around, now, usual);
  const present: Present = { ...now, environment: usual, ...(lasting && { lasting }) };
  let ofJava: Present | undefined;
  return (file) => {
    if (semanticsOf(file).namesByImport) return present;
    const all = files
      .filter((each) => !semanticsOf(each).namesByImport)
      .flatMap((each) => modules.moduleOf(each) ?? []);
    ofJava ??= { ...now, environment: [...usual, ...all] };
    return ofJava;
  };
}

/** Adds the notes on the names that a root uses. */
function withNotesOf(
  used: Dependencies,
  evaluated: readonly ReadFunction[],
): readonly ReadFunction[] {
  const notes = [...used].flatMap((each) => each.notes);
  const [first, ...others] = evaluated;
  if (notes.length === 0 || first === undefined) return evaluated;
  return [{ ...first, notes: [...notes, ...first.notes] }, ...others];
}

function readFunction(result: Evaluation, around: CodeSurroundings): ReadFunction {
  const { root, statements, inlined, body, notes } = result;
  const made = statements > 0 ? transaction(result, around) : undefined;
  return {
    key: root.key,
    ...(root.without && { calledAs: root.without.key }),
    names: namesOf(root),
    statements,
    inlined,
    unfollowed: [...result.unfollowed].map(([key, loss]) => ({ key, loss })),
    reached: reachedSites(result, around),
    places: statements > 0 ? placesIn(body) : [],
    atomics: statements > 0 ? atomicPlaces(body) : [],
    notes: made ? notes : [...notes, ...unreachedOf(result)],
    ...(made && { transaction: made }),
  };
}

/** Calls that may use a database, of a function that is no transaction for all that is known: each callee once. */
function unreachedOf({ taint }: Evaluation): readonly Note[] {
  return taint.flatMap(({ effect, reason, source }): readonly Note[] =>
    effect === "opaque" && source
      ? [
          {
            severity: "information",
            code: "call-unreached",
            message: `${reason}: its statements are in no transaction.`,
            source,
            calls: 1,
          },
        ]
      : [],
  );
}

/** The names of libraries that any module imports. */
function usedModules({
  modules,
  files,
  libraries = LIBRARIES,
}: CodeSurroundings): ReadonlySet<string> {
  const used = new Set<string>();
  for (const file of files) {
    for (const { from } of modules.moduleOf(file)?.imports ?? []) {
      const library = libraries.find((each) => each.modules.includes(from));
      if (library) used.add(library.name);
    }
  }
  return used;
}

/** The present state that persisted readings are compared with. */
function lastingPresent(
  { lasting, modules, files, lines }: CodeSurroundings,
  { snapshot }: Pick<Present, "snapshot">,
  environment: readonly unknown[],
): Present["lasting"] {
  if (!lasting) return undefined;
  const digests = new Map<string, string>();
  const digest = (text: string): string => {
    const known = digests.get(text) ?? lasting.digest(text);
    digests.set(text, known);
    return known;
  };
  // A text that took too long to parse may parse faster the next time.
  const digestOf = (file: FileId): string =>
    snapshot.moduleOf(file) ? digest(lines(file).text) : "";
  // `lasting.environment` has the text of everything else.
  const texts = environment.filter((each) => typeof each === "string");
  return {
    numbers: partNumbers(modules.moduleOf),
    environment: digest(JSON.stringify([lasting.environment, ...texts])),
    digest,
    digestOf,
    declaring: declaringDigests(snapshot, files, { digest, digestOf }),
  };
}

/** The name by which others may call a root. It differs from the displayed name, which may be a position. */
function namesOf(root: Root): readonly string[] {
  const { name, callee } = root.without ?? root;
  const all = [
    name,
    callee.name,
    callee.function.name,
    ...(root.madeOf ?? []).map((of) => of.name),
  ];
  const last = all.flatMap((each) => each?.slice(each.lastIndexOf(".") + 1) ?? []);
  return [...new Set(last)];
}

function transaction(
  evaluated: Evaluation,
  { lines, table }: CodeSurroundings,
): Transaction | undefined {
  const { callee, heir, madeOf = [callee] } = evaluated.root;
  const [shown = callee] = madeOf;
  const index = lines(heir?.file ?? shown.scope.module.file);
  const { header, span } = heir?.class ?? shown.function;
  const places = {
    header: rangeOf(index, header.start, header.end),
    source: rangeOf(index, span.start, span.end),
  };
  return transactionOf(evaluated, places, table);
}
