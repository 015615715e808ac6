import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WrittenAxiom } from "../../../server/src/isolation/formula";
import { AXIOMS, PAPER_LEVELS, PRINTED_LEVELS } from "../../../server/src/isolation/levels";
import type { Axiom } from "../../../server/src/isolation/levels";
import { parseAxiom } from "../../../server/src/isolation/parseAxiom";
import { effectOf, refusedSerialRun } from "../../../server/src/isolation/smallHistories";
import type { Effect } from "../../../server/src/isolation/smallHistories";
import { writtenAxioms } from "../../../server/src/isolation/writtenAxioms";
import { dictionary } from "../../../server/src/protocol/dictionary";

function axiom(text: string): WrittenAxiom {
  const result = parseAxiom(text);
  assert.ok(result.ok, text);
  return result.axiom;
}

/** Of the axioms that a level does not list: those that follow from it all the same. */
const IMPLIED = dictionary<readonly Axiom[]>({
  // Whoever sees the same at every statement sees no more later.
  "clotho:repeatable-read": ["monotonic"],
  // Program order is visible, and what is seen by a statement is seen behind it.
  "clotho:causal": ["monotonic"],
  "anode:psi": [],
});

describe("what an axiom excludes", () => {
  for (const level of [...PAPER_LEVELS, ...PRINTED_LEVELS])
    it(`beside ${level.name}: what it does not hold`, () => {
      const held = level.axioms.flatMap(writtenAxioms);
      const implied = level.axioms.includes("total") ? AXIOMS : (IMPLIED[level.name] ?? []);
      for (const name of AXIOMS) {
        const follows = level.axioms.includes(name) || implied.includes(name);
        const effects = writtenAxioms(name).map((each) => effectOf(each, held));
        const expected: Effect = follows ? "follows" : "excludes";
        assert.ok(effects.includes(expected), `${name}: ${effects.join()}`);
      }
    });

  const effects: readonly (readonly [string, string, Effect])[] = [
    ["forall w, q, p. so(q, p) & vis(w, q) => vis(w, p)", "eventual", "excludes"],
    ["forall w, q, p. so(q, p) & vis(w, q) => vis(w, p)", "causal", "sessions"],
    ["forall w, q. so(w, q) => vis(w, q)", "serializable", "sessions"],
    ["true", "eventual", "follows"],
    ["forall a. exists b. a = b", "eventual", "follows"],
    ["forall a, b. vis(a, b) => ar(a, b)", "eventual", "follows"],
    ["forall a, b. ar(a, b) | ar(b, a) | a = b", "eventual", "follows"],
    ["forall a, b. po(a, b) => vis(a, b)", "eventual", "follows"],
    ["forall t: transaction, u: transaction. ar(t, u) | ar(u, t) | t = u", "eventual", "excludes"],
    [
      "forall t: transaction, u: transaction. ar(t, u) | ar(u, t) | t = u",
      "read-committed",
      "undecided",
    ],
    ["forall a, b. conflict(a, b) => vis(a, b) | vis(b, a) | a = b", "causal", "excludes"],
    [
      "forall a, b. conflict(a, b) => vis(a, b) | vis(b, a) | a = b",
      "snapshot-isolation",
      "follows",
    ],
    // Parallel snapshot isolation from its two halves.
    [
      "forall a, b, q. ar(a, b) & vis(b, q) & !st(a, q) & !st(b, q) => vis(a, q)",
      "snapshot-isolation",
      "follows",
    ],
    [
      "forall a, b, c, d, e, f. vis(a, b) & vis(c, d) & vis(e, f) => ar(a, b)",
      "causal",
      "undecided",
    ],
  ];
  for (const [text, beside, expected] of effects)
    it(`${text} beside ${beside}: ${expected}`, () => {
      const level = PAPER_LEVELS.find(({ name }) => name === beside);
      assert.ok(level);
      assert.equal(effectOf(axiom(text), level.axioms.flatMap(writtenAxioms)), expected);
    });
});

describe("serial runs", () => {
  it("are admitted by the papers' levels", () => {
    for (const name of AXIOMS)
      for (const each of writtenAxioms(name)) assert.equal(refusedSerialRun(each), undefined, name);
  });

  const refused: readonly (readonly [string, string | undefined])[] = [
    ["false", "T1: read"],
    ["forall a. false", "T1: read"],
    ["exists a. write(a)", "T1: read"],
    ["forall a. !write(a)", "T1: write"],
    ["forall w, q. !vis(w, q)", "T1: read, read"],
    ["forall w, q. vis(w, q) => st(w, q)", "T1: write; T2: read"],
    ["forall w, q. !st(w, q) => !conflict(w, q)", "T1: write; T2: write"],
    [
      "forall w, q, p. vis(w, q) & vis(q, p) => st(w, q) | st(q, p)",
      "T1: write; T2: write; T3: read",
    ],
    ["forall w, q. vis(w, q) => write(q)", "T1: read, read"],
    ["forall w, q. vis(w, q) => ar(w, q)", undefined],
    ["forall w. exists q. vis(w, q) | !write(w)", "T1: write"],
  ];
  for (const [text, expected] of refused)
    it(`${text}: ${expected ?? "are admitted"}`, () => {
      assert.equal(refusedSerialRun(axiom(text)), expected);
    });
});
