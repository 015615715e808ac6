// Conditions that a routine checks between two of its statements: those that leave it (`IF c THEN RAISE ...; END IF`) and those around the
// second statement (`IF c THEN ... `).
import { tokensOf, type Token } from "../../../frontend/sql/text/tokens";

export interface Guard {
  readonly condition: readonly Token[];
  /** True if the second statement is not reached when the condition holds; else it is reached only then. */
  readonly isExit: boolean;
  /** The statement that leaves, with its semicolons. */
  readonly body?: string;
}

/** The guards in text order; conditionals with other branches are skipped. Linear in the tokens between. */
export function guardsBetween(text: string, start: number, end: number): readonly Guard[] {
  const tokens = tokensOf(text, start, end);
  const guards: Guard[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at]?.word !== "if" || tokens[at - 1]?.word === "end") continue;
    const then = tokens.findIndex(({ word }, n) => n > at && word === "then");
    if (then < 0) {
      // `\if c` of a script ends with its line.
      const line = text.indexOf("\n", tokens[at]?.end ?? 0);
      const condition = tokens.slice(at + 1).filter((token) => token.end <= line);
      if (tokens[at - 1]?.kind === "backslash") guards.push({ condition, isExit: false });
      continue;
    }
    const condition = tokens.slice(at + 1, then);
    const close = endOfIf(tokens, then);
    if (close === undefined) {
      guards.push({ condition, isExit: false });
      at = then;
      continue;
    }
    const inside = tokens.slice(then + 1, close);
    const hasBranches = inside.some(({ word }) => ["else", "elsif", "elseif"].includes(word));
    const leaves = inside.some(({ word }) => LEAVING.has(word));
    const [first, last] = [inside[0], inside.at(-1)];
    if (!hasBranches && leaves && first && last)
      guards.push({ condition, isExit: true, body: text.slice(first.start, last.end) });
    at = close + 1;
  }
  return guards;
}

const LEAVING: ReadonlySet<string> = new Set(["raise", "return", "signal", "rollback", "leave"]);

/** The END of the IF with this THEN. */
function endOfIf(tokens: readonly Token[], then: number): number | undefined {
  let depth = 1;
  for (let at = then + 1; at < tokens.length; at += 1) {
    const isEnd = tokens[at]?.word === "end" && tokens[at + 1]?.word === "if";
    if (isEnd) {
      depth -= 1;
      if (depth === 0) return at;
      at += 1;
    } else if (tokens[at]?.word === "if") depth += 1;
  }
  return undefined;
}
