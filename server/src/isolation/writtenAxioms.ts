// The papers' axioms in the language of user-written axioms. Checks use the built-in forms; these tell which axioms a level that a user
// extends has already, and tests compare the two forms.
import type { WrittenAxiom } from "./formula";
import type { Axiom } from "./levels";
import { parseAxiom } from "./parseAxiom";

/** Each built-in axiom as text; `atomicVisibility` is two, one about writes and one about a transaction's other statements. */
const AXIOM_TEXTS: Readonly<Record<Axiom, readonly string[]>> = {
  atomicVisibility: [
    "forall v, w, q. st(v, w) & !st(w, q) & vis(w, q) => vis(v, q)",
    "forall a, w, q. st(a, w) & !st(w, q) & vis(w, q) => ar(a, q)",
  ],
  atomicArbitration: ["forall a, b, c, d. st(a, b) & st(c, d) & !st(a, c) & ar(a, c) => ar(b, d)"],
  monotonic: ["forall w, q, p. po(q, p) & vis(w, q) => vis(w, p)"],
  repeatable: ["forall w, q, p. st(q, p) & !st(w, q) & vis(w, q) => vis(w, p)"],
  causal: ["forall a, b, q. vis(a, b) & vis(b, q) => vis(a, q)"],
  prefix: ["forall a, b, q. !st(a, q) & !st(b, q) & ar(a, b) & vis(b, q) => vis(a, q)"],
  uniqueKeys: ["forall a, b. samekey(a, b) & ar(a, b) => vis(a, b)"],
  noConflict: ["forall a, b. conflict(a, b) & ar(a, b) => vis(a, b)"],
  total: ["forall w, q. ar(w, q) => vis(w, q)"],
};

/** The built-in axiom as a user would write it. */
export function writtenAxioms(axiom: Axiom): readonly WrittenAxiom[] {
  return AXIOM_TEXTS[axiom].map((text) => {
    const result = parseAxiom(text);
    if (!result.ok) throw new Error(`${axiom}: ${result.problem.message}`);
    return result.axiom;
  });
}
