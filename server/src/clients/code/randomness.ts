// Clocks, random numbers and timers of client code: the same in every run of a session.
import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import timers from "node:timers/promises";
import { randomNumbers } from "../../exploration/randomNumbers";

/** The random numbers and clock of one run of one session. */
export interface SeededSession {
  /** Milliseconds since 1970; every read advances the clock. */
  now(): number;
  /** From 0 up to 1. */
  random(): number;
  /** Advances the clock. */
  pass(milliseconds: number): void;
}

/** 2025-01-01, 9:00 UTC. */
const START = Date.UTC(2025, 0, 1, 9);

/** Sessions draw different numbers; a session draws the same in each of its runs. */
export function seedSession(session: number): SeededSession {
  const draw = randomNumbers(session + 1);
  let clock = START + session * 1000;
  return {
    now: () => (clock += 1),
    random: () => draw(2 ** 30) / 2 ** 30,
    pass: (milliseconds) => {
      clock += Math.max(0, milliseconds);
    },
  };
}

const running = new AsyncLocalStorage<SeededSession>();
let installed = false;
const lost = new Set<string>();

/** Errors that no code of this thread awaited or caught, without duplicates; by default they end the process. */
export function lostErrors(): readonly string[] {
  return [...lost];
}

/** Runs code with seeded clock, random numbers and timers, including its asynchronous parts. */
export function runWithSeed<T>(from: SeededSession, code: () => T): T {
  install();
  return running.run(from, code);
}

/** Replaces this thread's globals for code that runs seeded; all other code keeps the real ones. */
function install(): void {
  if (installed) return;
  installed = true;
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct(target, given: unknown[], newTarget: NewableFunction) {
      const own = running.getStore();
      const args = given.length === 0 && own !== undefined ? [own.now()] : given;
      return Reflect.construct(target, args, newTarget) as object;
    },
    apply(target, self, given: unknown[]) {
      const own = running.getStore();
      return own === undefined
        ? (Reflect.apply(target, self, given) as unknown)
        : new RealDate(own.now()).toString();
    },
    get(target, name, receiver) {
      const own = running.getStore();
      if (name === "now" && own !== undefined) return () => own.now();
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const realRandom = Math.random.bind(Math);
  Math.random = () => running.getStore()?.random() ?? realRandom();
  const realTime = performance.now.bind(performance);
  performance.now = () => {
    const own = running.getStore();
    return own === undefined ? realTime() : own.now() - START;
  };
  const realTicks = process.hrtime;
  const ticks = (since: readonly [number, number] = [0, 0]): [number, number] => {
    const own = running.getStore();
    if (own === undefined) return realTicks([...since]);
    const nanoseconds = BigInt(own.now() - START) * 1_000_000n;
    const passed = nanoseconds - BigInt(since[0]) * BILLION - BigInt(since[1]);
    return [Number(passed / BILLION), Number(passed % BILLION)];
  };
  process.hrtime = Object.assign(ticks, {
    bigint: () => {
      const [seconds, rest] = ticks();
      return BigInt(seconds) * BILLION + BigInt(rest);
    },
  });
  const lose = (error: unknown): void => {
    lost.add(error instanceof Error ? error.message : String(error));
  };
  process.on("unhandledRejection", lose);
  process.on("uncaughtException", lose);
  installTimers();
  installCrypto();
}

const BILLION = 1_000_000_000n;

/** Timers of seeded code fire in the next turn: nobody waits, and the clock has advanced. */
function installTimers(): void {
  const realTimeout = globalThis.setTimeout;
  const replaced = (callback: (...given: unknown[]) => void, delay = 0, ...given: unknown[]) => {
    const own = running.getStore();
    if (own === undefined) return realTimeout(callback, delay, ...given);
    return realTimeout(() => {
      own.pass(delay);
      callback(...given);
    }, 0);
  };
  globalThis.setTimeout = Object.assign(replaced, realTimeout);
  const realSleep = timers.setTimeout;
  const sleep: typeof realSleep = (delay, value, options) => {
    const own = running.getStore();
    own?.pass(delay ?? 0);
    return realSleep(own === undefined ? delay : 0, value, options);
  };
  Object.assign(timers, { setTimeout: sleep });
}

function installCrypto(): void {
  const bytesOf = (own: SeededSession, size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => Math.floor(own.random() * 256)));
  const uuidOf = (own: SeededSession): `${string}-${string}-${string}-${string}-${string}` => {
    const hex = bytesOf(own, 16).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  const realUuid = crypto.randomUUID.bind(crypto);
  crypto.randomUUID = (options) => {
    const own = running.getStore();
    return own === undefined ? realUuid(options) : uuidOf(own);
  };
  const web = globalThis.crypto;
  const realWebUuid = web.randomUUID.bind(web);
  web.randomUUID = () => {
    const own = running.getStore();
    return own === undefined ? realWebUuid() : uuidOf(own);
  };
  // Packages that generate UUIDs take their random bytes from here.
  const fill =
    <T>(real: (array: T, ...rest: never[]) => T) =>
    (array: T, ...rest: never[]): T => {
      const own = running.getStore();
      if (own === undefined || !ArrayBuffer.isView(array)) return real(array, ...rest);
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(
        bytesOf(own, array.byteLength),
      );
      return array;
    };
  const getRandomValues = fill(web.getRandomValues.bind(web));
  Object.assign(web, { getRandomValues });
  const realBytes: (size: number) => Buffer = crypto.randomBytes.bind(crypto);
  const replaced = (size: number, callback?: (error: Error | null, bytes: Buffer) => void) => {
    const own = running.getStore();
    const bytes = own === undefined ? realBytes(size) : bytesOf(own, size);
    if (callback === undefined) return bytes;
    setImmediate(callback, null, bytes);
    return undefined;
  };
  const realInt = crypto.randomInt.bind(crypto);
  const integer = (low: number, high?: number): number => {
    const own = running.getStore();
    const [from, to] = high === undefined ? [0, low] : [low, high];
    return own === undefined ? realInt(from, to) : from + Math.floor(own.random() * (to - from));
  };
  Object.assign(crypto, {
    randomBytes: replaced,
    randomInt: integer,
    randomFillSync: fill(crypto.randomFillSync.bind(crypto)),
  });
}
