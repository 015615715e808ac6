// MD5, SHA-1 and SHA-256 in plain code: the core has no library for them.

export function md5(bytes: Uint8Array): string {
  const words = padded(bytes, true);
  let [a, b, c, d] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let block = 0; block < words.length; block += 16) {
    const before = [a, b, c, d] as const;
    for (let step = 0; step < 64; step++) {
      const [mixed, word] = md5Step(step, b, c, d);
      const sum = (a + mixed + md5Constant(step) + (words[block + word] ?? 0)) | 0;
      const shift = MD5_SHIFTS[(step >> 4) * 4 + (step & 3)] ?? 0;
      [a, d, c, b] = [d, c, b, (b + rotated(sum, shift)) | 0];
    }
    [a, b, c, d] = [
      (a + before[0]) | 0,
      (b + before[1]) | 0,
      (c + before[2]) | 0,
      (d + before[3]) | 0,
    ];
  }
  return [a, b, c, d].map((word) => hexadecimal(swapped(word))).join("");
}

const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

function md5Constant(step: number): number {
  return Math.floor(Math.abs(Math.sin(step + 1)) * 4294967296) | 0;
}

function md5Step(step: number, b: number, c: number, d: number): readonly [number, number] {
  if (step < 16) return [(b & c) | (~b & d), step];
  if (step < 32) return [(d & b) | (~d & c), (5 * step + 1) & 15];
  if (step < 48) return [b ^ c ^ d, (3 * step + 5) & 15];
  return [c ^ (b | ~d), (7 * step) & 15];
}

export function sha1(bytes: Uint8Array): string {
  const words = padded(bytes, false);
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let block = 0; block < words.length; block += 16) {
    const schedule = words.slice(block, block + 16);
    for (let at = 16; at < 80; at++) {
      const mixed =
        word(schedule, at - 3) ^
        word(schedule, at - 8) ^
        word(schedule, at - 14) ^
        word(schedule, at - 16);
      schedule.push(rotated(mixed, 1));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (let at = 0; at < 80; at++) {
      const [mixed, constant] =
        at < 20
          ? [(b & c) | (~b & d), 0x5a827999]
          : at < 40
            ? [b ^ c ^ d, 0x6ed9eba1]
            : at < 60
              ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
              : [b ^ c ^ d, 0xca62c1d6];
      const next = (rotated(a, 5) + mixed + e + constant + word(schedule, at)) | 0;
      [e, d, c, b, a] = [d, c, rotated(b, 30), a, next];
    }
    state = [a, b, c, d, e].map((each, at) => (each + (state[at] ?? 0)) | 0);
  }
  return state.map(hexadecimal).join("");
}

export function sha256(bytes: Uint8Array): string {
  const words = padded(bytes, false);
  const { constants, start } = sha256Constants();
  let state = [...start];
  for (let block = 0; block < words.length; block += 16) {
    const schedule = words.slice(block, block + 16);
    for (let at = 16; at < 64; at++) {
      const [x, y] = [word(schedule, at - 15), word(schedule, at - 2)];
      const small = rotated(x, 25) ^ rotated(x, 14) ^ (x >>> 3);
      const large = rotated(y, 15) ^ rotated(y, 13) ^ (y >>> 10);
      schedule.push((word(schedule, at - 16) + small + word(schedule, at - 7) + large) | 0);
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let at = 0; at < 64; at++) {
      const large = rotated(e, 26) ^ rotated(e, 21) ^ rotated(e, 7);
      const chosen = (e & f) ^ (~e & g);
      const first = (h + large + chosen + word(constants, at) + word(schedule, at)) | 0;
      const small = rotated(a, 30) ^ rotated(a, 19) ^ rotated(a, 10);
      const second = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    state = [a, b, c, d, e, f, g, h].map((each, at) => (each + (state[at] ?? 0)) | 0);
  }
  return state.map(hexadecimal).join("");
}

/** Fractions of the roots of the first primes, as the standard derives its constants. */
function sha256Constants(): {
  readonly constants: readonly number[];
  readonly start: readonly number[];
} {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  const fraction = (value: number): number =>
    Math.floor((value - Math.floor(value)) * 4294967296) | 0;
  return {
    constants: primes.map((prime) => fraction(Math.cbrt(prime))),
    start: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  };
}

function word(words: readonly number[], at: number): number {
  return words[at] ?? 0;
}

function rotated(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function swapped(value: number): number {
  return (
    ((value & 0xff) << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)
  );
}

function hexadecimal(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}

/** The message as words, with the mark and its length at the end. */
function padded(bytes: Uint8Array, littleEndian: boolean): number[] {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const message = new DataView(new ArrayBuffer(length));
  for (const [at, byte] of bytes.entries()) message.setUint8(at, byte);
  message.setUint8(bytes.length, 0x80);
  const bits = bytes.length * 8;
  const [low, high] = [bits >>> 0, Math.floor(bits / 4294967296)];
  message.setUint32(length - 8, littleEndian ? low : high, littleEndian);
  message.setUint32(length - 4, littleEndian ? high : low, littleEndian);
  return Array.from({ length: length / 4 }, (_, at) => message.getInt32(at * 4, littleEndian));
}
