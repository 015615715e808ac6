// Helpers that generators of routines' bodies share: lines, variables that have values by now, and the words for what is used.
import type { Random } from "./random";

export interface Table {
  readonly name: string;
  readonly definition: string;
  /** Integer columns that may be changed. */
  readonly counts: readonly string[];
  /** Conditions on single rows, in which P, Q and S stand for values. */
  readonly conditions: readonly string[];
  /** An INSERT's columns and values, with ID for a new key. */
  readonly insert: readonly [columns: string, values: string];
  readonly rows: readonly string[];
  /** The columns of ON CONFLICT, where there are any beside those of the primary key. */
  readonly unique: readonly string[];
}

export interface Body {
  readonly random: Random;
  readonly tables: readonly Table[];
  readonly features: Set<string>;
  readonly lines: string[];
  /** Integer variables that were assigned. */
  readonly assigned: Set<string>;
  /** How many statements may follow. */
  room: number;
  depth: number;
}

export function write(body: Body, line: string): void {
  body.lines.push(`${"  ".repeat(body.depth + 1)}${line}`);
}

/** A statement, after which others may come. */
export function step(body: Body, line: string): void {
  write(body, line);
  write(body, "/*bp*/");
  body.room -= 1;
}

/** Statements one step further in. */
export function nested(body: Body, statements: () => void): void {
  body.depth += 1;
  statements();
  body.depth -= 1;
}

export const INTEGERS = ["x", "y", "m"] as const;

/** A variable to assign. */
export function target(body: Body): string {
  const name = body.random.pick(INTEGERS);
  body.assigned.add(name);
  return name;
}

/** An integer: a parameter, what was read, or a constant. */
export function integer(body: Body): string {
  const { random } = body;
  const known = [...body.assigned];
  if (known.length > 0 && random.chance(0.6)) {
    const name = random.pick(known);
    return random.chance(0.5) ? name : `${name} ${random.pick(["+ 1", "- 1", "+ q", "* 2"])}`;
  }
  return random.pick(["p", "q", "1", "2", "10"]);
}

/** A condition on rows of the table, with values. */
export function where(body: Body, { conditions }: Table): string {
  const { random } = body;
  const chosen = random.chance(0.15)
    ? random.shuffled(conditions).slice(0, 2)
    : [random.pick(conditions)];
  return chosen.map((each) => valued(body, each)).join(" and ");
}

/** A text in which P, Q, S and ID are replaced by values. */
export function valued({ random, assigned }: Body, text: string): string {
  const known = [...assigned];
  const number = (usual: string): string =>
    known.length > 0 && random.chance(0.15) ? random.pick(known) : usual;
  return text
    .replace(/\bP\b/g, () => number("p"))
    .replace(/\bQ\b/g, () => number("q"))
    .replace(/\bS\b/g, "s")
    .replace(/\bID\b/g, "p_id");
}
