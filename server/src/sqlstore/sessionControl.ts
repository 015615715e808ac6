// Statements that begin, end and set transactions of a session, and savepoints in them.
import type { Reply, Request } from "../exploration/client";
import { savepoint } from "./savepoints";
import { commandResult, warning } from "./sessionParts";
import { isReadOnly } from "./sessionSettings";
import type { State } from "./sessionState";
import type { SessionTransaction } from "./sessionTransaction";
import type { Notice, SqlResult } from "./sessionTypes";
import { failure } from "./sqlError";
import type { SqlStatement, TransactionModes } from "./statementTree";

type ControlStatement = Extract<
  SqlStatement,
  {
    readonly kind:
      "begin" | "commit" | "rollback" | "savepoint" | "release" | "rollback to" | "set modes";
  }
>;

export interface SessionControl {
  readonly run: (statement: ControlStatement) => Generator<Request, SqlResult, Reply>;
  /** SET TRANSACTION: the open transaction's level in PostgreSQL, the next one's in MySQL. */
  readonly setLevel: (level: string) => Generator<Request, void, Reply>;
}

export function sessionControl({
  state,
  isPostgres,
  transaction: { begin, commit, abort, ended },
  note,
}: {
  readonly state: State;
  readonly isPostgres: boolean;
  readonly transaction: SessionTransaction;
  readonly note: (notice: Notice) => void;
}): SessionControl {
  function* run(parsed: ControlStatement): Generator<Request, SqlResult, Reply> {
    switch (parsed.kind) {
      case "begin":
        if (state.status !== "idle" && !isPostgres) yield* commit();
        if (state.status === "open" && !state.isImplicit)
          note(warning("25001", "there is already a transaction in progress"));
        state.isImplicit = false;
        setModes(parsed);
        if (state.status === "idle") yield* begin();
        return commandResult("BEGIN");
      case "commit":
        return yield* committed(parsed.chain);
      case "rollback": {
        noteNoTransaction("ROLLBACK", parsed.chain);
        const modes = modesNow();
        if (state.status === "open") yield* abort();
        ended();
        if (parsed.chain) yield* chained(modes);
        return commandResult("ROLLBACK");
      }
      case "savepoint":
        if (!isPostgres && !state.autocommit && state.status === "idle") yield* begin();
        return savepoint(state, parsed.kind, parsed.name, isPostgres);
      case "release":
      case "rollback to":
        return savepoint(state, parsed.kind, parsed.name, isPostgres);
      case "set modes":
        if (parsed.session) {
          state.usualLevel = parsed.level ?? state.usualLevel;
          state.usualReadOnly = parsed.readOnly ?? state.usualReadOnly;
        } else if (parsed.level !== undefined) yield* setLevel(parsed.level);
        if (!parsed.session && (!isPostgres || state.status === "open")) {
          if (isPostgres && state.hasRun && parsed.readOnly === false && isReadOnly(state))
            throw failure(
              "insideTransaction",
              "transaction read-write mode must be set before any query",
            );
          state.readOnly = parsed.readOnly ?? state.readOnly;
        }
        return commandResult("SET");
      default:
        return parsed satisfies never;
    }
  }

  /** SET TRANSACTION: the open transaction's level in PostgreSQL, the next one's in MySQL. */
  function* setLevel(level: string): Generator<Request, void, Reply> {
    if (state.status === "open" && (!isPostgres || state.hasRun))
      throw failure(
        "insideTransaction",
        isPostgres
          ? "SET TRANSACTION ISOLATION LEVEL must be called before any query"
          : "Transaction characteristics can't be changed while a transaction is in progress",
      );
    // Outside of a transaction PostgreSQL's means nothing.
    if (isPostgres && state.status === "idle") return;
    state.level = level;
    if (state.status === "open") yield* begin();
  }

  /** Modes of the transaction at hand or the next one. */
  function setModes({ level, readOnly }: TransactionModes): void {
    if (level !== undefined) state.level = level;
    if (readOnly !== undefined) state.readOnly = readOnly;
  }

  function noteNoTransaction(word: string, chain: boolean): void {
    if (!isPostgres || (state.status !== "idle" && !state.isImplicit)) return;
    if (chain)
      throw failure(
        "outsideTransaction",
        `${word} AND CHAIN can only be used in transaction blocks`,
      );
    note(warning("25P01", "there is no transaction in progress"));
  }

  function* committed(chain: boolean): Generator<Request, SqlResult, Reply> {
    noteNoTransaction("COMMIT", chain);
    const modes = modesNow();
    const hasFailed = state.status === "failed";
    if (state.status === "open") yield* commit();
    else if (hasFailed || !isPostgres) ended();
    if (chain) yield* chained(modes);
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK.
    return commandResult(hasFailed ? "ROLLBACK" : "COMMIT");
  }

  function modesNow(): Pick<State, "level" | "readOnly"> {
    const { level, readOnly } = state;
    return { level, readOnly };
  }

  /** AND CHAIN: the next transaction has the modes of the one before. */
  function* chained(modes: Pick<State, "level" | "readOnly">): Generator<Request, void, Reply> {
    Object.assign(state, modes);
    yield* begin();
  }

  return { run, setLevel };
}
