// From the modules of a workspace to its transactions: every function that runs by itself is evaluated; those that
// others were found to call are a part of these.
import type { Dialect } from "../../program/dialect";
import type { Note, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command } from "../../program/statement";
import type { FileId, SourceRange } from "../../protocol/source";
import { rangeOf, type LineIndex } from "../sql/lines";
import type { LowerSql } from "../sql/scriptState";
import { inferParameterTypes } from "../sql/types";
import { walkCommand } from "../sql/walk";
import { createState, evaluateRoot, type Evaluated, type Root } from "./evaluate/evaluator";
import { createModuleScopes } from "./evaluate/moduleScope";
import type { State, Workspace } from "./evaluate/state";
import type { HirStatement } from "./hir";
import { LIBRARIES } from "./libraries/libraries";
import type { ClassValue, Library } from "./libraries/library";
import { createClosures, type CodeMemory, type Environment, type ReadFunction } from "./memory";
import type { CodeModules } from "./modules";
import { reachOf } from "./reach";
import { rootsOf } from "./roots";
import { transactionOf } from "./unit";
import type { HandleValue } from "./values";

/** What reading code needs of the workspace around it. */
export interface CodeSurroundings {
  readonly modules: CodeModules;
  /** The files whose functions are roots; others are read where these lead to them. */
  readonly files: readonly FileId[];
  readonly lines: (file: FileId) => LineIndex;
  readonly dialect: Dialect;
  readonly table: (name: string) => Table | undefined;
  readonly lowerSql: LowerSql;
  readonly note: (note: Note) => void;
  /** What schema files of an ORM say, by its library. */
  readonly models: (library: string) => unknown;
  /** Earlier readings, with what else these depend on. */
  readonly memory?: CodeMemory;
  readonly environment?: Environment;
}

export interface CodeReading {
  readonly transactions: readonly Transaction[];
}

/**
 * The transactions of the files' functions, in order of file and text. Never throws for bad input: what is not
 * understood taints the transaction that it is a part of.
 */
export function readCode(around: CodeSurroundings): CodeReading {
  const used = usedModules(around);
  let notes: Note[] = [];
  const workspace: Workspace = {
    ...around,
    reach: reachOf(around.files.flatMap((file) => around.modules.moduleOf(file) ?? [])),
    note: (note) => notes.push(note),
    libraries: LIBRARIES,
    used,
    moduleScope: (file) => scopes(file),
    counts: { births: 0, connections: 0 },
  };
  let current: State = createState(workspace, firstFile(around), "module");
  const scopes = createModuleScopes(() => current);
  const evaluated: ReadFunction[] = [];
  const seen = new Set<string>();
  let here = new Set<string>();
  let isWhole = true;
  const run = (root: Root): void => {
    if (seen.has(root.key)) {
      // Another file led here: whether it still does is not told by what this file uses.
      if (!here.has(root.key)) isWhole = false;
      return;
    }
    seen.add(root.key);
    here.add(root.key);
    if (!workspace.reach.mayReach(root.callee.function)) return;
    const { file } = root.callee.scope.module;
    const evaluate = (types?: State["elementTypes"]): Evaluated => {
      notes = [];
      current = createState(workspace, file, root.name, types, root.callee.function.span);
      return evaluateRoot(root, current);
    };
    let result = evaluate();
    const types = inferParameterTypes(result.body, around.table).elements;
    if (types.size > 0) result = evaluate(types);
    const made = result.statements > 0 ? transaction(result, around) : undefined;
    evaluated.push({ result, notes, ...(made && { transaction: made }) });
    result.handlers.forEach(run);
  };
  const { memory, environment: surroundings = [] } = around;
  const environment = [...surroundings, [...used].sort().join()];
  const closureOf = createClosures(around.modules, around.files);
  for (const file of around.files) {
    const hir = around.modules.moduleOf(file);
    const closure = memory && closureOf(file);
    const known = closure && memory.recall(file, closure, environment);
    if (known && known.evaluated.every(({ result }) => !seen.has(result.root.key))) {
      for (const each of known.evaluated) {
        seen.add(each.result.root.key);
        evaluated.push(each);
      }
      continue;
    }
    const scope = hir && scopes(file);
    if (!hir || !scope) continue;
    current = createState(workspace, file, "module");
    const first = evaluated.length;
    isWhole = true;
    here = new Set();
    rootsOf(file, hir, scope, current).forEach(run);
    if (closure && isWhole) {
      memory.keep(file, closure, environment, { evaluated: evaluated.slice(first) });
    }
  }
  const own = new Set(kept(evaluated));
  // What is told of a helper alone (a table that its callers name) is nothing to those who call it.
  for (const each of evaluated) {
    if (each.result.statements === 0 || own.has(each)) each.notes.forEach(around.note);
  }
  return { transactions: [...own].flatMap((each) => each.transaction ?? []) };
}

