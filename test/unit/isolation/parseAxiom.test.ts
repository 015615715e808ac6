import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Formula } from "../../../server/src/isolation/formula";
import { parseAxiom } from "../../../server/src/isolation/parseAxiom";

/** The formula in prefix form, with the variables that it concerns. */
function understood(text: string): string {
  const result = parseAxiom(text);
  assert.ok(result.ok, `${text}: ${JSON.stringify(result)}`);
  return `${show(result.axiom.formula)} [${result.axiom.concerns.join(" ")}]`;
}

function show(formula: Formula): string {
  switch (formula.kind) {
    case "relation":
      return `${formula.relation}(${formula.arguments.join(",")})`;
    case "constant":
      return String(formula.value);
    case "not":
      return `!${show(formula.operand)}`;
    case "and":
    case "or":
      return `(${formula.kind} ${formula.operands.map(show).join(" ")})`;
    case "implies":
    case "iff":
      return `(${formula.kind} ${show(formula.left)} ${show(formula.right)})`;
    case "forall":
    case "exists":
      return `(${formula.kind} ${formula.variable} ${show(formula.body)})`;
  }
}

/** The first problem as "start-end message", with the names that were at hand. */
function refused(text: string, expected: string): void {
  const result = parseAxiom(text);
  assert.ok(!result.ok, text);
  const { start, end, message, unknown } = result.problem;
  const known = unknown ? ` (${unknown.known.join(" ")})` : "";
  assert.equal(`${String(start)}-${String(end)} ${message}${known}`, expected);
}

