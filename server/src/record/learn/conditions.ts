// Branch conditions: a comparison of values known at a point that holds in all runs that went
// this way and in none that went another.
import type { Value } from "../events";
import type { DecidingValue, Decision, DecisionQuestion } from "./decision";
import { outsideDecision } from "./outside";
import { twinValue } from "./twins";
import {
  distinct,
  integerOf,
  isEqual,
  isKey,
  numberOf,
  type KnownValue,
  type Path,
} from "./knowns";

/** Quadratic in what is known at the point, linear in the number of runs. */
export function decide(question: DecisionQuestion): Decision {
  const seen = separated(question);
  if (seen.doubt === undefined) return seen;
  // Changed answers tell more than a condition that happens to fit.
  return twinned(question) ?? outsideDecision(question, decide) ?? seen;
}

function separated(question: DecisionQuestion): Decision {
  return (
    found(question) ??
    nothing(question) ??
    compared(question) ??
    constants(question, true) ??
    guarded(question) ??
    bounded(question) ??
    texts(question) ??
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

function doubtful(
  question: DecisionQuestion,
  condition: string,
  others: number,
  deciders: readonly DecidingValue[],
): Decision {
  const runs = question.here.length + question.elsewhere.length;
  const least = Math.min(question.here.length, question.elsewhere.length);
  if (others > 0)
    return {
      condition,
      doubt: `chosen of ${String(others + 1)} conditions that fit: ${shown(condition)}`,
      deciders,
    };
  if (runs < 3 || least < 1)
    return { condition, doubt: `learnt from ${String(runs)} runs: ${shown(condition)}`, deciders };
  return { condition };
}

/** A condition as people read it. */
function shown(condition: string): string {
  return condition.replace(/(^|[\s(-]):(?=\w)/g, "$1");
}

/** How many rows the statements before found or changed: none, or some. */
function found(question: DecisionQuestion): Decision | undefined {
  const counts = latestFirst(question.knowns.filter(({ origin }) => origin === "count"));
  for (const known of counts) {
    const { expression } = known;
    const some: Test = (path) => isSome(known, path);
    if (separates(some, question)) return doubtful(question, `${expression} > 0`, 0, [{ known }]);
    const none: Test = (path) => not(some(path));
    if (separates(none, question)) return doubtful(question, `${expression} = 0`, 0, [{ known }]);
  }
  return undefined;
}

/** NULL, or a Boolean. */
function nothing(question: DecisionQuestion): Decision | undefined {
  for (const known of latestFirst(columnsOf(question))) {
    const { expression, of } = known;
    const told = (condition: string): Decision => doubtful(question, condition, 0, [{ known }]);
    const isNull: Test = (path) => {
      const value = of(path);
      return value === undefined ? undefined : value === null;
    };
    if (separates(isNull, question)) return told(`${expression} IS NULL`);
    if (separates((path) => not(isNull(path)), question)) return told(`${expression} IS NOT NULL`);
    const isTrue: Test = (path) => truthOf(of(path));
    if (separates(isTrue, question)) return told(`${expression} IS TRUE`);
    if (separates((path) => not(isTrue(path)), question)) return told(`${expression} IS FALSE`);
  }
  return undefined;
}

/** Some runs gave up for lack of a row, or by a flag, and the others by what tells them from those that went on. */
function guarded(question: DecisionQuestion): Decision | undefined {
  for (const { condition, test, isRow } of guardsOf(question)) {
    if (!question.here.every((path) => test(path) === true)) continue;
    const elsewhere = question.elsewhere.filter((path) => test(path) !== false);
    if (elsewhere.length === 0 || elsewhere.length === question.elsewhere.length) continue;
    const rest = decide({ ...question, elsewhere });
    if (rest.doubt === undefined || isRow)
      return { ...rest, condition: `${condition} AND ${rest.condition}` };
  }
  return undefined;
}

interface Guard {
  readonly condition: string;
  readonly test: Test;
  readonly isRow: boolean;
}

function guardsOf(question: DecisionQuestion): readonly Guard[] {
  const rows = question.knowns.filter(({ origin }) => origin === "count");
  return [
    ...latestFirst(rows).map((known) => ({
      ...{ condition: `${known.expression} > 0`, isRow: true },
      test: (path: Path) => isSome(known, path),
    })),
    ...latestFirst(columnsOf(question)).flatMap(({ expression, of }) => [
      ...[true, false].map((wanted) => ({
        ...{ condition: `${expression} IS ${wanted ? "TRUE" : "FALSE"}`, isRow: false },
        test: (path: Path) => {
          const truth = truthOf(of(path));
          return truth === undefined ? undefined : truth === wanted;
        },
      })),
      {
        ...{ condition: `${expression} IS NOT NULL`, isRow: false },
        test: (path: Path) => {
          const value = of(path);
          return value === undefined ? undefined : value !== null;
        },
      },
    ]),
  ];
}

function isSome(known: KnownValue, path: Path): boolean | undefined {
  const count = integerOf(known.of(path));
  return count === undefined ? undefined : count > 0;
}

function truthOf(value: Value | undefined): boolean | undefined {
  return value === "t" || value === "f" ? value === "t" : undefined;
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
  const fitting: {
    readonly condition: string;
    readonly rank: number;
    readonly values: readonly DecidingValue[];
    /** Different statements read them. */
    readonly isAcross: boolean;
    /** One of the two never differs. */
    readonly isFixed: boolean;
  }[] = [];
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
      fitting.push({
        condition: `${left.expression} ${operator} ${right.expression}`,
        rank,
        values: [{ known: left }, { known: right }],
        isAcross: left.step !== right.step,
        isFixed: [left, right].some(({ of }) => distinct(paths.map(of)) === 1),
      });
    }
  }
  fitting.sort((a, b) => a.rank - b.rank);
  const [best] = fitting;
  if (best === undefined) return undefined;
  const alike = fitting.filter(({ rank }) => rank === best.rank);
  // A number of the program may fit as well. Whether anything is left is asked more often than how much of something else.
  const tight = constants(question, true);
  const isLikely = best.isAcross && / (?:>=|<) 1$/.test(tight?.condition ?? "");
  const number = isLikely || best.isFixed ? tight : undefined;
  return doubtful(
    question,
    (isLikely ? number?.condition : undefined) ?? best.condition,
    alike.length - 1 + Number(number !== undefined),
    [...alike.flatMap(({ values }) => values), ...(number?.deciders ?? [])],
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

/**
 * A column or a number of rows, and a number that stands between the ways; `isTight`: no other whole number does. Of
 * several, one that the runs which went on sent each time is the likely one.
 */
function constants(question: DecisionQuestion, isTight: boolean): Decision | undefined {
  const fitting: {
    readonly condition: string;
    readonly isTight: boolean;
    readonly value: DecidingValue;
  }[] = [];
  for (const known of latestFirst(
    question.knowns.filter(({ origin }) => origin === "column" || origin === "count"),
  )) {
    if (isKey(known.column)) continue;
    const here = question.here.map((path) => numberOf(known.of(path)));
    const elsewhere = question.elsewhere.map((path) => numberOf(known.of(path)));
    if ([...here, ...elsewhere].some((value) => value === undefined)) continue;
    const [own, other] = [here, elsewhere].map((values) => values.flatMap((value) => value ?? []));
    if (own === undefined || other === undefined) continue;
    const [least, most] = [Math.min(...own), Math.max(...own)];
    const [below, above] = [Math.max(...other), Math.min(...other)];
    const areWhole = [...own, ...other].every(Number.isInteger) && !isEnoughFor(known, question);
    const limit = (low: number, high: number): number =>
      question.sent.find((number) => low < number && number <= high) ?? high;
    if (least > below)
      fitting.push({
        condition: `${known.expression} >= ${String(limit(below, least))}`,
        isTight: areWhole && least === below + 1,
        value: { known, aims: between(below, least) },
      });
    else if (most < above)
      fitting.push({
        condition: `${known.expression} < ${String(limit(most, above))}`,
        isTight: areWhole && most + 1 === above,
        value: { known, aims: between(most, above) },
      });
  }
  const best = fitting.find((each) => each.isTight === isTight);
  if (best === undefined) return undefined;
  const { condition } = best;
  const runs = question.here.length + question.elsewhere.length;
  const deciders = [best.value, ...fittingTexts(question)];
  if (best.isTight) return doubtful(question, condition, 0, deciders);
  return {
    condition,
    doubt: `the number in "${shown(condition)}" lies between what ${String(runs)} runs showed; the program may have another one`,
    deciders,
  };
}

/** True if it held in all runs of this way what is taken from it later on: that is the limit then, not a number. */
function isEnoughFor(known: KnownValue, { here, later }: DecisionQuestion): boolean {
  return later.some(
    (input) =>
      input.base === known.expression &&
      here.every((path) => numeric(known, input, (a, b) => a >= b)(path) === true),
  );
}

/** Whole numbers that cut an interval into parts, its ends' neighbours first. */
function between(below: number, above: number): readonly number[] {
  const parts = [1, 4, 2, 6, 3, 5, 7].map(
    (part) => below + Math.round(((above - below) * part) / 8),
  );
  return [...new Set([above - 1, below + 1, ...parts])].filter(
    (value) => value > below && value < above,
  );
}

/** A text that was read in all runs that went one way and in none that went another. */
function texts(question: DecisionQuestion): Decision | undefined {
  const fitting = fittingTexts(question);
  const [best] = fitting;
  return best && doubtful(question, best.condition, fitting.length - 1, fitting);
}

function fittingTexts(
  question: DecisionQuestion,
): readonly (DecidingValue & { readonly condition: string })[] {
  return latestFirst(columnsOf(question)).flatMap((known) => {
    if (isKey(known.column)) return [];
    const condition =
      oneText(known, question.here, question.elsewhere, question) ??
      oneText(known, question.elsewhere, question.here, question);
    return condition === undefined ? [] : [{ known, condition }];
  });
}

/** Programs compare moments with others, never with one of their own. */
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:/;

/** The comparison with the one text that these runs read, and none of the others did. */
function oneText(
  known: KnownValue,
  own: readonly Path[],
  others: readonly Path[],
  { here, literal }: DecisionQuestion,
): string | undefined {
  const [value] = own.map(known.of);
  const isText = typeof value === "string" && numberOf(value) === undefined && !MOMENT.test(value);
  if (!isText || own.some((path) => known.of(path) !== value)) return undefined;
  const isOther = (path: Path): boolean => {
    const other = known.of(path);
    return typeof other === "string" && other !== value;
  };
  if (!others.every(isOther)) return undefined;
  const written = literal(value, known.column);
  return written && `${known.expression} ${own === here ? "=" : "<>"} ${written}`;
}

/**
 * An amount that shows only where the way goes on, and that what was read was enough for in all these runs: one number, or
 * what is left of it behind another. Of several, one by which the most runs that did not go on had too little for an amount
 * that was seen.
 */
function bounded(question: DecisionQuestion): Decision | undefined {
  const { here, elsewhere } = question;
  if (here.length < 2) return undefined;
  const read = heldAmounts(question);
  let best: (Decision & { readonly explained: number }) | undefined;
  const fitting = new Map<string, DecidingValue>();
  for (const input of amounts(question.later)) {
    const sent = here.map((path) => numberOf(input.of(path)));
    for (const held of read) {
      const { expression, of } = held;
      const isEnough = here.every((path, at) => (of(path) ?? NaN) >= (sent[at] ?? NaN));
      if (!isEnough) continue;
      if (!fitting.has(held.known.expression))
        fitting.set(held.known.expression, {
          known: held.known,
          aimAt: aimsAround(question, held, input),
        });
      const most = Math.max(...sent.flatMap((amount) => amount ?? []));
      const explained = elsewhere.filter((path) => (of(path) ?? NaN) < most).length;
      if (best !== undefined && explained <= best.explained) continue;
      const condition = `${expression} >= ${input.expression}`;
      best = {
        ...{ condition, explained },
        doubt: `"${shown(condition)}" fits the ${String(here.length)} runs that went on; of those that did not, ${input.expression.slice(1)} was not seen`,
      };
    }
  }
  return best && { ...best, deciders: [...fitting.values(), ...fittingTexts(question)] };
}

interface Amount {
  readonly expression: string;
  readonly of: (path: Path) => number | undefined;
  /** The number, or the one of which something is left. */
  readonly known: KnownValue;
}

/** Single numbers before differences. */
function heldAmounts(question: DecisionQuestion): readonly Amount[] {
  const read = amounts(latestFirst(columnsOf(question)));
  return [
    ...read.map((known) => ({
      expression: known.expression,
      of: (path: Path) => numberOf(known.of(path)),
      known,
    })),
    ...read.flatMap(rests(read)),
  ];
}

/** Differences between a number and what another statement read. */
function rests(all: readonly KnownValue[]): (whole: KnownValue) => readonly Amount[] {
  return (whole) =>
    all
      .filter(({ step }) => step !== whole.step)
      .map((part) => ({
        expression: `${whole.expression} - ${part.expression}`,
        of: (path) => {
          const [left, right] = [numberOf(whole.of(path)), numberOf(part.of(path))];
          return left === undefined || right === undefined ? undefined : left - right;
        },
        known: whole,
      }));
}

const TWINS = 2;

/** As above, where runs with the same amount and another answer went on, or did not: it was seen in these. */
function twinned(question: DecisionQuestion): Decision | undefined {
  const { here, elsewhere } = question;
  for (const held of heldAmounts(question))
    for (const input of amounts(question.later)) {
      const refused = elsewhere.flatMap((path) => {
        const [read, amount] = [held.of(path), numberOf(twinValue(input, path, question))];
        return read === undefined || amount === undefined ? [] : [read - amount];
      });
      const gone = here.flatMap((path) => {
        const [read, amount] = [held.of(path), numberOf(input.of(path))];
        return read === undefined || amount === undefined ? [] : [read - amount];
      });
      if (refused.length < TWINS || gone.length < here.length) continue;
      const [most, least] = [Math.max(...refused), Math.min(...gone)];
      // The next whole number is on the other side.
      if (most >= least || least - most > 1 || (most !== 0 && least !== 0)) continue;
      return { condition: `${held.expression} ${least === 0 ? ">=" : ">"} ${input.expression}` };
    }
  return undefined;
}

/** Values at the amount and just below it, for runs whose amount is known; a large one for those where it is not. */
function aimsAround(
  question: DecisionQuestion,
  { known, of }: Amount,
  input: KnownValue,
): (path: Path) => readonly number[] {
  const { here, elsewhere } = question;
  const highest = [...here, ...elsewhere].reduce(
    (most, path) => Math.max(most, numberOf(known.of(path)) ?? 0),
    0,
  );
  return (path) => {
    const amount = here.includes(path)
      ? numberOf(input.of(path))
      : numberOf(twinValue(input, path, question));
    // The part that is taken away before the rest is compared.
    const taken = (numberOf(known.of(path)) ?? 0) - (of(path) ?? 0);
    return amount === undefined
      ? [10 * highest + 1000]
      : [-1, 0, 1].map((more) => amount + taken + more);
  };
}

/** The deciding value was not seen. The number that was read last is compared with a limit from outside. */
function chosen(question: DecisionQuestion): Decision {
  const counts = `${String(question.here.length)} runs went on and ${String(question.elsewhere.length)} did not`;
  const deciders = columnsOf(question).map((known) => ({ known }));
  const paths = [...question.here, ...question.elsewhere];
  const [read] = amounts(
    latestFirst(question.knowns.filter(({ origin }) => origin === "column" || origin === "count")),
  ).filter(
    ({ of }) =>
      paths.every((path) => numberOf(of(path)) !== undefined) && distinct(paths.map(of)) > 1,
  );
  const name = question.fresh(read === undefined ? "goes_on" : "limit");
  return read === undefined
    ? {
        condition: `:${name} > 0`,
        doubt: `what decides here was not learnt (${counts}); it is taken to come from outside`,
        deciders,
      }
    : {
        condition: `${read.expression} >= :${name}`,
        doubt: `what decides here was not learnt (${counts}); it is taken to hold ${shown(read.expression)} against a limit from outside`,
        deciders,
      };
}

function columnsOf({ knowns }: DecisionQuestion): readonly KnownValue[] {
  return knowns.filter(({ origin }) => origin === "column");
}

/** A key is greater than no other. */
function amounts(knowns: readonly KnownValue[]): readonly KnownValue[] {
  return knowns.filter(({ column }) => !isKey(column));
}

function latestFirst(knowns: readonly KnownValue[]): readonly KnownValue[] {
  return [...knowns].sort((a, b) => b.step - a.step);
}

function not(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}