/** The tables that the files declare in code, as ORMs' schemas do. */
export function codeTables(
  around: Pick<CodeSurroundings, "modules" | "files" | "lines" | "dialect">,
): readonly Table[] {
  const declaring = LIBRARIES.filter(({ declares }) => declares !== undefined);
  const isOne = (from: string): boolean => declaring.some(({ modules }) => modules.includes(from));
  const files = around.files.filter((file) =>
    around.modules.moduleOf(file)?.imports.some(({ from }) => isOne(from)),
  );
  if (files.length === 0) return [];
  const workspace: Workspace = {
    ...around,
    reach: reachOf([]),
    table: () => undefined,
    models: () => undefined,
    note: () => undefined,
    // What a module runs while it is loaded is of no transaction.
    lowerSql: () => ({ statements: [] }),
    libraries: LIBRARIES,
    used: new Set(),
    moduleScope: (file) => scopes(file),
    counts: { births: 0, connections: 0 },
  };
  const state = createState(workspace, firstFile(around), "schema");
  const scopes = createModuleScopes(() => state);
  const found = new Map<string, Table>();
  for (const file of files) {
    const hir = around.modules.moduleOf(file);
    for (const statement of hir?.body ?? []) {
      const name = declaredName(statement);
      const value = name === undefined ? undefined : scopes(file)?.lookup(name);
      if (value?.kind !== "handle" && value?.kind !== "class") continue;
      const table = declaredTable(value, declaring, state);
      const lines = around.lines(file);
      const { start, end } = statement.span;
      if (table) found.set(table.name, { ...table, source: rangeOf(lines, start, end) });
    }
  }
  return [...found.values()];
}

function declaredName(statement: HirStatement): string | undefined {
  if (statement.kind === "class") return statement.class.name;
  if (statement.kind !== "let" || statement.pattern.kind !== "bind") return undefined;
  return statement.pattern.name;
}

function declaredTable(
  value: HandleValue | ClassValue,
  declaring: readonly Library[],
  state: State,
): Table | undefined {
  for (const library of declaring) {
    if (value.kind === "handle" && value.library !== library) continue;
    const table = library.declares?.(value, state.evaluator.tools(state, library));
    if (table) return table;
  }
  return undefined;
}

function firstFile({ files }: Pick<CodeSurroundings, "files">): FileId {
  const [first] = files;
  if (first === undefined) throw new Error("there is no file of code");
  return first;
}

/** What others call is a part of them; of two that call each other the first is kept. */
function kept(evaluated: readonly ReadFunction[]): readonly ReadFunction[] {
  const withStatements = evaluated.filter(({ result }) => result.statements > 0);
  const callers = new Map<string, Set<string>>();
  for (const { root, inlined } of withStatements.map(({ result }) => result)) {
    for (const key of inlined) {
      if (key === root.key) continue;
      const known = callers.get(key);
      if (known) known.add(root.key);
      else callers.set(key, new Set([root.key]));
    }
  }
  const order = new Map(withStatements.map(({ result }, at) => [result.root.key, at]));
  const places = new Map(
    withStatements.map(({ result }) => [result.root.key, placesIn(result.body)] as const),
  );
  return withStatements.filter(({ result: { root, body } }, at) => {
    const own = callers.get(root.key);
    if (!own) return true;
    // Where its callers end before its transactions, or do not lead to them, they are its own.
    const found = new Set([...own].flatMap((caller) => [...(places.get(caller) ?? [])]));
    if (!atomicPlaces(body).every((each) => each.some((place) => found.has(place)))) return true;
    const isMutual = [...own].every((caller) => {
      const back = callers.get(caller)?.has(root.key) ?? false;
      return back && (order.get(caller) ?? 0) > at;
    });
    return isMutual;
  });
}

/** Where a command's transactions and statements stand in the text. */
function placesIn(body: Command): ReadonlySet<string> {
  const places = new Set<string>();
  walkCommand(body, {
    command: (each) => {
      if (each.kind === "atomic") places.add(placeOf(each.source));
    },
    statement: ({ source }) => places.add(placeOf(source)),
  });
  return places;
}

/** The places of each transaction of a command: those inside of one that it joined are as good as its own. */
function atomicPlaces(body: Command): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  walkCommand(body, {
    command: (each) => {
      if (each.kind === "atomic") found.push([placeOf(each.source), ...placesIn(each.body)]);
    },
  });
  return found;
}

function placeOf({ file, range: { start } }: SourceRange): string {
  return `${file}:${String(start.line)}:${String(start.character)}`;
}

function transaction(
  evaluated: Evaluated,
  { lines, table }: CodeSurroundings,
): Transaction | undefined {
  const { callee } = evaluated.root;
  const index = lines(callee.scope.module.file);
  const { header, span } = callee.function;
  const places = {
    header: rangeOf(index, header.start, header.end),
    source: rangeOf(index, span.start, span.end),
  };
  return transactionOf(evaluated, places, table);
}

/** The names of libraries that some module imports. */
function usedModules({ modules, files }: CodeSurroundings): ReadonlySet<string> {
  const used = new Set<string>();
  for (const file of files) {
    for (const { from } of modules.moduleOf(file)?.imports ?? []) {
      const library = LIBRARIES.find((each) => each.modules.includes(from));
      if (library) used.add(library.name);
    }
  }
  return used;
}
