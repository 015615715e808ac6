// Diagnostics of MySQL: the conditions that the last statement met, for SHOW WARNINGS and for the counts in answers.
import { ofNode } from "../query/nodes";
import type { Catalog } from "./catalog";
import type { SqlDefinition } from "./definitionTree";
import type { SqlStatement } from "./statementTree";
import type { SqlError } from "./sqlError";

export interface Diagnostic {
  readonly level: "Note" | "Warning" | "Error";
  readonly code: number;
  readonly message: string;
}

export interface Diagnostics {
  readonly all: () => readonly Diagnostic[];
  readonly add: (diagnostic: Diagnostic) => void;
  /** A statement begins: what the one before met is forgotten, unless this one asks for it. */
  readonly begin: (statement: SqlStatement, catalog: Catalog) => void;
  readonly failed: (error: SqlError) => void;
}

/** As many as MySQL keeps (`max_error_count`). */
const MOST = 1024;

export function createDiagnostics(): Diagnostics {
  let all: Diagnostic[] = [];
  return {
    all: () => all,
    add(diagnostic) {
      if (all.length < MOST) all.push(diagnostic);
    },
    begin(statement, catalog) {
      if (asksForThem(statement)) return;
      all = statement.kind === "definition" ? skipped(catalog, statement.definition) : [];
    },
    failed({ number, message }) {
      all.push({ level: "Error", code: number, message });
    },
  };
}

/** True for SHOW WARNINGS and its like, and for `@@warning_count`, which is that of the statement before. */
const asksForThem = ofNode((statement: SqlStatement): boolean => {
  if (statement.kind === "show") return statement.of?.kind === "diagnostics";
  return statement.kind === "select" && /"@*(warning|error)_count"/.test(JSON.stringify(statement));
});

/** Notes of IF EXISTS and IF NOT EXISTS that skip something. */
function skipped(catalog: Catalog, definition: SqlDefinition): Diagnostic[] {
  if (definition.kind === "drop" && definition.ifExists && definition.what === "table")
    return definition.names
      .filter((name) => !catalog.tables.has(name))
      .map((name) => ({ level: "Note", code: 1051, message: `Unknown table '${name}'` }));
  const isThere =
    definition.kind === "create table" &&
    definition.ifNotExists &&
    catalog.tables.has(definition.table);
  return isThere
    ? [{ level: "Note", code: 1050, message: `Table '${definition.table}' already exists` }]
    : [];
}
