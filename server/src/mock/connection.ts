// One client's connection, whatever it speaks: bytes in, bytes out.

export interface Connection {
  /** Bytes of the client; they are answered in their order. Resolves when all are. */
  receive(chunk: Buffer): Promise<void>;
  /** Gives up the statement that is running, if one is. */
  cancel?(): void;
  /** True if the client has said who it is. */
  readonly introduced: boolean;
  /** The client is gone: what it has sent is still done, but waits for nobody. */
  close(): void;
}

/** Where a connection's answers go. */
export interface Wire {
  readonly write: (bytes: Buffer) => void;
  /** Ends the connection after what was written. */
  readonly end: () => void;
}
