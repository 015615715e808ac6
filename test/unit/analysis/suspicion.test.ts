// Which tuples are asked about first: what rests on a read that goes stale, the dearest first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { suspicionOf } from "../../../server/src/analysis/search/suspicion";
import {
  num,
  out,
  par,
  plus,
  program,
  read,
  table,
  transaction,
  update,
  insert,
} from "./flatBuilder";

const KEY = { id: par("id") };
const FOUND = { kind: "found", operation: 0 } as const;

const flat = program(
  [table("account", ["id", "balance", "state", "note"]), table("booking", ["id", "room"])],
  [
    transaction(
      "deposit",
      ["id"],
      [
        read("account", KEY, ["balance"]),
        update("account", KEY, { balance: plus(out(0, "balance"), num(1)) }),
      ],
    ),
    transaction(
      "locked deposit",
      ["id"],
      [
        { ...read("account", KEY, ["balance"]), lock: "update" },
        update("account", KEY, { balance: plus(out(0, "balance"), num(1)) }),
      ],
    ),
    transaction(
      "book",
      ["id"],
      [
        { ...read("booking", {}, ["room"]), pick: "some" },
        {
          ...insert("booking", KEY, { room: par("room") }),
          guard: { kind: "not", operand: FOUND },
        },
      ],
    ),
    transaction(
      "close",
      ["id"],
      [
        read("account", KEY, ["state"]),
        { ...update("account", KEY, { state: num(2) }), guard: FOUND },
      ],
    ),
    transaction("annotate", ["id"], [update("account", KEY, { note: par("note") })]),
    transaction("look", ["id"], [read("account", KEY, ["balance", "note"])]),
  ],
);
const [DEPOSIT, LOCKED, BOOK, CLOSE, ANNOTATE, LOOK] = [0, 1, 2, 3, 4, 5] as const;
const suspicion = suspicionOf(flat);

test("an update that is lost comes before a row that stands twice, and that before a state that is left twice", () => {
  const order = [DEPOSIT, BOOK, CLOSE].map((each) => suspicion([each, each]));
  assert.deepEqual(
    order,
    [...order].sort((a, b) => b - a),
  );
  assert.equal(new Set(order).size, 3);
});

test("a transaction with itself comes before two that are different", () => {
  const twice = program(flat.tables.account ? [flat.tables.account] : [], [
    ...flat.transactions.slice(DEPOSIT, DEPOSIT + 1),
    ...flat.transactions.slice(DEPOSIT, DEPOSIT + 1).map((each) => ({ ...each, id: "other" })),
  ]);
  assert.ok(suspicionOf(twice)([0, 0]) > suspicionOf(twice)([0, 1]));
});

test("nothing is suspicious where no write rests on a read that another outdates", () => {
  assert.equal(suspicion([ANNOTATE, ANNOTATE]), 0);
  assert.equal(suspicion([LOOK, DEPOSIT]), 0);
  assert.equal(suspicion([DEPOSIT, ANNOTATE]), 0);
  assert.equal(suspicion([LOCKED, LOCKED]), 0);
  assert.equal(suspicion([BOOK, DEPOSIT]), 0);
});

test("what is not fully understood is less suspicious than the same when it is", () => {
  const doubtful = {
    ...flat,
    transactions: flat.transactions.map((each) => ({ ...each, losses: ["a call"] })),
  };
  assert.ok(suspicionOf(doubtful)([DEPOSIT, DEPOSIT]) < suspicion([DEPOSIT, DEPOSIT]));
  assert.ok(suspicionOf(doubtful)([DEPOSIT, DEPOSIT]) > suspicionOf(doubtful)([LOOK, DEPOSIT]));
});
