// Small client programs over keys, written as texts or drawn at random, for the tests of the explorer.
import type { Client, Key, Reply, Request, Value } from "../../../server/src/exploration/client";
import type { History } from "../../../server/src/exploration/history";
import type { Random } from "../../../server/src/exploration/randomNumbers";

/** The body of a transaction: yields reads and writes; a returned `false` rolls it back. */
export type Body = (local: Map<string, Value>) => Generator<Request, boolean | void, Reply>;

/** `r` reads keys of one letter each in one statement; `w` writes; `?` goes on only if the key is no longer 0, `!` rolls back then. */
export interface Operation {
  readonly kind: "r" | "w" | "?" | "!";
  readonly key: Key;
  /** The write of `w`. */
  readonly value: number;
}

export interface Program {
  readonly client: Client;
  readonly sessions: readonly (readonly (readonly Operation[])[])[];
  /** In words, for messages. */
  readonly text: string;
}

/** A client whose sessions run these transactions in turn. Keys are 0 at the start. */
export function clientOf(
  sessions: readonly (readonly Body[])[],
  initial: ReadonlyMap<Key, Value> = new Map(["x", "y", "z"].map((key) => [key, 0])),
): Client {
  return {
    initial,
    sessions: sessions.map((bodies, session) => ({
      kind: "sync",
      name: `S${session + 1}`,
      *run() {
        const local = new Map<string, Value>();
        for (const body of bodies) {
          yield { kind: "begin" };
          const go = yield* body(local);
          yield { kind: go === false ? "abort" : "commit" };
        }
      },
    })),
  };
}

/** Reads keys in one statement, and gives what the first one holds. */
export function* read(...keys: readonly Key[]): Generator<Request, Value, Reply> {
  const [first = ""] = keys;
  const reply = yield { kind: "read", keys };
  return reply.kind === "values" ? reply.values.get(first) : undefined;
}

/**
 * A program as text: sessions are separated by `|`, transactions by `;`, operations by blanks: `rx` reads x, `rxy` both at
 * once, `wx` writes a new value to x, `?x` goes on only if x is no longer 0, `!x` rolls back if x is no longer 0.
 */
export function programOf(text: string): Program {
  const sessions = text.split("|").map((session, s) =>
    session.split(";").map((transaction, t) =>
      transaction
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map((word, at): Operation => {
          const kind = (["r", "w", "?", "!"] as const).find((each) => word.startsWith(each));
          if (kind === undefined) throw new Error(`no operation: ${word}`);
          return { kind, key: word.slice(1), value: s * 10_000 + (t + 1) * 100 + at };
        }),
    ),
  );
  return { client: clientOf(sessions.map((bodies) => bodies.map(bodyOf))), sessions, text };
}

function bodyOf(operations: readonly Operation[]): Body {
  return function* () {
    for (const { kind, key, value } of operations) {
      if (kind === "w") {
        yield { kind: "write", key, value };
        continue;
      }
      const got = yield* read(...key);
      if (kind === "?" && got === 0) return true;
      if (kind === "!" && got !== 0) return false;
    }
    return true;
  };
}

export interface Shape {
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  readonly keys: number;
  /** Conditions and rollbacks occur. */
  readonly branches: boolean;
}

/** A random program of at most this shape. */
export function randomProgram(random: Random, shape: Shape): Program {
  const upTo = (most: number): number => 1 + random(most);
  const key = (): string => "xyzuv"[random(shape.keys)] ?? "x";
  const operation = (): string => {
    const [one, other] = [key(), key()];
    if (random(2) > 0) return `w${one}`;
    return one === other || random(3) > 0 ? `r${one}` : `r${one}${other}`;
  };
  const transaction = (): string => {
    const operations = Array.from({ length: upTo(shape.operations) }, operation);
    if (shape.branches && random(5) < 2)
      operations.unshift(`${random(4) === 0 ? "!" : "?"}${key()}`);
    return operations.join(" ");
  };
  const text = Array.from({ length: shape.sessions }, () =>
    Array.from({ length: upTo(shape.transactions) }, transaction).join("; "),
  ).join(" | ");
  return programOf(text);
}

/** A text that is equal for equal histories, in whatever order their transactions were run. */
export function historyText({ transactions }: History): string {
  return [...transactions]
    .sort((a, b) => a.id - b.id)
    .map(
      ({ session, index, events, status }) =>
        `${session}.${index} ${events
          .map((event) =>
            event.kind === "read"
              ? `r${event.key}<${event.from}`
              : `w${event.key}=${JSON.stringify(event.value)}`,
          )
          .join(" ")} ${status}`,
    )
    .join("; ");
}
