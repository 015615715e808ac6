// Unique generated values. An instance draws the same values at the same sites in every run of a setup, so that outcomes of different
// orders can be compared directly.
import type { ValueType } from "../program/expression";
import type { Setup } from "./execution";
import { noAnswer, type OutsideAnswers } from "./outsideAnswers";
import type { SqlValue } from "./value";

export interface FreshValues {
  /** The `count`-th value that the instance draws at the site. */
  readonly value: (instance: string, site: string, count: number, type: ValueType) => SqlValue;
  readonly answer: OutsideAnswers["answer"];
  /** The rows that SKIP LOCKED passed by, by statement: serial runs, in which nothing is locked, pass by the same ones. */
  readonly skipped: Set<string>;
  /** The texts of unknown values that other rows decide: any two may be equal. */
  readonly ofRows: Set<string>;
}

/** Fresh values for all runs of a setup, above every number in it. */
export function freshValues(
  setup: Setup,
  answer: OutsideAnswers["answer"] = noAnswer,
): FreshValues {
  return freshValuesFrom(firstFreshNumber(setup), answer);
}

/** Fresh values from a number on, in the order of the sites' first requests. */
export function freshValuesFrom(
  start: number,
  answer: OutsideAnswers["answer"] = noAnswer,
): FreshValues {
  const numbers = new Map<string, number>();
  return {
    answer,
    skipped: new Set(),
    ofRows: new Set(),
    value: (instance, site, count, type) => {
      const place = `${instance} ${site} ${count}`;
      const number = numbers.get(place) ?? start + numbers.size;
      numbers.set(place, number);
      return typed(number, type);
    },
  };
}

/** After the initial rows' times, before the future times of `wordOf`. */
const NOW = Date.UTC(2026, 0, 1);

function typed(number: number, type: ValueType): SqlValue {
  switch (type) {
    case "int":
    case "decimal":
      return number;
    case "bool":
      return number % 2 === 0;
    case "time":
      return new Date(NOW + number * 1000).toISOString();
    default:
      return `new-${number}`;
  }
}

/** A number above all that occur in a setup. */
export function firstFreshNumber(setup: Setup): number {
  const values = [
    ...setup.instances.flatMap((instance) => Object.values(instance.arguments)),
    ...Object.values(setup.initial).flatMap((rows) => rows.flatMap((row) => Object.values(row))),
  ];
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.reduce((most, value) => Math.max(most, Math.floor(value) + 1), 101);
}
