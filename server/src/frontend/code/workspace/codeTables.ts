// Tables that code itself declares, as the schemas and models of ORMs do.
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import { rangeOf } from "../../sql/text/lines";
import { createState } from "../evaluate/evaluator";
import { createModuleScopes } from "../evaluate/moduleScope";
import type { State, Workspace } from "../evaluate/state";
import type { HirStatement } from "../hir";
import { LIBRARIES } from "../libraries/libraries";
import type { ClassValue, Library } from "../libraries/library";
import { createChangedElsewhere } from "../effects/importedState";
import { createNameReachability } from "../callGraph/nameReachability";
import { reachOf } from "../callGraph/reachability";
import { pulseOf } from "../queries/slices";
import { createFacts, createTrace } from "../queries/dependencies";
import type { HandleValue } from "../values";
import { isOfLanguage, semanticsOf } from "../semantics";
import type { CodeSurroundings } from "./codeSurroundings";

/** The tables that the files declare in code, as ORMs' schemas do. */
export function codeTables(
  around: Pick<CodeSurroundings, "modules" | "files" | "lines" | "dialect">,
): readonly Table[] {
  const declaring = LIBRARIES.filter(({ declares }) => declares !== undefined);
  const isOne = (from: string): boolean =>
    declaring.some(({ modules }) => modules.includes(from) || modules.includes(packageOf(from)));
  const files = around.files.filter((file) =>
    around.modules.moduleOf(file)?.imports.some(({ from }) => isOne(from)),
  );
  if (files.length === 0) return [];
  const workspace: Workspace = {
    ...around,
    untraced: around.modules,
    changedElsewhere: createChangedElsewhere(around.files, around.modules),
    trace: createTrace(createFacts().facts),
    reach: NO_REACH,
    leads: createNameReachability(around.modules, { ...NO_REACH, isAsked: () => false }),
    table: () => undefined,
    models: () => undefined,
    // Code that a module runs while it is loaded is of no transaction.
    lowerSql: () => ({ statements: [] }),
    libraries: LIBRARIES,
    used: new Set(),
    pulse: pulseOf(undefined),
    moduleScope: (file) => scopes(file),
    fresh: (file) => fresh(file),
    counts: { births: 0, connections: 0 },
    logs: new Map(),
  };
  const fresh = (file: FileId): State => createState(workspace, file, "schema");
  const scopes = createModuleScopes(fresh);
  const state = fresh(firstFile(around));
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
  for (const library of declaring) {
    for (const table of library.tables?.(state.evaluator.tools(state, library)) ?? []) {
      if (!found.has(table.name)) found.set(table.name, table);
    }
  }
  return [...found.values()];
}

/** The package of a class of Java. */
function packageOf(from: string): string {
  return from.slice(0, Math.max(0, from.lastIndexOf(".")));
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
    const isOther =
      value.kind === "handle"
        ? value.library !== library
        : !isOfLanguage(library, semanticsOf(value.scope.module.file));
    if (isOther) continue;
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

const NO_REACH = reachOf([]);
