// XA of MySQL: a transaction that its session names, and that ends in two steps. It belongs to its session until its end.
import type { Reply, Request } from "../exploration/client";
import { ofNode } from "../query/nodes";
import type { Catalog } from "./catalog";
import { commandResult } from "./sessionParts";
import type { State } from "./sessionState";
import type { SessionTransaction } from "./sessionTransaction";
import type { SqlResult } from "./sessionTypes";
import { failure, unsupported } from "./sqlError";
import type { SqlStatement, SqlXa, Xid } from "./statementTree";

export interface SessionXa {
  readonly run: (statement: SqlXa) => Generator<Request, SqlResult, Reply>;
  /** Fails with 1399 for what the state of an open XA transaction does not let pass. */
  readonly check: (statement: SqlStatement) => void;
}

interface Open {
  readonly xid: Xid;
  state: "ACTIVE" | "IDLE" | "PREPARED";
}

/** Prepared transactions of all sessions. */
const preparedIn = ofNode((_catalog: Catalog) => new Map<string, Xid>());

export function sessionXa({
  catalog,
  state,
  transaction: { begin, commit, abort },
}: {
  readonly catalog: Catalog;
  readonly state: State;
  readonly transaction: SessionTransaction;
}): SessionXa {
  const prepared = preparedIn(catalog);
  let open: Open | undefined;

  function wrongState(): Error {
    const which = open === undefined ? "NON-EXISTING" : open.state;
    return failure(
      "xaState",
      `XAER_RMFAIL: The command cannot be executed when global transaction is in the  ${which} state`,
    );
  }

  /** The open transaction, which must have that name and be in that state. */
  function openNamed(xid: Xid, wanted: readonly Open["state"][]): Open {
    if (open === undefined || nameOf(open.xid) !== nameOf(xid)) {
      if (open !== undefined && open.state !== "PREPARED") throw wrongState();
      throw prepared.has(nameOf(xid))
        ? unsupported("the end of an XA transaction that another session has prepared")
        : failure("xaUnknown", "XAER_NOTA: Unknown XID");
    }
    if (!wanted.includes(open.state)) throw wrongState();
    return open;
  }

  /** The store may have ended it. */
  function checkAlive(): void {
    if (state.status === "open") return;
    throw failure("xaRolledBack", "XA_RBROLLBACK: Transaction branch was rolled back");
  }

  function forget({ xid }: Open): void {
    prepared.delete(nameOf(xid));
    open = undefined;
  }

  function* run(statement: SqlXa): Generator<Request, SqlResult, Reply> {
    if (statement.action === "recover") return recovered(statement.inHex);
    const { action, xid, isOnePhase } = statement;
    switch (action) {
      case "start":
        if (open !== undefined) throw wrongState();
        if (state.status !== "idle")
          throw failure("xaOutside", "XAER_OUTSIDE: Some work is done outside global transaction");
        if (prepared.has(nameOf(xid)))
          throw failure("xaKnown", "XAER_DUPID: The XID already exists");
        yield* begin();
        open = { xid, state: "ACTIVE" };
        break;
      case "end":
        openNamed(xid, ["ACTIVE"]).state = "IDLE";
        checkAlive();
        break;
      case "prepare": {
        const own = openNamed(xid, ["IDLE"]);
        checkAlive();
        own.state = "PREPARED";
        prepared.set(nameOf(xid), xid);
        break;
      }
      case "commit": {
        const own = openNamed(xid, [isOnePhase ? "IDLE" : "PREPARED"]);
        checkAlive();
        forget(own);
        yield* commit();
        break;
      }
      case "rollback":
        forget(openNamed(xid, ["IDLE", "PREPARED"]));
        if (state.status === "open") yield* abort();
        break;
      default:
        action satisfies never;
    }
    return commandResult(`XA ${action.toUpperCase()}`);
  }

  function recovered(inHex: boolean): SqlResult {
    const rows = [...prepared.values()].map(({ format, global, branch }) => {
      const data = global + branch;
      return [format, global.length, branch.length, inHex ? `0x${hexOf(data)}` : data];
    });
    const numbers = ["formatID", "gtrid_length", "bqual_length"];
    return {
      command: "XA RECOVER",
      columns: [
        ...numbers.map((name) => ({ name, type: "int4" as const })),
        { name: "data", type: "text" },
      ],
      rows,
      rowCount: rows.length,
    };
  }

  return {
    run,
    check(statement) {
      if (open === undefined || statement.kind === "xa") return;
      const isEnd = ENDS.has(statement.kind);
      if (open.state !== "ACTIVE" ? !QUIET.has(statement.kind) : isEnd) throw wrongState();
    },
  };
}

/** Statements that end, or begin, a transaction. */
const ENDS: ReadonlySet<SqlStatement["kind"]> = new Set([
  ...(["begin", "commit", "rollback", "definition", "truncate"] as const),
]);

/** Statements that touch no rows. */
const QUIET: ReadonlySet<SqlStatement["kind"]> = new Set(["show", "nothing", "use"] as const);

function nameOf({ format, global, branch }: Xid): string {
  return `${String(format)}:${hexOf(global)}:${hexOf(branch)}`;
}

function hexOf(bytes: string): string {
  return Array.from(bytes, (each) => each.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
