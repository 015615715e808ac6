// Fields and arguments of MySQL's protocol, byte by byte, as its documentation describes them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  lengthEncodedInteger,
  MalformedPacket,
  readFields,
} from "../../../server/src/mock/mysql/fields";
import { readParameters, type Parameter } from "../../../server/src/mock/mysql/parameters";

/** Numbers of types, as the protocol's documentation lists them. */
const TYPES = {
  ...{ tiny: 1, short: 2, long: 3, float: 4, double: 5, null: 6, timestamp: 7, longLong: 8 },
  ...{ int24: 9, date: 10, time: 11, dateTime: 12, year: 13, json: 245, newDecimal: 246 },
  ...{ longBlob: 251, blob: 252, varString: 253 },
} as const;

function argument(type: number, unsigned: boolean, hex: string): Parameter | undefined {
  const fields = readFields(Buffer.from(hex, "hex"));
  const [read] = readParameters(fields, [{ type, unsigned }], () => false, new Map());
  assert.equal(fields.left, 0);
  return read;
}

describe("an argument of a prepared statement", () => {
  const cases: readonly (readonly [keyof typeof TYPES, boolean, string, Parameter])[] = [
    ["tiny", false, "ff", -1],
    ["tiny", true, "ff", 255],
    ["short", false, "feff", -2],
    ["year", true, "e807", 2024],
    ["long", false, "ffffffff", -1],
    ["int24", true, "ffffffff", 4294967295],
    ["longLong", false, "ffffffffffffffff", -1],
    ["longLong", true, "ffffffffffffffff", 18446744073709551615n],
    ["float", false, "0000c03f", 1.5],
    ["double", false, "000000000000f8bf", -1.5],
    ["date", false, "04e8070203", "2024-02-03"],
    ["date", false, "00", "0000-00-00"],
    ["dateTime", false, "04e8070203", "2024-02-03 00:00:00"],
    ["dateTime", false, "07e8070203040506", "2024-02-03 04:05:06"],
    ["timestamp", false, "0be8070203040506" + "20a10700", "2024-02-03 04:05:06.500000"],
    ["time", false, "00", "00:00:00"],
    ["time", false, "0800" + "00000000" + "010203", "01:02:03"],
    ["time", false, "0c01" + "01000000" + "010203" + "01000000", "-25:02:03.000001"],
    ["varString", false, "03616263", "abc"],
    ["json", false, "027b7d", "{}"],
    ["newDecimal", false, "04312e3530", "1.50"],
    ["blob", false, "02ff00", Buffer.from([255, 0])],
    ["null", false, "", null],
  ];
  for (const [type, unsigned, hex, expected] of cases)
    test(`${unsigned ? "unsigned " : ""}${type} ${hex}`, () => {
      assert.deepEqual(argument(TYPES[type], unsigned, hex), expected);
    });

  test("that was sent in parts before is text or bytes, by its type", () => {
    const types = [TYPES.varString, TYPES.longBlob].map((type) => ({ type, unsigned: false }));
    const sent = new Map([
      [0, Buffer.from("é")],
      [1, Buffer.from([1])],
    ]);
    const read = readParameters(readFields(Buffer.alloc(0)), types, () => false, sent);
    assert.deepEqual(read, ["é", Buffer.from([1])]);
  });

  test("is refused where its bytes end too early, and where its type is none", () => {
    assert.throws(() => argument(TYPES.long, false, "ffff"), MalformedPacket);
    assert.throws(() => argument(TYPES.varString, false, "0461"), MalformedPacket);
    assert.throws(() => argument(0x7f, false, "00"), /unknown type 127/);
  });
});

describe("a length", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "00"],
    [0xfa, "fa"],
    [0xfb, "fcfb00"],
    [0xffff, "fcffff"],
    [0x10000, "fd000001"],
    [0xffffff, "fdffffff"],
    [0x1000000, "fe0000000100000000"],
  ];
  for (const [length, hex] of cases)
    test(`of ${String(length)}`, () => {
      assert.equal(lengthEncodedInteger(length).toString("hex"), hex);
      assert.equal(readFields(Buffer.from(hex, "hex")).lengthEncoded(), length);
    });

  test("that is none, or beyond all measure, is refused", () => {
    for (const hex of ["ff", "fb", "feffffffffffffffff"])
      assert.throws(() => readFields(Buffer.from(hex, "hex")).lengthEncoded(), MalformedPacket);
  });
});
