// Definitions as a session carries them out: at once for all sessions, together with the rows that they change, and taken
// back with their transaction.
import type { Reply, Request } from "../exploration/client";
import { undoable, type Catalog } from "./catalog";
import { applyDefinition, unusedStorage } from "./define";
import { copySpelling, rememberSpelling, type Spelling } from "./mysql/spelling";
import { changedRows, hasRows, rewriteRows } from "./run/rewrite";
import type { StatementContext, StatementEnd } from "./run/statement";
import { commandResult } from "./sessionParts";
import { withNewSequences } from "./sessionSequences";
import { isFree } from "./sessionConstraints";
import type { State } from "./sessionState";
import type { SqlResult, Sequences } from "./sessionTypes";
import type { SqlStatement } from "./statementTree";

type Steps = Generator<Request, SqlResult, Reply>;
type Definition = Extract<SqlStatement, { readonly kind: "definition" }>;

export interface DefinitionHost {
  readonly catalog: Catalog;
  readonly state: State;
  readonly sequences: Sequences;
  readonly context: () => StatementContext;
  readonly inTransaction: (run: () => Steps) => Steps;
  readonly finished: (end: StatementEnd) => Generator<Request, unknown, Reply>;
}

export function* runDefinition(
  { definition, tag }: Definition,
  spelling: Spelling | undefined,
  host: DefinitionHost,
): Steps {
  const { catalog, state, sequences } = host;
  function change(effect: () => void): void {
    const undo = undoable(catalog, effect);
    if (state.status === "open") state.undo.push(undo);
  }

  function apply(): void {
    change(() => {
      const undo = withNewSequences(catalog, sequences, definition, () => {
        applyDefinition(catalog, definition, isFree(state));
      });
      if (state.status === "open") state.undo.push(undo);
      if (spelling !== undefined) rememberSpelling(catalog, definition, spelling);
    });
  }

  const rows = changedRows(catalog, definition);
  if (rows === undefined) {
    apply();
    return commandResult(tag);
  }
  return yield* host.inTransaction(function* () {
    const isFilled = yield* hasRows(rows.table, state.waiting);
    apply();
    const after = catalog.tables.get(rows.name);
    if (!isFilled || after === undefined) return commandResult(tag);
    const moved = { ...after, storage: unusedStorage(catalog, after.name) };
    change(() => {
      catalog.tables.set(moved.name, moved);
      copySpelling(catalog, after, moved);
      catalog.version++;
    });
    yield* host.finished(yield* rewriteRows(rows.table, moved, rows.values, host.context()));
    return commandResult(tag);
  });
}
