import { describe, it } from "node:test";
import { check } from "./reading";

/** Little-endian numbers of 64 bits, single bytes as { byte }. */
function bytes(...parts: readonly (number | bigint | { readonly byte: number })[]): Uint8Array {
  const all: number[] = [];
  for (const part of parts) {
    if (typeof part === "object") all.push(part.byte);
    else for (let at = 0n; at < 8n; at += 1n) all.push(Number((BigInt(part) >> (8n * at)) & 255n));
  }
  return Uint8Array.from(all);
}

const yes = { byte: 1 };
const no = { byte: 0 };
/** Five numbers and three empty texts. */
const header = [0, 2, 2, 2, 2, 0, 0, 0];

describe("bincode of dbcop", () => {
  it("reads sessions, aborted transactions and failed writes, without sign", () => {
    const file = bytes(
      ...header,
      2,
      ...[2, 2, yes, 5, 1n << 63n, yes, no, 6, 0, yes, yes, 1, yes, 5, 7, yes, no],
      ...[1, 1, yes, 6, 2, no, yes],
    );
    check(file, [
      "1 S1.1: w 5=9223372036854775808@88 r 6=0@106",
      "1 S1.2: w 5=7@133 (aborted)",
      "2 S2.1: f 6=2@168",
    ]);
  });
  it("refuses what is cut off or goes on, with the byte", () => {
    check(
      bytes(...header, 1, 1, 1, yes, 5),
      /^byte 97: the file ends early: expected the next event/u,
    );
    check(bytes(...header, 2, 0), /expected the number of transactions/u);
    check(bytes(...header, 1, 1, 0, yes, 9), /expected the end of the file/u);
    check(bytes(...header, 1n << 40n), /^byte 64: the number of sessions is more/u);
    check(bytes(...header, 1, 1, 1, { byte: 7 }, 5, 5, yes, yes), /expected an event/u);
    check(bytes(...header, 1, 1, 0, { byte: 9 }), /expected 0 or 1 for the success/u);
  });
});

/** Big-endian numbers after a letter. */
function records(...list: readonly (readonly [string, ...(number | bigint)[]])[]): Uint8Array {
  return Uint8Array.from(
    list.flatMap(([tag, ...numbers]) => [
      tag.charCodeAt(0),
      ...numbers.flatMap((number) =>
        Array.from({ length: 8 }, (_, at) =>
          Number((BigInt(number) >> BigInt(8 * (7 - at))) & 255n),
        ),
      ),
    ]),
  );
}

describe("logs of Cobra", () => {
  it("reads a session; a transaction without its commit is unknown", () => {
    check(
      records(
        ["S", 1],
        ["W", 77, (1n << 62n) + 1n, 5],
        ["R", 3, 0xbebeebee, 9, 5],
        ["R", 3, 0xdeadbeef, 9, 5],
        ["C", 1],
        ["S", 2],
        ["R", 1, 77, (1n << 62n) + 1n, 5],
      ),
      [
        "file T1: w 4611686018427387905=77@9 r 9=nil@34 r 9=nil@67",
        "file T2: r 4611686018427387905=77@118 (unknown)",
      ],
    );
  });
  it("refuses what is cut off or unknown, with the byte", () => {
    check(
      records(["S", 1], ["W", 1, 2, 3]).subarray(0, 30),
      /^byte 9: the file ends inside a record/u,
    );
    check(
      records(["S", 1], ["C", 1], ["W", 1, 2, 3]),
      /^byte 18: expected the record of a transaction's start/u,
    );
    check(
      records(
        ["S", 1],
        ["C", 1],
        ["S", 2],
        ["C", 2],
        ["S", 3],
        ["C", 3],
        ["S", 4],
        ["C", 4],
        ["X", 1],
      ),
      /^byte 72: expected a record S, C, W or R/u,
    );
  });
});