describe("axioms as text", () => {
  const forms: readonly (readonly [string, string])[] = [
    [
      "forall w, q, p. so(q, p) & vis(w, q) => vis(w, p)",
      "(forall w (forall q (forall p (implies (and so(q,p) vis(w,q)) vis(w,p))))) [p]",
    ],
    ["forall a. a = a", "(forall a eq(a,a)) [a]"],
    ["forall a, b. a != b", "(forall a (forall b !eq(a,b))) [a b]"],
    ["true => false", "(implies true false) []"],
    [
      "forall a, b. po(a,b) | st(a,b) & !ar(a,b) => write(a)",
      "(forall a (forall b (implies (or po(a,b) (and st(a,b) !ar(a,b))) write(a)))) [a b]",
    ],
    [
      "forall a, b. write(a) => write(b) => vis(a, b)",
      "(forall a (forall b (implies write(a) (implies write(b) vis(a,b))))) [b]",
    ],
    [
      "forall a. write(a) <=> !write(a) <=> true",
      "(forall a (iff (iff write(a) !write(a)) true)) [a]",
    ],
    ["forall a. exists b. ar(a, b) | a = b", "(forall a (exists b (or ar(a,b) eq(a,b)))) [a]"],
    ["forall a. !(forall b. vis(a, b))", "(forall a !(forall b vis(a,b))) [a]"],
    [
      "forall a. write(a) => forall b. ar(a, b) => vis(a, b)",
      "(forall a (implies write(a) (forall b (implies ar(a,b) vis(a,b))))) [b]",
    ],
    // Transactions stand for their statements.
    ["forall t: transaction, q. in(q, t)", "(forall t (forall q st(q,t))) [t q]"],
    [
      "forall t: transaction, u: transaction. t = u | so(t, u)",
      "(forall t (forall u (or st(t,u) (and so(t,u) !st(t,u))))) [t u]",
    ],
    [
      "forall t: transaction, q: statement. vis(t, q)",
      "(forall t (forall q (forall t'1 (implies (and st(t'1,t)) vis(t'1,q))))) [q]",
    ],
    [
      "forall t: transaction, q. conflict(t, q)",
      "(forall t (forall q (exists t'1 (and st(t'1,t) conflict(t'1,q))))) [t q]",
    ],
    ["forall t: transaction. write(t)", "(forall t (exists t'1 (and st(t'1,t) write(t'1)))) [t]"],
    // A question to both ends concerns both.
    [
      "forall a, b. vis(a, b) => ar(a, b)",
      "(forall a (forall b (implies vis(a,b) ar(a,b)))) [a b]",
    ],
    [
      "forall a, b, c. ar(a, b) => vis(a, b) & vis(a, c)",
      "(forall a (forall b (forall c (implies ar(a,b) (and vis(a,b) vis(a,c)))))) [b c]",
    ],
  ];
  for (const [text, expected] of forms)
    it(`reads ${text}`, () => {
      assert.equal(understood(text), expected);
    });

  const same: readonly (readonly [string, string])[] = [
    ["∀ a, b. ¬st(a,b) ∧ ar(a,b) ⇒ vis(a,b)", "forall a, b. !st(a,b) & ar(a,b) => vis(a,b)"],
    [
      "FORALL a, b. not st(a, b) and ar(a,b) implies vis(a,b)",
      "forall a, b. !st(a,b) & ar(a,b) => vis(a,b)",
    ],
    ["∃ a. write(a) ∨ a ≠ a", "exists a. write(a) | a != a"],
    ["exists a. write(a) || a <> a", "exists a. write(a) | a != a"],
    ["forall a. write(a) && true -> a == a", "forall a. write(a) & true => a = a"],
    ["forall a. write(a) ⇔ true", "forall a. write(a) iff true"],
    ["  forall a , b .( vis ( a , b ) )  ", "forall a,b. vis(a,b)"],
    ["forall größe, ß. vis(größe, ß)", "forall größe, ß. vis(größe, ß)"],
  ];
  for (const [text, other] of same)
    it(`takes ${text} for ${other}`, () => {
      assert.equal(understood(text), understood(other));
    });

  const problems: readonly (readonly [string, string])[] = [
    ["", "0-0 expected a relation, a quantifier or a parenthesis, and the axiom ends"],
    ["forall", "6-6 expected a variable's name, and the axiom ends"],
    ["forall w q. vis(w, q)", '9-10 expected "." or "," after the variables, and "q" stands there'],
    ["forall w, w. write(w)", '10-11 the variable "w" is bound already'],
    ["forall w. forall w. write(w)", '17-18 the variable "w" is bound already'],
    ["forall vis. write(vis)", '7-10 "vis" is a relation and cannot be a variable'],
    [
      "forall w: stmt. write(w)",
      '10-14 expected "statement" or "transaction", and "stmt" stands there',
    ],
    [
      "forall w. write(w) =>",
      "21-21 expected a relation, a quantifier or a parenthesis, and the axiom ends",
    ],
    ["forall w. (write(w)", '19-19 expected ")", and the axiom ends'],
    ["forall w. write(w))", '18-19 expected the end, or one of & | => <=>, and ")" stands there'],
    ["forall w. write(w, w)", "10-15 write takes one variable, and has 2"],
    ["forall w. vis", '13-13 expected "(" after vis, and the axiom ends'],
    ["forall w. vis(w)", "10-13 vis takes 2 variables, and has 1"],
    ["forall w. vis(w; w)", '15-16 expected ")" or ",", and ";" stands there'],
    ["forall w. w", '11-11 expected "(", "=" or "!=" after "w", and the axiom ends'],
    ["forall w. write(v)", '16-17 there is no variable "v" (w)'],
    ["write(v)", '6-7 there is no variable "v" ()'],
    [
      "forall w. wirte(w)",
      '10-15 there is no relation "wirte" (vis ar so po st in conflict samekey write)',
    ],
    [
      "forall w. constructor(w)",
      '10-21 there is no relation "constructor" (vis ar so po st in conflict samekey write)',
    ],
    [
      "forall w, t. in(w, t)",
      '19-20 "t" is a statement, and in wants a transaction here; bind it as "t: transaction"',
    ],
    [
      "forall t: transaction, w. po(w, t)",
      '32-33 "t" is a transaction, and po wants a statement here',
    ],
    [
      "forall t: transaction, w. w = t",
      '30-31 "w" is a statement and "t" is a transaction; only two of a kind can be the same',
    ],
    [
      "forall w. 😀(w)",
      '10-12 expected a relation, a quantifier or a parenthesis, and "😀" stands there',
    ],
    [
      "forall w. write(w) ? true",
      '19-20 expected the end, or one of & | => <=>, and "?" stands there',
    ],
  ];
  for (const [text, expected] of problems)
    it(`refuses ${text === "" ? "nothing" : text}`, () => {
      refused(text, expected);
    });

  it("refuses what is nested too deeply", () => {
    for (const deep of ["!".repeat(5000), "(".repeat(5000), "true => ".repeat(5000)]) {
      const result = parseAxiom(`${deep}true`);
      assert.equal(result.ok || result.problem.message, "the formula is nested too deeply");
    }
  });
});
