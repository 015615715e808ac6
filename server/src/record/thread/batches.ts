// Copies of the bytes of many connections on their way to another thread: those of some milliseconds go together, so that
// what a message between threads costs is not paid for each.

/** Bytes one after the other, with three numbers for each part: its connection, its origin and its length. */
export interface Batch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly parts: Uint32Array<ArrayBuffer>;
}

export const ORIGIN = { client: 0, server: 1, end: 2 } as const;
export type Origin = (typeof ORIGIN)[keyof typeof ORIGIN];

export interface Batcher {
  add(connection: number, origin: Origin, chunk: Buffer): void;
  /** Hands on what waits. */
  flush(): void;
}

/** Milliseconds that a part waits for others at the most. */
const LONGEST_WAIT = 10;
/** Bytes that are not made to wait. */
const LARGEST = 256 * 1024;

/** Hands on batches in the order in which their parts were added. */
export function createBatcher(post: (batch: Batch) => void): Batcher {
  let chunks: Buffer[] = [];
  let parts: number[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (parts.length === 0) return;
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const batch = { bytes, parts: Uint32Array.from(parts) };
    [chunks, parts, length] = [[], [], 0];
    post(batch);
  };
  return {
    add(connection, origin, chunk) {
      chunks.push(chunk);
      parts.push(connection, origin, chunk.length);
      length += chunk.length;
      if (length >= LARGEST) flush();
      else timer ??= setTimeout(flush, LONGEST_WAIT);
    },
    flush,
  };
}

/** The parts of a batch in their order. */
export function forEachPart(
  { bytes, parts }: Batch,
  take: (connection: number, origin: number, chunk: Buffer) => void,
): void {
  let from = 0;
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [connection = 0, origin = 0, length = 0] = parts.subarray(at, at + 3);
    take(connection, origin, Buffer.from(bytes.buffer, from, length));
    from += length;
  }
}
