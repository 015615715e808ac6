// Branch conditions: a comparison of values known at a point that holds in all runs that went
// this way and in none that went another.
import {
  distinct,
  integerOf,
  isEqual,
  isKey,
  numberOf,
  type KnownValue,
  type Path,
} from "./knowns";

export interface Decision {
  readonly condition: string;
  readonly doubt?: string;
}

export interface DecisionQuestion {
  readonly here: readonly Path[];
  readonly elsewhere: readonly Path[];
  readonly knowns: readonly KnownValue[];
  /** Arguments that show only later on this way. */
  readonly later: readonly KnownValue[];
  /** The last statement before the ways part. */
  readonly step: number;
  readonly fresh: (name: string) => string;
}

/** Quadratic in what is known at the point, linear in the number of runs. */
export function decide(question: DecisionQuestion): Decision {
  return (
    found(question) ??
    nothing(question) ??
    compared(question) ??
    constants(question, true) ??
    bounded(question) ??
    constants(question, false) ??
    chosen(question)
  );
}

type Test = (path: Path) => boolean | undefined;

/** Holds here and not elsewhere. */
function separates(test: Test, { here, elsewhere }: DecisionQuestion): boolean {
  return (
    here.every((path) => test(path) === true) && elsewhere.every((path) => test(path) === false)
  );
}

function doubtful(question: DecisionQuestion, condition: string, others: number): Decision {
  const runs = question.here.length + question.elsewhere.length;
  const least = Math.min(question.here.length, question.elsewhere.length);
  if (others > 0)
    return {
      condition,
      doubt: `chosen of ${String(others + 1)} conditions that fit: ${shown(condition)}`,
    };
  if (runs < 3 || least < 1)
    return { condition, doubt: `learnt from ${String(runs)} runs: ${shown(condition)}` };
  return { condition };
}

/** A condition as people read it. */
function shown(condition: string): string {
  return condition.replace(/(^|[^:]):(?=\w)/g, "$1");
}

/** How many rows the statements before found or changed: none, or some. */
function found(question: DecisionQuestion): Decision | undefined {
  const counts = latestFirst(question.knowns.filter(({ origin }) => origin === "count"));
  for (const { expression, of } of counts) {
    const some: Test = (path) => {
      const count = integerOf(of(path));
      return count === undefined ? undefined : count > 0;
    };
    if (separates(some, question)) return doubtful(question, `${expression} > 0`, 0);
    const none: Test = (path) => not(some(path));
    if (separates(none, question)) return doubtful(question, `${expression} = 0`, 0);
  }
  return undefined;
}

/** NULL, or a Boolean. */
function nothing(question: DecisionQuestion): Decision | undefined {
  for (const { expression, of } of latestFirst(columnsOf(question))) {
    const isNull: Test = (path) => {
      const value = of(path);
      return value === undefined ? undefined : value === null;
    };
    if (separates(isNull, question)) return doubtful(question, `${expression} IS NULL`, 0);
    if (separates((path) => not(isNull(path)), question))
      return doubtful(question, `${expression} IS NOT NULL`, 0);
    const isTrue: Test = (path) => {
      const value = of(path);
      return value === "t" || value === "f" ? value === "t" : undefined;
    };
    if (separates(isTrue, question)) return doubtful(question, `${expression} IS TRUE`, 0);
    if (separates((path) => not(isTrue(path)), question))
      return doubtful(question, `${expression} IS FALSE`, 0);
  }
  return undefined;
}

const OPERATORS: readonly (readonly [string, (left: number, right: number) => boolean])[] = [
  ["<", (left, right) => left < right],
  [">=", (left, right) => left >= right],
  ["<=", (left, right) => left <= right],
  [">", (left, right) => left > right],
  ["=", (left, right) => left === right],
  ["<>", (left, right) => left !== right],
];

/** Two things that are known. */
function compared(question: DecisionQuestion): Decision | undefined {
  const paths = [...question.here, ...question.elsewhere];
  // A number of rows that never differs is that of an aggregate or of a key; keys are compared by being equal.
  const pool = latestFirst(
    question.knowns.filter(({ origin, of }) => origin !== "count" || distinct(paths.map(of)) > 1),
  );
  const fitting: { readonly condition: string; readonly rank: number }[] = [];
  for (const [at, left] of pool.entries()) {
    for (const right of pool.slice(at + 1)) {
      const areKeys = isKey(left.column);
      // A key is like another key at the most, and no amount.
      if (areKeys !== isKey(right.column)) continue;
      const operator =
        (areKeys ? [] : OPERATORS).find(([, holds]) =>
          separates(numeric(left, right, holds), question),
        )?.[0] ?? equality(left, right, question);
      if (operator === undefined) continue;
      const rank =
        Number(left.step < question.step) +
        Number(left.origin === "input") +
        Number(right.origin === "input") / 2 +
        Number(left.origin === "count") / 2;
      fitting.push({ condition: `${left.expression} ${operator} ${right.expression}`, rank });
    }
  }
  fitting.sort((a, b) => a.rank - b.rank);
  const [best] = fitting;
  return (
    best &&
    doubtful(question, best.condition, fitting.filter(({ rank }) => rank === best.rank).length - 1)
  );
}

