// Bytes of a connection between their arrival and the message that they are part of.

export interface ByteQueue {
  /** How many bytes wait. */
  readonly length: number;
  push(chunk: Buffer): void;
  /** The first bytes, which stay; undefined while fewer wait. */
  peek(count: number): Buffer | undefined;
  /** The first bytes, which are gone then; undefined while fewer wait. */
  take(count: number): Buffer | undefined;
  /** Forgets as many of the first bytes as wait, up to that count; how many these were. */
  drop(count: number): number;
}

/** An empty queue. Every byte is copied once at the most, however the stream is cut into chunks. */
export function createByteQueue(): ByteQueue {
  let chunks: Buffer[] = [];
  let length = 0;

  /** Makes the first chunk at least so long. */
  function gather(count: number): Buffer | undefined {
    if (length < count) return undefined;
    const [first] = chunks;
    if (first && first.length >= count) return first;
    const whole = Buffer.concat(chunks, length);
    chunks = [whole];
    return whole;
  }

  function forget(count: number): void {
    const [first] = chunks;
    length -= count;
    if (first?.length === count) chunks.shift();
    else if (first) chunks[0] = first.subarray(count);
  }

  return {
    get length() {
      return length;
    },
    push(chunk) {
      if (chunk.length === 0) return;
      chunks.push(chunk);
      length += chunk.length;
    },
    peek: (count) => gather(count)?.subarray(0, count),
    take(count) {
      const first = gather(count);
      if (!first) return undefined;
      forget(count);
      return first.subarray(0, count);
    },
    drop(count) {
      let dropped = 0;
      for (let [first] = chunks; first && dropped < count; [first] = chunks) {
        const some = Math.min(first.length, count - dropped);
        forget(some);
        dropped += some;
      }
      return dropped;
    },
  };
}
