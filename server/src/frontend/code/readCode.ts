// From the modules of a workspace to its transactions: every function that runs by itself is evaluated; those that
// others were found to call are a part of these.
import type { Dialect } from "../../program/dialect";
import type { Note, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { FileId } from "../../protocol/source";
import { rangeOf, type LineIndex } from "../sql/lines";
import type { LowerSql } from "../sql/scriptState";
import { createState, evaluateRoot, type Evaluated, type Root } from "./evaluate/evaluator";
import { createModuleScopes } from "./evaluate/moduleScope";
import type { State, Workspace } from "./evaluate/state";
import type { HirStatement } from "./hir";
import { LIBRARIES } from "./libraries/libraries";
import type { ClassValue, Library } from "./libraries/library";
import { createClosures, type CodeMemory, type Environment } from "./memory";
import type { CodeModules } from "./modules";
import { rootsOf } from "./roots";
import { elementTypes, transactionOf } from "./unit";
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
    note: (note) => notes.push(note),
    libraries: LIBRARIES,
    used,
    moduleScope: (file) => scopes(file),
    counts: { births: 0, connections: 0 },
  };
  let current: State = createState(workspace, firstFile(around), "module");
  const scopes = createModuleScopes(() => current);
  const evaluated: Evaluated[] = [];
  const notesOf = new Map<Evaluated, readonly Note[]>();
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
    const { file } = root.callee.scope.module;
    const evaluate = (types?: State["elementTypes"]): Evaluated => {
      notes = [];
      current = createState(workspace, file, root.name, types);
      return evaluateRoot(root, current);
    };
    let result = evaluate();
    const types = elementTypes(result.body, around.table);
    if (types.size > 0) result = evaluate(types);
    evaluated.push(result);
    notesOf.set(result, notes);
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
      for (const { result, notes: told } of known.evaluated) {
        seen.add(result.root.key);
        evaluated.push(result);
        notesOf.set(result, told);
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
      const own = evaluated.slice(first);
      memory.keep(file, closure, environment, {
        evaluated: own.map((result) => ({ result, notes: notesOf.get(result) ?? [] })),
      });
    }
  }
  const own = new Set(kept(evaluated));
  // What is told of a helper alone (a table that its callers name) is nothing to those who call it.
  for (const each of evaluated) {
    if (each.statements === 0 || own.has(each)) notesOf.get(each)?.forEach(around.note);
  }
  return { transactions: [...own].flatMap((each) => transaction(each, around)) };
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
function kept(evaluated: readonly Evaluated[]): readonly Evaluated[] {
  const withStatements = evaluated.filter(({ statements }) => statements > 0);
  const callers = new Map<string, Set<string>>();
  for (const { root, inlined } of withStatements) {
    for (const key of inlined) {
      if (key === root.key) continue;
      callers.set(key, new Set([...(callers.get(key) ?? []), root.key]));
    }
  }
  const order = new Map(withStatements.map(({ root }, at) => [root.key, at]));
  return withStatements.filter(({ root }, at) => {
    const own = callers.get(root.key);
    if (!own) return true;
    const isMutual = [...own].every((caller) => {
      const back = callers.get(caller)?.has(root.key) ?? false;
      return back && (order.get(caller) ?? 0) > at;
    });
    return isMutual;
  });
}

function transaction(
  evaluated: Evaluated,
  { lines, table }: CodeSurroundings,
): readonly Transaction[] {
  const { callee } = evaluated.root;
  const index = lines(callee.scope.module.file);
  const { header, span } = callee.function;
  const places = {
    header: rangeOf(index, header.start, header.end),
    source: rangeOf(index, span.start, span.end),
  };
  const made = transactionOf(evaluated, places, table);
  return made ? [made] : [];
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