function numeric(
  left: KnownValue,
  right: KnownValue,
  holds: (left: number, right: number) => boolean,
): Test {
  return (path) => {
    const [a, b] = [numberOf(left.of(path)), numberOf(right.of(path))];
    return a === undefined || b === undefined ? undefined : holds(a, b);
  };
}

/** Texts are equal or not. */
function equality(
  left: KnownValue,
  right: KnownValue,
  question: DecisionQuestion,
): string | undefined {
  const test: Test = (path) => {
    const [a, b] = [left.of(path), right.of(path)];
    return typeof a !== "string" || typeof b !== "string" ? undefined : isEqual(a, b);
  };
  if (separates(test, question)) return "=";
  return separates((path) => not(test(path)), question) ? "<>" : undefined;
}

/** A column or a number of rows, and a number that stands between the ways; `isTight`: no other whole number does. */
function constants(question: DecisionQuestion, isTight: boolean): Decision | undefined {
  const fitting: { readonly condition: string; readonly isTight: boolean }[] = [];
  for (const known of latestFirst(
    question.knowns.filter(({ origin }) => origin === "column" || origin === "count"),
  )) {
    if (isKey(known.column)) continue;
    const here = question.here.map((path) => integerOf(known.of(path)));
    const elsewhere = question.elsewhere.map((path) => integerOf(known.of(path)));
    if ([...here, ...elsewhere].some((value) => value === undefined)) continue;
    const [own, other] = [here, elsewhere].map((values) => values.flatMap((value) => value ?? []));
    if (own === undefined || other === undefined) continue;
    const [least, most] = [Math.min(...own), Math.max(...own)];
    const [below, above] = [Math.max(...other), Math.min(...other)];
    if (least > below)
      fitting.push({
        condition: `${known.expression} >= ${String(least)}`,
        isTight: least === below + 1,
      });
    else if (most < above)
      fitting.push({
        condition: `${known.expression} < ${String(above)}`,
        isTight: most + 1 === above,
      });
  }
  const best = fitting.find((each) => each.isTight === isTight);
  if (best === undefined) return undefined;
  const { condition } = best;
  const runs = question.here.length + question.elsewhere.length;
  if (best.isTight) return doubtful(question, condition, 0);
  return {
    condition,
    doubt: `the number in "${shown(condition)}" lies between what ${String(runs)} runs showed; the program may have another one`,
  };
}

/** An amount that shows only where the way goes on, and that what was read was enough for in all these runs. */
function bounded(question: DecisionQuestion): Decision | undefined {
  const { here, later } = question;
  for (const known of latestFirst(columnsOf(question))) {
    for (const input of later) {
      const enough = here.every((path) => numeric(known, input, (a, b) => a >= b)(path) === true);
      if (!enough || here.length < 2) continue;
      const condition = `${known.expression} >= ${input.expression}`;
      return {
        condition,
        doubt: `"${shown(condition)}" fits the ${String(here.length)} runs that went on; of those that did not, ${input.expression.slice(1)} was not seen`,
      };
    }
  }
  return undefined;
}

/** The deciding value was not seen. The number that was read last is compared with a limit from outside. */
function chosen(question: DecisionQuestion): Decision {
  const counts = `${String(question.here.length)} runs went on and ${String(question.elsewhere.length)} did not`;
  const [read] = latestFirst(
    question.knowns.filter(({ origin }) => origin === "column" || origin === "count"),
  ).filter(({ of }) =>
    [...question.here, ...question.elsewhere].every((path) => integerOf(of(path)) !== undefined),
  );
  const name = question.fresh(read === undefined ? "goes_on" : "limit");
  return read === undefined
    ? {
        condition: `:${name} > 0`,
        doubt: `what decides here was not learnt (${counts}); it is taken to come from outside`,
      }
    : {
        condition: `${read.expression} >= :${name}`,
        doubt: `what decides here was not learnt (${counts}); it is taken to hold ${shown(read.expression)} against a limit from outside`,
      };
}

function columnsOf({ knowns }: DecisionQuestion): readonly KnownValue[] {
  return knowns.filter(({ origin }) => origin === "column");
}

function latestFirst(knowns: readonly KnownValue[]): readonly KnownValue[] {
  return [...knowns].sort((a, b) => b.step - a.step);
}

function not(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}
