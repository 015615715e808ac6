// The first packet of a MySQL server says what it can do. TLS and compression are taken out of it, so that the client
// speaks in the clear to this machine; every other byte stays.

const TLS = 0x0800;
const COMPRESS = 0x0020;
/** A bit of the upper half of the capabilities: zstd. */
const ZSTD = 0x0400;

/** A filter for what the server sends: it holds back no more than the first packet until that is whole. */
export function hideEncryption(): (chunk: Buffer) => Buffer {
  let waiting: Buffer | undefined = Buffer.alloc(0);
  return (chunk) => {
    if (waiting === undefined) return chunk;
    waiting = Buffer.concat([waiting, chunk]);
    if (waiting.length < 4 || waiting.length < 4 + waiting.readUIntLE(0, 3)) return Buffer.alloc(0);
    const whole = waiting;
    waiting = undefined;
    // Protocol 10: version, zero, thread (4), salt (8), zero, capabilities (2), charset, status (2), capabilities (2).
    const version = whole.indexOf(0, 5);
    if (whole[4] !== 10 || version < 0 || whole.length < version + 21) return whole;
    const low = version + 1 + 4 + 8 + 1;
    whole.writeUInt16LE(whole.readUInt16LE(low) & ~(TLS | COMPRESS) & 0xffff, low);
    whole.writeUInt16LE(whole.readUInt16LE(low + 5) & ~ZSTD & 0xffff, low + 5);
    return whole;
  };
}
