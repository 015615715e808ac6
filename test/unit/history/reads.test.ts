// Reads that no level allows, transactions of unknown fate, and values that were written twice.
import assert from "node:assert/strict";
import { it } from "node:test";
import { checkHistory } from "../../../server/src/history/check";
import type { FormatName } from "../../../server/src/history/formats/format";
import { startReading } from "../../../server/src/history/formats/readHistory";
import { explainViolation } from "../../../server/src/history/violation";
import type { PlainHistory, PlainOperation, PlainTransaction } from "./bruteForce";
import { isMinimal } from "./minimal";
import { toHistory } from "./randomHistories";

/** "w0=1 r0=1 a0=2 l0=[1,2]" */
function t(text: string, session: number, status: PlainTransaction["status"] = "committed") {
  const operations = text.split(" ").map((each): PlainOperation => {
    const [, what = "", key = "0", value = ""] = /^([wral])(\d+)=(.*)$/.exec(each) ?? [];
    if (what === "l")
      return {
        kind: "list",
        key: Number(key),
        values: value.slice(1, -1).split(",").filter(Boolean).map(Number),
      };
    const kind = what === "w" ? "write" : what === "a" ? "append" : "read";
    return { kind, key: Number(key), value: Number(value) };
  });
  return { session, status, operations };
}

/** `expected`: one letter per level from RC to SER, and the kind of violation if there is one. */
function check(history: PlainHistory, expected: string, kind?: string): void {
  const recorded = toHistory(history);
  const result = checkHistory(recorded);
  assert.equal([...result.verdicts.values()].map((each) => each.charAt(0)).join(""), expected);
  const violation = explainViolation(recorded, result);
  assert.equal(violation?.kind.name, kind);
  if (violation !== undefined) assert.equal(isMinimal(violation, false), "minimal");
}

it("finds reads that no level allows", () => {
  check([t("r0=9", 0)], "vvvvvv", "thin-air-read");
  check([t("w0=1", 0, "aborted"), t("r0=1", 1)], "vvvvvv", "aborted-read");
  check([t("w0=1 w0=2", 0), t("r0=1", 1)], "vvvvvv", "intermediate-read");
  check([t("r0=1 w0=1", 0)], "vvvvvv", "future-read");
  check([t("w0=1 r0=2", 0), t("w0=2", 1)], "vvvvvv", "own-write-not-read");
  check(
    [t("a0=1", 0), t("a0=2", 1), t("l0=[1,2]", 2), t("l0=[2]", 3)],
    "vvvvvv",
    "incompatible-lists",
  );
  check([t("a0=1", 0), t("l0=[1,1]", 1)], "vvvvvv", "duplicate-element");
});

it("knows a long transaction's own writes", () => {
  const others = Array.from({ length: 40 }, (_, at) => `r${String(9 + at)}=0`).join(" ");
  check([t(`w0=1 ${others} r0=1`, 0), t("r0=1", 1)], "oooooo");
  check([t(`w0=1 ${others} r0=2`, 0), t("w0=2", 1)], "vvvvvv", "own-write-not-read");
  check([t(`w0=1 ${others} w0=2`, 0), t("r0=1", 1)], "vvvvvv", "intermediate-read");
  check([t(`${others} r0=0 w0=2`, 0), t("r0=0 w0=1", 1)], "ooovvv", "lost-update");
});

it("takes a transaction of unknown fate as committed exactly if it was read", () => {
  check([t("w0=1 w1=1", 0, "unknown"), t("r0=0", 1)], "oooooo");
  check([t("w0=1 w1=1", 0, "unknown"), t("r1=0 r0=1", 1)], "ovvvvv", "fractured-read");
});

it("never says that a level holds which rests on a read of an ambiguous value", () => {
  check([t("w0=1", 0), t("w0=1", 1), t("r0=1", 2)], "uuuuuu");
  check([t("w0=1", 0), t("w0=1", 1), t("w1=2", 2)], "oooooo");
  check([t("w0=1", 0), t("w0=1", 1), t("r0=1 r1=9", 2)], "vvvvvv", "thin-air-read");
});

it("says of an element that was appended twice only what is sure", () => {
  check([t("a0=1", 0), t("a0=1", 1), t("l0=[1,1]", 2)], "uuuuuu");
  check([t("a0=1 a0=1", 0), t("l0=[1]", 1)], "uuuuuu");
  check([t("a0=1", 0), t("a0=1", 1), t("a0=5 l0=[1,1,5]", 2)], "uuuuuu");
  check([t("a0=1", 0), t("a0=1", 1), t("a0=5", 2), t("l0=[1,5]", 3)], "uuuuuu");
  check([t("a0=1", 0), t("a0=1", 1), t("a0=5", 2), t("l0=[1,1,5]", 1)], "uuuuuu");
});

it("takes nobody's word for the value at the start but that of a transaction that committed", () => {
  const judged = (text: string, format: FormatName) => {
    const reading = startReading(format, text.length);
    reading.file("history");
    assert.equal(reading.feed(new TextEncoder().encode(text)), undefined);
    assert.equal(reading.endFile(), undefined);
    const { verdicts } = checkHistory(reading.finish());
    return [...verdicts.values()].map((each) => each.charAt(0)).join("");
  };
  assert.equal(judged("[x:=0]!\n---\n[x==0]\n", "dbcop-hist"), "uuuuuu");
  assert.equal(judged("[x:=0]\n---\n[x==0]\n", "dbcop-hist"), "oooooo");
});

it("explains what time and sessions tell together", () => {
  const history = toHistory([
    t("w0=1", 0),
    { ...t("w1=1", 0), begin: 0, end: 1 },
    { ...t("r0=0", 1), begin: 3, end: 4 },
  ]);
  const result = checkHistory(history, { strict: true });
  assert.deepEqual(result.violated?.level, "read-atomic");
  const violation = explainViolation(history, result, { strict: true });
  assert.ok(violation);
  assert.deepEqual(
    violation.edges.map((edge) => edge.type),
    ["so", "rt", "rw"],
  );
  assert.equal(isMinimal(violation, true), "minimal");
});

it("leaves out times that contradict each other, and says so", () => {
  const backwards = [
    { ...t("w0=1", 0), begin: 10, end: 20 },
    { ...t("r0=1", 0), begin: 1, end: 5 },
    { ...t("r0=0", 1), begin: 30, end: 40 },
  ];
  const history = toHistory(backwards);
  assert.equal(checkHistory(history).verdicts.get("serializable"), "ok");
  const strict = checkHistory(history, { strict: true });
  assert.deepEqual(new Set(strict.verdicts.values()), new Set(["unknown"]));
  assert.equal(strict.unknown, "times");
  assert.match(history.problems[0]?.message ?? "", /^Times run backwards in session/u);
});

it("names what lists show", () => {
  check([t("a0=1 a0=3", 0), t("a0=2", 1), t("l0=[1,2,3]", 2)], "vvvvvv", "dirty-write");
  check([t("l0=[] a0=1", 0), t("l0=[] a0=2", 1), t("l0=[1,2]", 2)], "ooovvv", "lost-update");
});

it("stops at a limit without an answer", () => {
  const history = toHistory([t("w0=1", 0), t("r0=1", 1)]);
  const { verdicts, unknown } = checkHistory(history, { stop: () => "time" });
  assert.deepEqual(new Set(verdicts.values()), new Set(["unknown"]));
  assert.equal(unknown, "time");
  const small = checkHistory(history, { levels: ["serializable"], bytes: 1 });
  assert.equal(small.unknown, "memory");
});
