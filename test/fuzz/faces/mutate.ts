// Changes to an input: pieces go, come twice, change places, come from other inputs, or are words that programs trip over.
import type { Random } from "../servers/random";

/** Longer inputs are cut: what is short is found out about sooner. */
export const LONGEST = 6000;

const WORDS = [
  ...[
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "undefined",
    "NaN",
    "null",
  ],
  ..."( ) [ ] { } ' \" ` ; , . : :: $1 $$ /* */ -- // \\ @ # ? ?? => = < > || && ... * % ~".split(
    " ",
  ),
  ...["\u0000", "\ud800", "\u202e", "\ufeff", "\r", "\u2028", "é", "😀", "\u001b[2J", "\t"],
  ...["0", "-1", "1e999", "9223372036854775808", "0x", "1.", "99999999999999999999999999", "-0"],
  ..."BEGIN COMMIT ROLLBACK SELECT UPDATE FROM WHERE NULL RETURNING FOR LOOP END CASE WITH RECURSIVE AS".split(
    " ",
  ),
  ..."async await function class return yield const new this super throw try".split(" "),
];

/** A changed input; `others` lend pieces. */
export function mutated(
  random: Random,
  input: Buffer,
  others: readonly Buffer[],
  isText: boolean,
): Buffer {
  let bytes = input;
  for (let times = 1 + random.below(4); times > 0; times -= 1)
    bytes = isText ? textMutation(random, bytes, others) : byteMutation(random, bytes, others);
  return bytes.subarray(0, LONGEST);
}

function byteMutation(random: Random, input: Buffer, others: readonly Buffer[]): Buffer {
  const at = random.below(input.length + 1);
  const length = 1 + random.below(random.pick([2, 8, 64]));
  const head = input.subarray(0, at);
  const tail = input.subarray(at);
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([head, tail.subarray(length)]);
    case 1:
      return Buffer.concat([head, tail.subarray(0, length), tail]);
    case 2:
      return Buffer.concat([head, Buffer.from([random.below(256)]), tail.subarray(1)]);
    case 3:
      return Buffer.concat([head, Buffer.from([random.pick([0, 255, 127, 128])]), tail]);
    case 4: {
      const number = Buffer.alloc(4);
      number.writeInt32BE(random.pick([0, -1, 1, 4, 65536, 0x7fffffff, 16_777_217]));
      return Buffer.concat([head, number, tail.subarray(4)]);
    }
    case 5: {
      const other = others.length > 0 ? random.pick(others) : input;
      const from = random.below(other.length + 1);
      return Buffer.concat([head, other.subarray(from, from + length * 4), tail]);
    }
    default:
      return head;
  }
}

function textMutation(random: Random, input: Buffer, others: readonly Buffer[]): Buffer {
  if (random.chance(0.1)) return byteMutation(random, input, others);
  const text = input.toString("utf8");
  const isLines = random.chance(0.4);
  const parts = isLines ? text.split(/(?<=\n)/) : text.split(/(?<=\W)|(?=\W)/);
  const at = random.below(parts.length);
  const length = 1 + random.below(random.pick([1, 3, 10]));
  const piece = parts.slice(at, at + length);
  const without = [...parts.slice(0, at), ...parts.slice(at + length)];
  const inserted = (place: number, items: readonly string[]): readonly string[] => [
    ...parts.slice(0, place),
    ...items,
    ...parts.slice(place),
  ];
  const changed = ((): readonly string[] => {
    switch (random.below(8)) {
      case 0:
        return without;
      case 1:
        return inserted(at, piece);
      case 2:
        return inserted(random.below(parts.length + 1), piece);
      case 3:
        return inserted(at, [random.pick(WORDS)]);
      case 4:
        return [...parts.slice(0, at), random.pick(WORDS), ...parts.slice(at + 1)];
      case 5: {
        const other = others.length > 0 ? random.pick(others).toString("utf8") : text;
        const lines = other.split(/(?<=\n)/);
        const from = random.below(lines.length);
        return inserted(at, lines.slice(from, from + length));
      }
      case 6: {
        const open = random.pick(["(", "[", "{", "BEGIN ", "IF x THEN ", "not ", "-", "((", "`${"]);
        return inserted(at, [open.repeat(random.pick([2, 10, 200, 1500]))]);
      }
      default:
        return [...parts.slice(0, at), random.pick(parts), ...parts.slice(at + 1)];
    }
  })();
  return Buffer.from(changed.join(""), "utf8");
}
