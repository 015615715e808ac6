// The connection that a library runs several statements on: the one that a client has, or one that it takes from its pool.
import type { SourceRange } from "../../../protocol/source";
import { UNDEFINED, type Connection, type Value } from "../values";
import type { Tools } from "./library";

/** `connection` itself unless it is a pool's or nobody knows it. */
export function ownConnection(connection: Connection | undefined, tools: Tools): Connection {
  return connection?.isPool === false ? connection : tools.connection(false);
}

/** Runs statements that the library sends one by one: all or none of them, also where no transaction is open. */
export function allOrNone(
  connection: Connection | undefined,
  source: SourceRange,
  tools: Tools,
  run: (own: Connection) => void,
): void {
  const own = ownConnection(connection, tools);
  if (own === connection) {
    run(own);
    return;
  }
  tools.inTransaction(own, { source }, (): Value => {
    run(own);
    return UNDEFINED;
  });
}
