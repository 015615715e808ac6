// Causes: which read that goes stale an anomaly is told by, and what a cause is known by.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { causeOf, partnersText } from "../../../server/src/protocol/cause";
import type { Anomaly, CycleEdge, Step, StepCall } from "../../../server/src/protocol/report";
import {
  causesOf,
  fingerprintOfRead,
  staleReads,
} from "../../../server/src/service/findings/causes";
import type { CycleEnd, Dependency } from "../../../server/src/protocol/dependency";

/** A statement of an instance: "T1 SELECT a". Each text has a place of its own. */
interface Statement {
  readonly instance: string;
  readonly text: string;
  readonly through?: readonly string[];
}

const on = (instance: string, text: string, through: readonly string[] = []): Statement => ({
  instance,
  text,
  through,
});

function range(text: string) {
  const line = [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return { start: { line, character: 0 }, end: { line, character: text.length } };
}

function end({ instance, text }: Statement): CycleEnd {
  return { instance, file: "a.sql", range: range(text), text };
}

type Edge = readonly [Statement, Dependency, Statement];

let made = 0;

/** An anomaly with this cycle; `transactions` are those of T1, T2, ... */
function anomaly(
  transactions: readonly string[],
  edges: readonly Edge[],
  more: Partial<Anomaly> = {},
): Anomaly {
  const cycle = edges.map(([from, dependency, to]): CycleEdge => ({
    dependency,
    from: end(from),
    to: end(to),
    table: "t",
    columns: [],
  }));
  const instances = transactions.map((transaction, at) => ({
    instance: `T${String(at + 1)}`,
    transaction,
    arguments: {},
  }));
  const calls = (names: readonly string[]): readonly StepCall[] =>
    names.map((name) => ({ name, file: "a.sql", range: range(name) }));
  const steps = edges.flatMap(([from, , to]) =>
    [from, to].map((each): Step => {
      const writes = each.text.startsWith("UPDATE")
        ? [{ table: "t", key: "1", column: "v", value: 1 }]
        : [];
      return {
        ...end(each),
        effect: "",
        because: "",
        statement: 1,
        commits: false,
        reads: [],
        writes,
        through: calls(each.through ?? []),
      };
    }),
  );
  made += 1;
  return {
    id: String(made),
    kind: "lost-update",
    severity: "state",
    title: "A change is lost",
    harm: "amount",
    status: "confirmed",
    transactions,
    tables: ["t"],
    cycle,
    witness: {
      instances,
      initial: {},
      schedule: [],
      outcome: { final: {}, status: {}, returned: {} },
    },
    serial: [],
    steps,
    message: "",
    preventedBy: [],
    allowedAt: [],
    ...more,
  };
}

/** T1 reads, T2 writes, T1 writes over it. */
const lost = (reader: string, other: string, through: readonly string[] = []): Anomaly =>
  anomaly(
    [reader, other],
    [
      [on("T1", `SELECT ${reader}`, through), "rw", on("T2", `UPDATE ${other}`)],
      [on("T2", `UPDATE ${other}`), "ww", on("T1", `UPDATE ${reader}`, through)],
    ],
  );

/** Each reads what the other writes. */
const skew = (one: string, other: string): Anomaly =>
  anomaly(
    [one, other],
    [
      [on("T1", `SELECT ${one}`), "rw", on("T2", `UPDATE ${other}`)],
      [on("T2", `SELECT ${other}`), "rw", on("T1", `UPDATE ${one}`)],
    ],
  );

const told = (...all: readonly Anomaly[]): readonly string[] =>
  causesOf(all).map(
    (cause) =>
      `${cause.transactions.join("+")}: ${cause.read?.text ?? "?"} with ${partnersText(cause)} x${String(cause.anomalies.length)}`,
  );

describe("causes", () => {
  it("hold the anomalies that share the read that goes stale, whatever their partners", () => {
    const all = [lost("a", "a"), lost("a", "b"), lost("c", "a")];
    assert.deepEqual(told(...all), ["a: SELECT a with b and itself x2", "c: SELECT c with a x1"]);
    const [first] = causesOf(all);
    assert.deepEqual(
      first?.uses.map(({ text }) => text),
      ["UPDATE a"],
    );
  });

  it("of write skew are the read that explains most", () => {
    assert.deepEqual(told(skew("a", "b")), ["a: SELECT a with b x1"]);
    assert.deepEqual(told(skew("a", "b"), skew("b", "b")), ["b: SELECT b with a and itself x2"]);
    assert.deepEqual(told(skew("a", "b"), skew("c", "b"), skew("d", "b")), [
      "b: SELECT b with a, c and d x3",
    ]);
  });

  it("are of the transaction between two others, not of one that only looks", () => {
    const readOnly = anomaly(
      ["look", "check", "add"],
      [
        [on("T1", "SELECT look"), "rw", on("T2", "UPDATE check")],
        [on("T2", "SELECT check"), "rw", on("T3", "UPDATE add")],
        [on("T3", "UPDATE add"), "wr", on("T1", "SELECT look 2")],
      ],
    );
    assert.deepEqual(told(readOnly), ["check: SELECT check with look and add x1"]);
    const torn = anomaly(
      ["look", "add"],
      [
        [on("T1", "SELECT look"), "rw", on("T2", "UPDATE add")],
        [on("T2", "UPDATE add"), "wr", on("T1", "SELECT look 2")],
      ],
    );
    assert.deepEqual(told(torn), ["look: SELECT look with add x1"]);
  });

  it("are the write where nothing was read before it", () => {
    const blind = anomaly(
      ["a", "b"],
      [
        [on("T1", "UPDATE a"), "ww", on("T2", "UPDATE b")],
        [on("T2", "UPDATE b 2"), "ww", on("T1", "UPDATE a 2")],
      ],
    );
    assert.deepEqual(told(blind), ["a: UPDATE a with b x1"]);
  });

  it("are one for transactions that call a helper which reads and writes, and not for a helper of each", () => {
    const shared = (name: string, through: readonly string[]): Anomaly => {
      const [read, write] = [on("T1", "SELECT h", through), on("T1", "UPDATE h", through)];
      const other = on("T2", "UPDATE x");
      return anomaly(
        [name, "x"],
        [
          [read, "rw", other],
          [other, "ww", write],
        ],
      );
    };
    const both = causesOf([shared("a", ["next"]), shared("b", ["next"])]);
    assert.deepEqual(
      both.map(({ transactions, ids, anomalies }) => [transactions, ids.length, anomalies.length]),
      [[["a", "b"], 2, 2]],
    );
    assert.equal(causesOf([shared("a", []), shared("b", [])]).length, 2);
    // Found by the ids of either, and by how they begin.
    for (const id of both[0]?.ids ?? []) assert.equal(causeOf(both, id.slice(0, 6)), both[0]);
    assert.equal(causeOf(both, "x"), undefined);
  });

  it("keep each anomaly in exactly one, in the order of the worst", () => {
    const all = [lost("b", "a"), skew("a", "b"), lost("a", "a"), skew("c", "d"), lost("b", "c")];
    const grouped = causesOf(all).flatMap(({ anomalies }) => anomalies);
    assert.deepEqual([...grouped].sort(), all.map(({ id }) => id).sort());
    assert.equal(grouped[0], all[0]?.id);
  });

  it("are known by the same over other places, partners, levels and kinds", () => {
    const [plain] = staleReads(lost("a", "b"));
    const [again] = staleReads({ ...lost("a", "c"), kind: "phantom" });
    const [renamed] = staleReads(lost("d", "b"));
    assert.ok(plain && again && renamed);
    assert.equal(fingerprintOfRead(plain), fingerprintOfRead(again));
    assert.notEqual(fingerprintOfRead(plain), fingerprintOfRead(renamed));
    const [of, other] = [causesOf([lost("a", "b")]), causesOf([lost("a", "c")])];
    assert.equal(of[0]?.id, other[0]?.id);
    assert.equal(of[0]?.fingerprint, fingerprintOfRead(plain));
  });

  it("of what could not be executed are those with the same statements", () => {
    const open = (name: string, more: Partial<Anomaly> = {}): Anomaly =>
      anomaly([name, "x"], [], { status: "unconfirmed", ...more });
    assert.equal(causesOf([open("a"), open("b")]).length, 2);
    assert.equal(causesOf([open("a"), open("a", { kind: "phantom" })]).length, 2);
    assert.equal(causesOf([open("a"), open("a")]).length, 1);
  });
});
