// True if two runs on a server ended with the same: up to numbers of sequences and the time of day, and no further.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  differenceOf,
  type Difference,
  type ReplayOutcome,
} from "../../../server/src/replay/outcome";
import type { Schema } from "../../../server/src/program/schema";

const SCHEMA: Schema = {
  tables: [
    {
      name: "t",
      columns: [
        {
          name: "id",
          type: "int",
          nullable: false,
          default: { kind: "fresh", type: "int", why: "sequence", id: "t.id" },
        },
        { name: "v", type: "int", nullable: true },
        {
          name: "ref",
          type: "text",
          nullable: true,
          default: { kind: "fresh", type: "text", why: "uuid", id: "t.ref" },
        },
      ],
      primaryKey: ["id"],
      uniqueKeys: [],
      foreignKeys: [],
      checks: [],
      inferred: false,
    },
  ],
};

function outcome(
  rows: readonly object[],
  returned: readonly unknown[] = [],
  seen: readonly string[] = [],
): ReplayOutcome {
  return {
    tables: { t: rows.map((row) => JSON.stringify(row)) },
    instances: {
      T1: { status: "committed", returned: returned.map((each) => JSON.stringify(each)), seen },
    },
  };
}

/** The one row that a statement gave, as it is kept. */
const seen = (row: readonly unknown[]): string => JSON.stringify([JSON.stringify(row)]);

const NOW = new Date().toISOString();
const LATER = new Date(Date.now() + 1000).toISOString();

const CASES: readonly (readonly [ReplayOutcome, ReplayOutcome, Difference | undefined])[] = [
  [outcome([{ id: 1, v: 5 }]), outcome([{ id: 1, v: 5 }]), undefined],
  [outcome([{ id: 1, v: 5 }]), outcome([{ id: 1, v: 6 }]), "state"],
  [outcome([{ id: 1, v: 5 }]), outcome([]), "state"],
  // Another number of the sequence, also where it is returned.
  [outcome([{ id: 7, v: 5 }], [7]), outcome([{ id: 8, v: 5 }], [8]), undefined],
  [
    outcome([
      { id: 7, v: 5 },
      { id: 8, v: 6 },
    ]),
    outcome([
      { id: 8, v: 5 },
      { id: 7, v: 6 },
    ]),
    undefined,
  ],
  // Numbers of rows that were there are no other rows.
  [outcome([{ id: 3, v: 5 }]), outcome([{ id: 4, v: 5 }]), "state"],
  [outcome([{ id: 1, v: 5 }], [10]), outcome([{ id: 1, v: 5 }], [11]), "value"],
  [outcome([], [], ["[1]"]), outcome([], [], ["[2]"]), "read"],
  [outcome([{ id: 1, v: NOW }]), outcome([{ id: 1, v: LATER }]), undefined],
  // Random ids may be any, but are the same wherever they stand.
  [
    outcome([{ id: 1, ref: "9b" }], [{ ref: "9b" }], [seen(["9b", NOW])]),
    outcome([{ id: 1, ref: "4c" }], [{ ref: "4c" }], [seen(["4c", LATER])]),
    undefined,
  ],
  [outcome([{ id: 1, ref: "9b" }], ["9b"]), outcome([{ id: 1, ref: "4c" }], ["4d"]), "value"],
  [
    outcome([{ id: 1, ref: "9b" }], [], [seen(["9b"])]),
    outcome([{ id: 1, ref: "4c" }], [], [seen(["4d"])]),
    "read",
  ],
  [outcome([{ id: 1, v: NOW }]), outcome([{ id: 1, v: "2001-01-01" }]), "state"],
];

test("outcomes are compared up to what no run repeats", () => {
  const initial = {
    t: [
      { id: 3, v: 0 },
      { id: 4, v: 0 },
    ],
  };
  for (const [one, other, expected] of CASES) {
    const text = `${JSON.stringify(one)} and ${JSON.stringify(other)}`;
    assert.equal(differenceOf(one, other, SCHEMA, initial), expected, text);
    assert.equal(differenceOf(other, one, SCHEMA, initial), expected, `turned: ${text}`);
  }
});
