// Watches over the bytes of a connection. The one here decodes them where they pass, which is where answers can be changed.
import { faultText } from "../../protocol/fault";
import type { Decoder, EventSink, Protocol, Remark } from "../events";
import type { AnswerChanges } from "../perturbation/answerChanges";
import { mysqlAnswers } from "../perturbation/mysqlAnswers";
import { postgresAnswers } from "../perturbation/postgresAnswers";
import { createMysqlDecoder } from "./mysqlDecoder";
import { createPostgresDecoder } from "./postgresDecoder";

/** The observer of a connection's bytes. */
export interface Watch {
  fromClient(chunk: Buffer): void;
  /** The bytes that the client gets for these of the server; undefined where changes came to a wrong end. */
  fromServer(chunk: Buffer): Buffer | undefined;
  /** The client gets what the server sends, and may get it before it is looked at. */
  readonly isTransparent: boolean;
  /** The moment at which there is room for more bytes; undefined: now. */
  relief(): Promise<void> | undefined;
  end(): void;
}

export interface DecodingOptions {
  readonly protocol: Protocol;
  readonly emit: EventSink;
  readonly remark: Remark;
  /** The number of the next statement over all connections. */
  readonly nextOrder: () => number;
  /** Changes of the answers to this connection; none where they are absent. */
  readonly changes?: AnswerChanges | undefined;
}

/** A decoder whose faults are told once and end nothing but itself. */
export function decodingWatch(
  connection: number,
  { protocol, emit, remark, nextOrder, changes }: DecodingOptions,
): Watch {
  const about = { connection, emit, nextOrder, remark };
  const decoder: Decoder =
    protocol === "postgres" ? createPostgresDecoder(about) : createMysqlDecoder(about);
  let isLost = false;
  const attempt = (what: () => void): void => {
    if (isLost) return;
    try {
      what();
    } catch (error) {
      isLost = true;
      const why = error instanceof Error && error.message !== "" ? error.message : faultText(error);
      remark(`connection ${String(connection)} is not recorded from here on: ${why}`);
    }
  };
  const answers = protocol === "postgres" ? postgresAnswers : mysqlAnswers;
  const changed = changes && answers(decoder, connection, changes);
  return {
    isTransparent: changed === undefined,
    fromClient: (chunk) => {
      attempt(() => {
        decoder.fromClient(chunk);
      });
    },
    fromServer: (chunk) => {
      let out: Buffer | undefined;
      attempt(() => {
        if (changed === undefined) decoder.fromServer(chunk);
        else out = changed(chunk);
      });
      return changed === undefined ? chunk : out;
    },
    relief: () => undefined,
    end: () => {
      attempt(() => {
        decoder.end();
      });
    },
  };
}
