// The effect of a run on the data, told from its outcome beside those of the orders: one case for each template.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { consequenceOf } from "../../../../server/src/analysis/explain/consequence/consequence";
import {
  plural,
  rowName,
  sharedText,
  singular,
} from "../../../../server/src/analysis/explain/consequence/nouns";
import type { Runs } from "../../../../server/src/analysis/explain/consequence/runs";
import { emptyTable, type Table } from "../../../../server/src/program/schema";
import type { Severity } from "../../../../server/src/protocol/report";
import type { Outcome, Row } from "../../../../server/src/protocol/witness";
import type { CellAccess, ExecutedStep } from "../../../../server/src/store/execution";

interface Made {
  readonly initial?: Readonly<Record<string, readonly Row[]>>;
  readonly here: Readonly<Record<string, readonly Row[]>>;
  readonly serial: readonly Readonly<Record<string, readonly Row[]>>[];
  readonly lookedUp?: readonly string[];
  readonly steps?: readonly ExecutedStep[];
  readonly severity?: Severity;
  readonly returned?: readonly (readonly string[])[];
  /** Of each order, who is refused. */
  readonly refused?: readonly string[];
}

function outcome(
  final: Outcome["final"],
  returned: readonly string[] = [],
  refused?: string,
): Outcome {
  const status = (name: string): string => (name === refused ? "rolled back" : "committed");
  return {
    final,
    status: { T1: status("T1"), T2: status("T2") },
    returned: { T1: returned },
  };
}

const table = (name: string, more: Partial<Table> = {}): Table => ({
  ...emptyTable(name),
  primaryKey: ["id"],
  ...more,
});

const TABLES = [
  table("account"),
  table("bookings", {
    columns: [
      {
        name: "cancelled",
        type: "int",
        nullable: false,
        default: { kind: "literal", value: 0, type: "int" },
      },
    ],
    foreignKeys: [{ columns: ["room_id"], table: "rooms", referenced: ["id"] }],
  }),
  table("rooms"),
  table("doctors"),
  table("audit_log"),
];

function told({ initial = {}, here, serial, severity = "state", ...more }: Made): string {
  const runs: Runs = {
    schema: { tables: TABLES },
    initial,
    here: outcome(here, more.returned?.[0]),
    serial: serial.map((final, at) => outcome(final, more.returned?.[at + 1], more.refused?.[at])),
    steps: more.steps ?? [],
    nameOf: (instance) => (instance === "T1" ? "withdraw" : "deposit"),
    lookedUp: () => more.lookedUp ?? [],
  };
  const found = consequenceOf(runs, severity);
  return found ? `${found.harm}: ${found.title ?? ""}` : "nothing";
}

const cell = (column: string, value: number, before?: number): CellAccess => ({
  table: "account",
  key: "1",
  column,
  value,
  ...(before !== undefined && { before }),
});

function step(
  instance: string,
  reads: readonly CellAccess[],
  writes: readonly CellAccess[],
): ExecutedStep {
  return { instance, statement: 1, sees: [], reads, writes, result: [], affected: writes.length };
}

const account = (balance: number, more: Row = {}): Readonly<Record<string, readonly Row[]>> => ({
  account: [{ id: 1, balance, ...more }],
});

/** Both read 100; T1 changes it by one amount, T2 by the other, from what it read. */
const both = (first: number, second: number): readonly ExecutedStep[] => [
  step("T1", [cell("balance", 100)], []),
  step("T2", [cell("balance", 100)], []),
  step("T1", [], [cell("balance", 100 + first, 100)]),
  step("T2", [], [cell("balance", 100 + second, 100 + first)]),
];

const booking = (id: number, more: Row = {}): Row => ({
  id,
  room_id: 63,
  day: "2025-01-01",
  ...more,
});

describe("the consequence of a run", () => {
  const cases: readonly (readonly [string, Made])[] = [
    [
      "limit: 130 taken out of 100, the balance of account 1",
      {
        initial: account(100),
        here: account(30),
        serial: [account(40), account(30)],
        refused: ["T2", "T1"],
        steps: both(-60, -70),
      },
    ],
    [
      "limit: The balance of account 1 falls to -5, below zero",
      { initial: account(10), here: account(-5), serial: [account(3), account(2)] },
    ],
    [
      "amount: The +20 of withdraw is lost, the balance of account 1 ends at 105 instead of 125",
      {
        initial: account(100),
        here: account(105),
        serial: [account(125), account(125)],
        steps: both(20, 5),
      },
    ],
    [
      "rows: The account is left, which no order leaves",
      {
        initial: { accounts: [{ id: 1, is_deleted: 0 }] },
        here: { accounts: [{ id: 1, is_deleted: 0 }] },
        serial: [
          { accounts: [{ id: 1, is_deleted: 1 }] },
          { accounts: [{ id: 1, is_deleted: 1 }] },
        ],
        steps: [
          step("T1", [cell("is_deleted", 0)], []),
          step("T2", [], [cell("is_deleted", 1, 0)]),
          step("T1", [], [cell("is_deleted", 0, 1)]),
        ],
      },
    ],
    [
      "amount: Account 1 ends with balance 7, where one at a time leaves 8 or 9",
      { initial: account(10), here: account(7), serial: [account(8), account(9)] },
    ],
    [
      "duplicate: Two bookings for room 63, where one at a time leaves one",
      {
        initial: { rooms: [{ id: 63, state: "free" }] },
        here: {
          bookings: [booking(1), booking(2, { day: "2025-01-02" })],
          rooms: [{ id: 63, state: "taken" }],
        },
        serial: [booking(1), booking(2, { day: "2025-01-02" })].map((only) => ({
          bookings: [only],
          rooms: [{ id: 63, state: "taken" }],
        })),
      },
    ],
    [
      "duplicate: Two bookings for room 63, where one at a time leaves one",
      {
        here: { bookings: [booking(1, { cancelled: 0 }), booking(2, { cancelled: 0 })] },
        serial: [1, 2].map((id) => ({ bookings: [booking(id, { cancelled: 0 })] })),
        lookedUp: ["room_id", "cancelled"],
      },
    ],
    [
      "duplicate: Two bookings for room 63 on 2025-01-01, where one at a time leaves one",
      {
        here: { bookings: [booking(1), booking(2)] },
        serial: [{ bookings: [booking(1)] }, { bookings: [booking(2)] }],
        lookedUp: ["room_id", "day"],
      },
    ],
    // A function that is not followed gave both the same text, of which nobody knows more.
    [
      "duplicate: Two bookings for room 63 with the same guest, where one at a time leaves one",
      {
        here: { bookings: [1, 2].map((id) => booking(id, { guest: "code:parse(u3)" })) },
        serial: [
          { bookings: [booking(1, { guest: "code:parse(u3)" })] },
          { bookings: [booking(2, { guest: "code:parse(u3)" })] },
        ],
        lookedUp: ["room_id", "guest"],
      },
    ],
    [
      "limit: Three bookings for room 63, where one at a time leaves two",
      {
        initial: { bookings: [booking(1)] },
        here: { bookings: [booking(1), booking(2), booking(3)] },
        serial: [{ bookings: [booking(1), booking(2)] }, { bookings: [booking(1), booking(3)] }],
        lookedUp: ["room_id"],
      },
    ],
    [
      "duplicate: Two bookings for room 63 with number 4",
      {
        here: { bookings: [booking(1, { number: 4 }), booking(2, { number: 4 })] },
        serial: [
          { bookings: [booking(1, { number: 4 }), booking(2, { number: 5 })] },
          { bookings: [booking(1, { number: 5 }), booking(2, { number: 4 })] },
        ],
        lookedUp: ["room_id"],
      },
    ],
    // Bookings that were there and got their numbers here.
    [
      "duplicate: Two bookings with number 4",
      {
        initial: { bookings: [booking(1, { number: null }), booking(2, { number: 3 })] },
        here: { bookings: [booking(1, { number: 4 }), booking(2, { number: 4 })] },
        serial: [
          { bookings: [booking(1, { number: 4 }), booking(2, { number: 5 })] },
          { bookings: [booking(1, { number: 5 }), booking(2, { number: 4 })] },
        ],
        lookedUp: ["id"],
      },
    ],
    [
      "limit: No doctor is on call any more, where one at a time leaves one",
      {
        initial: {
          doctors: [
            { id: 1, on_call: true },
            { id: 2, on_call: true },
          ],
        },
        here: {
          doctors: [
            { id: 1, on_call: false },
            { id: 2, on_call: false },
          ],
        },
        serial: [
          {
            doctors: [
              { id: 1, on_call: false },
              { id: 2, on_call: true },
            ],
          },
          {
            doctors: [
              { id: 1, on_call: true },
              { id: 2, on_call: false },
            ],
          },
        ],
        lookedUp: ["on_call"],
      },
    ],
    [
      "rows: One booking is left, where one at a time leaves two",
      {
        initial: { bookings: [booking(1, { room_id: "a" })] },
        here: { bookings: [booking(2, { room_id: "b" })] },
        serial: [{ bookings: [booking(1, { room_id: "a" }), booking(2, { room_id: "b" })] }],
        lookedUp: ["room_id"],
      },
    ],
    [
      "dangling: Booking 1 refers to room 63, which is gone",
      {
        initial: { rooms: [{ id: 63 }], bookings: [] },
        here: { rooms: [], bookings: [booking(1)] },
        serial: [
          { rooms: [], bookings: [] },
          { rooms: [{ id: 63 }], bookings: [booking(1)] },
        ],
      },
    ],
    [
      "rows: Two bookings are left, where one at a time leaves one",
      {
        here: { bookings: [booking(1), booking(2)] },
        serial: [{ bookings: [booking(1)] }, { bookings: [booking(2)] }],
      },
    ],
    [
      "value: Account 1 ends with state 'lost', where one at a time leaves 'open' or 'paid'",
      {
        here: account(1, { state: "lost" }),
        serial: [account(1, { state: "open" }), account(1, { state: "paid" })],
      },
    ],
    [
      "choice: Account 1 ends with name 'a' and state 'y', which no order leaves together",
      {
        here: account(1, { name: "a", state: "y" }),
        serial: [account(1, { name: "a", state: "x" }), account(1, { name: "b", state: "y" })],
      },
    ],
    // The name and the state are those of the first order: only the city tells the run from it.
    [
      "choice: Account 1 ends with name 'a' and city 'v', which no order leaves together",
      {
        here: account(1, { name: "a", state: "x", city: "v" }),
        serial: [
          account(1, { name: "a", state: "x", city: "u" }),
          account(1, { name: "b", state: "y", city: "v" }),
        ],
      },
    ],
    [
      "choice: Account 1 ends with name 'a', state 'x' and city 'v', which no order leaves together",
      {
        here: account(1, { name: "a", state: "x", city: "v" }),
        serial: [
          account(1, { name: "a", state: "x", city: "u" }),
          account(1, { name: "a", state: "y", city: "v" }),
          account(1, { name: "b", state: "x", city: "v" }),
        ],
      },
    ],
    // The doctors are those of the first order, the rooms those of the second.
    [
      "choice: The doctors and rooms that are left together are those of no order",
      {
        here: { doctors: [{ id: 1 }], rooms: [] },
        serial: [
          { doctors: [{ id: 1 }], rooms: [{ id: 1 }] },
          { doctors: [], rooms: [] },
        ],
      },
    ],
    [
      "noted: One audit log is left, where one at a time leaves two",
      {
        here: { audit_log: [{ id: 1 }] },
        serial: [{ audit_log: [{ id: 1 }, { id: 2 }] }, { audit_log: [{ id: 1 }, { id: 3 }] }],
      },
    ],
    [
      "returned: A run of withdraw returns b = 2, where one at a time gives b = 1 or b = 3",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        returned: [["a = 1, b = 2"], ["a = 1, b = 1"], ["a = 1, b = 3"]],
      },
    ],
    // Rows of one run are more than those of another: fields that all have say nothing.
    [
      "returned: A run of withdraw returns b = 2, where one at a time gives c = 1, d = 4 and 1 more or b = 3",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        returned: [["a = 1, b = 2"], ["a = 1, c = 1, d = 4, e = 5"], ["a = 1, b = 3"]],
      },
    ],
    [
      "repetition: A run of withdraw returns gone, where one at a time gives not found",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        returned: [["gone"], ["not found"], ["not found"]],
        steps: [
          step("T1", [], [cell("deleted_at", 7), cell("updated_at", 7)]),
          step("T2", [], [{ ...cell("@", 0), value: false }]),
        ],
      },
    ],
    [
      "repetition: ",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        steps: [step("T1", [], [{ ...cell("@", 0), value: false }])],
      },
    ],
    [
      "returned: ",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        steps: [step("T1", [], [{ ...cell("@", 0), table: "reset_tokens", value: false }])],
      },
    ],
    [
      "returned: A run of withdraw returns taken, where one at a time gives not found",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        returned: [["taken"], ["not found"], ["not found"]],
        steps: [step("T1", [], [cell("taken_at", 7), cell("updated_at", 7)])],
      },
    ],
    [
      "repetition: A run of withdraw returns was off, where one at a time gives was on",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        returned: [["was off"], ["was on"], ["was on"]],
        steps: ["T1", "T2"].map((name) => step(name, [], [cell("on", 1), cell("updated_at", 7)])),
      },
    ],
    [
      "returned: ",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        steps: ["T1", "T2"].map((name, at) => step(name, [], [cell("on", at)])),
      },
    ],
    [
      "returned: ",
      {
        severity: "value",
        here: {},
        serial: [{}, {}],
        steps: ["T1", "T2"].map((name) => step(name, [], [cell("used", 1)])),
      },
    ],
    ["nothing", { severity: "unused", here: account(1), serial: [account(2)] }],
    ["nothing", { here: account(1), serial: [] }],
  ];
  for (const [expected, made] of cases) {
    it(expected, () => {
      assert.equal(told(made), expected);
    });
  }

  it("is that of notes where some order leaves the same but for times of the clock", () => {
    const at = (time: string, state: string) => ({
      account: [{ id: 1, state, closed: "2026-01-01T00:00:" + time + ".000Z" }],
    });
    const orders = [at("02", "open"), at("03", "closed")];
    assert.match(told({ here: at("01", "closed"), serial: orders }), /^noted/u);
    assert.match(told({ here: at("01", "odd"), serial: orders }), /^value/u);
  });

  it("is not that of notes where something else differs", () => {
    const noted = (balance: number, note: string) => account(balance, { note });
    assert.equal(
      told({ here: noted(1, "a"), serial: [noted(2, "b"), noted(2, "c")] }),
      "amount: Account 1 ends with balance 1, where one at a time leaves 2",
    );
  });
});

describe("nouns", () => {
  it("are the words of tables", () => {
    const names = ["bookings", "TeamMember", "categories", "addresses", "status", "boxes", "news"];
    assert.deepEqual(names.map(singular), [
      "booking",
      "team member",
      "category",
      "address",
      "status",
      "box",
      "new",
    ]);
    assert.deepEqual(["category", "box", "day", "order_lines"].map(plural), [
      "categories",
      "boxes",
      "days",
      "order lines",
    ]);
    assert.equal(singular("members (PostgreSQL)"), "member");
  });

  it("name rows by their keys and by what they share", () => {
    assert.equal(rowName("orders", { a: 1, b: 2 }, ["a", "b"]), "order (1, 2)");
    assert.equal(rowName("orders", { a: 1 }, []), "the order");
    const row = { user_id: 2, day: "2025-01-01T00:00:00.000Z", kind: "x".repeat(50) };
    assert.equal(
      sharedText(row, ["kind", "day", "user_id"]),
      `for user 2 on 2025-01-01 with kind '${"x".repeat(32)}\u2026'`,
    );
  });
});
