// Where the argument of a statement comes from, told from how it varied over the runs: a column that was read, an
// argument seen before, one of these and a number, a constant, or something from outside.
import type { Value } from "../events";
import type { ArgumentForm } from "../statements";
import type { Hole } from "./holes";
import {
  distinct,
  integerOf,
  isEqual,
  isKey,
  isSameColumn,
  isNumber,
  numberOf,
  type KnownValue,
  type Path,
} from "./knowns";

export interface Origin {
  readonly expression: string;
  /** An argument that is new here. */
  readonly input?: KnownValue;
  readonly doubt?: string;
  /** Values that it may come from, where there is a doubt. */
  readonly deciders?: readonly KnownValue[];
}

export interface ValueQuestion {
  readonly hole: Hole;
  readonly form: ArgumentForm;
  readonly step: number;
  readonly of: (path: Path) => Value | undefined;
  readonly paths: readonly Path[];
  readonly knowns: readonly KnownValue[];
  readonly isWrite: boolean;
  /** Runs that may have had other arguments from outside: not those that are one run of the tests, again with another answer. */
  readonly independent: number;
  /** A name for an argument that no other has. */
  readonly fresh: (name: string) => string;
  /** A literal of SQL for a value that never differs; undefined where it may not be shown and no word can stand for it. */
  readonly literal: (value: Value) => string | undefined;
}

/** The first origin that every run agrees with. Linear in the number of runs and of what is known. */
export function originOf(question: ValueQuestion): Origin {
  return (
    equalOrigin(question) ??
    negativeOrigin(question) ??
    shiftedOrigin(question) ??
    besideOrigin(question) ??
    constantOrigin(question) ??
    outsideOrigin(question)
  );
}

function valuesOf({ paths, of }: ValueQuestion): readonly (Value | undefined)[] {
  return paths.map(of);
}

function equalOrigin(question: ValueQuestion): Origin | undefined {
  const { knowns, paths, of, hole } = question;
  const varied = distinct(valuesOf(question)) > 1;
  const agreeing = knowns.filter(
    (known) =>
      (known.origin !== "count" || (varied && question.isWrite)) &&
      paths.every((path) => isEqual(known.of(path), of(path))),
  );
  const ranked = agreeing
    .map((known) => ({ known, rank: rankOf(known, hole) + Number(isOfOther(known, question)) / 2 }))
    .filter(({ rank }) => varied || rank < OTHER_COLUMN)
    .sort((a, b) => a.rank - b.rank || b.known.step - a.known.step);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const other = ranked.find(({ known, rank }) => rank === best.rank && differs(known, best.known));
  const doubt =
    other &&
    `${named(hole)} was ${text(best.known)} in every run, and ${text(other.known)} as well`;
  return {
    expression: best.known.expression,
    ...(doubt !== undefined && { doubt, deciders: ranked.map(({ known }) => known) }),
  };
}

const OTHER_COLUMN = 3;

/** The negative of what was put elsewhere, or read. */
function negativeOrigin({ knowns, hole, paths, of, isWrite }: ValueQuestion): Origin | undefined {
  if (!isWrite || hole.where === "condition" || paths.length < 3) return undefined;
  const numbers = paths.map((path) => numberOf(of(path)));
  if (distinct(numbers.map(String)) < 2) return undefined;
  const known = knowns.findLast(
    (each) =>
      !isKey(each.column) &&
      paths.every((path, at) => {
        const number = numbers[at];
        return number !== undefined && numberOf(each.of(path)) === -number;
      }),
  );
  return known && { expression: `- ${known.expression}` };
}

/** A column's argument always as far from another of the same column: the version that is written, and the one asked for. */
function besideOrigin(question: ValueQuestion): Origin | undefined {
  const { knowns, hole, paths, of } = question;
  if (distinct(valuesOf(question)) < 3 || isKey(hole.column ?? "")) return undefined;
  for (const known of knowns) {
    if (known.origin !== "input" || !isSameColumn(known.column, hole.column)) continue;
    const shifts = paths.map((path) => {
      const [own, other] = [numberOf(of(path)), numberOf(known.of(path))];
      return own === undefined || other === undefined ? undefined : exact(own - other);
    });
    const [first] = shifts;
    if (first !== undefined && distinct(shifts.map(String)) === 1)
      return { expression: sum(known, signed(first)) };
  }
  return undefined;
}

/** Keys of several tables often have one name: the one of the statement's own table is meant. */
function isOfOther(known: KnownValue, question: ValueQuestion): boolean {
  return (
    known.origin === "column" &&
    isSameColumn(known.column, question.hole.column) &&
    isKey(known.column) &&
    !isOfWrittenTable(known, question)
  );
}

/** The same name speaks for the same thing. */
function rankOf({ column, origin }: KnownValue, { column: wanted }: Hole): number {
  if (isSameColumn(wanted, column)) return origin === "column" ? 0 : 1;
  if (wanted !== undefined && column !== "" && areAlike(wanted, column)) return 2;
  if (origin === "input") return OTHER_COLUMN;
  return origin === "column" ? OTHER_COLUMN + 1 : OTHER_COLUMN + 2;
}

/** One stands behind the other's first words (`account_id`, `id`), or both behind letters for their tables (`o_d_id`, `ol_d_id`). */
function areAlike(wanted: string, column: string): boolean {
  const [own, other] = [`_${wanted.toLowerCase()}`, `_${column.toLowerCase()}`];
  const tail = behindTable(own);
  return (
    own.endsWith(other) ||
    other.endsWith(own) ||
    (tail !== undefined && tail === behindTable(other))
  );
}

function behindTable(name: string): string | undefined {
  return /^_[a-z]{1,2}(_[^_]+_[^]+)$/.exec(name)?.[1];
}

/** Two names of what must be one value are no choice. */
function differs(left: KnownValue, right: KnownValue): boolean {
  return (left.fixed ?? left.expression) !== (right.fixed ?? right.expression);
}

function text(known: KnownValue | undefined): string {
  return known?.expression.slice(1) ?? "";
}

function named({ column }: Hole): string {
  return column === undefined ? "a value" : `"${column}"`;
}

/** A column and a number, an argument, or something new from outside. */
function shiftedOrigin(question: ValueQuestion): Origin | undefined {
  const { knowns, hole, paths, of, isWrite } = question;
  if (!isWrite || hole.where === "condition") return undefined;
  if (paths.some((path) => numberOf(of(path)) === undefined)) return undefined;
  const bases = knowns
    .filter(({ origin }) => origin === "column" || origin === "count")
    .map((known) => orZero(known, paths))
    .filter((known) => paths.every((path) => numberOf(known.of(path)) !== undefined))
    .sort((a, b) => rankOf(a, hole) - rankOf(b, hole) || b.step - a.step);
  for (const base of bases) {
    // A number that is added to a column is no new value of it, nor is one of another table's column.
    const isSame =
      isSameColumn(base.column, hole.column) &&
      base.origin === "column" &&
      hole.isChange !== true &&
      isOfWrittenTable(base, question);
    const values = paths.map((path) => numberOf(base.of(path)) ?? 0);
    const shifts = paths.map((path, at) => exact((numberOf(of(path)) ?? 0) - (values[at] ?? 0)));
    const [first = 0] = shifts;
    const steady = distinct(shifts.map(String)) === 1;
    const varied = distinct(valuesOf(question)) > 1;
    if (steady && varied && (isSame || (Math.abs(first) <= 1 && paths.length > 2))) {
      const doubt =
        paths.length > 2
          ? undefined
          : few(paths.length, `${named(hole)} as ${text(base)} and ${String(first)}`);
      return {
        expression: sum(base, signed(first)),
        ...(doubt !== undefined && { doubt, deciders: [base] }),
      };
    }
    if (!varied) return undefined;
    if (steady && !isSame) continue;
    for (const other of knowns) {
      if (other === base || !(isSame || varied)) continue;
      const sign = signBetween({ shifts, bases: values }, paths, other);
      if (sign === undefined || (!isSame && paths.length < 4)) continue;
      return { expression: sum(base, ` ${sign} ${other.expression}`) };
    }
    const taken = isSame ? undefined : takenTogether(question, base, values);
    if (taken !== undefined) return taken;
    if (isSame) return newShift(question, base, shifts);
  }
  return undefined;
}

const WRITTEN =
  /^(?:insert (?:ignore )?into|replace into|update(?: only)?) (?:["`]?\w+["`]?\.)*["`]?(\w+)["`]?/i;

/** True if the statement that read a value names the table that this one writes. */
function isOfWrittenTable(base: KnownValue, { paths: [path], step }: ValueQuestion): boolean {
  const table = WRITTEN.exec(path?.[step]?.text ?? "")?.[1]?.toLowerCase();
  const words: readonly string[] = path?.[base.step]?.text.toLowerCase().match(/\w+/g) ?? [];
  return table === undefined || words.includes(table);
}

/** Two amounts are taken away at once. */
function takenTogether(
  { knowns, paths, of }: ValueQuestion,
  base: KnownValue,
  bases: readonly number[],
): Origin | undefined {
  if (paths.length < 4) return undefined;
  const shifts = paths.map((path, at) => exact((numberOf(of(path)) ?? 0) + (bases[at] ?? 0)));
  const other = knowns.find(
    (known) => known !== base && signBetween({ shifts, bases }, paths, known) === "-",
  );
  return other && { expression: `- ${base.expression} - ${other.expression}` };
}

/** NULL counts as nothing where it was read in some runs only: a maximum of no rows. */
function orZero(known: KnownValue, paths: readonly Path[]): KnownValue {
  const values = paths.map(known.of);
  if (!values.includes(null) || values.every((value) => value === null)) return known;
  const of = (path: Path): Value | undefined => (known.of(path) === null ? "0" : known.of(path));
  return { ...known, expression: `COALESCE(${known.expression}, 0)`, of };
}

/** Amounts that differ from run to run come from outside; a change that only takes away is told by what is taken. */
function newShift(question: ValueQuestion, base: KnownValue, shifts: readonly number[]): Origin {
  const { hole, fresh, step, of } = question;
  const sign = shifts.every((shift) => shift <= 0) ? "-" : "+";
  const name = fresh(`${hole.column ?? "value"}_change`);
  const input: KnownValue = {
    expression: `:${name}`,
    column: "",
    step,
    origin: "input",
    base: base.expression,
    of: (path) => {
      const [now, before] = [numberOf(of(path)), numberOf(base.of(path))];
      if (now === undefined || before === undefined) return undefined;
      return String(exact(sign === "-" ? before - now : now - before));
    },
  };
  return { expression: sum(base, ` ${sign} ${input.expression}`), input };
}

function sum(base: KnownValue, rest: string): string {
  return rest === "" ? base.expression : `${base.expression}${rest}`;
}

function signed(shift: number): string {
  if (shift === 0) return "";
  return shift < 0 ? ` - ${String(-shift)}` : ` + ${String(shift)}`;
}

function signBetween(
  { shifts, bases }: { readonly shifts: readonly number[]; readonly bases: readonly number[] },
  paths: readonly Path[],
  other: KnownValue,
): "+" | "-" | undefined {
  if (distinct(shifts.map(String)) < 2) return undefined;
  const values = paths.flatMap((path) => numberOf(other.of(path)) ?? []);
  if (values.length < paths.length) return undefined;
  const isShift = (sign: number): boolean =>
    values.every((value, at) => isNear(shifts[at] ?? 0, sign * value, bases[at] ?? 0));
  if (isShift(1)) return "+";
  return isShift(-1) ? "-" : undefined;
}

/** The same number, but for what single precision leaves out beside the base that it was added to. */
function isNear(left: number, right: number, base: number): boolean {
  if (Number.isInteger(left) && Number.isInteger(right)) return left === right;
  return Math.abs(left - right) <= 1e-6 * Math.max(Math.abs(left), Math.abs(base));
}

/** Without the noise of binary fractions. */
function exact(value: number): number {
  return Number(value.toFixed(9));
}

function constantOrigin(question: ValueQuestion): Origin | undefined {
  const { independent, form, hole } = question;
  const values = valuesOf(question);
  const [value] = values;
  if (value === undefined || distinct(values) > 1) return undefined;
  const isCounted = value !== null && integerOf(value) === undefined;
  const isKeyed = hole.column !== undefined && isKey(hole.column) && hole.isChange !== true;
  if (isKeyed && value !== null) return undefined;
  if (form === "parameter" && independent < 3 && value !== null) return undefined;
  // Texts that a client writes into its statements look like its own; those that are stored are usually given.
  if (isCounted && hole.where === "values" && independent < 3) return undefined;
  const literal = question.literal(value);
  return literal === undefined ? undefined : { expression: literal };
}

function outsideOrigin(question: ValueQuestion): Origin {
  const { hole, fresh, step, of, paths, knowns, isWrite } = question;
  const name = fresh(hole.column ?? "value");
  // A change that only takes away is told by what is taken.
  const amounts = hole.isChange === true ? paths.map((path) => numberOf(of(path))) : [];
  const isTaken = distinct(amounts.map(String)) > 1 && amounts.every((each) => each !== undefined && each <= 0); // prettier-ignore
  const input: KnownValue = {
    expression: `:${name}`,
    column: isTaken ? "" : (hole.column ?? ""),
    step,
    origin: "input",
    of: isTaken ? (path) => negative(of(path)) : of,
  };
  // An unknown function of a read value is not an input from outside.
  const base = knowns.find(
    (known) =>
      isWrite &&
      hole.where === "set" &&
      known.origin === "column" &&
      hole.isChange !== true &&
      isSameColumn(known.column, hole.column) &&
      paths.some((path) => isNumber(known.of(path))),
  );
  const doubt =
    base &&
    `how ${named(hole)} follows from ${text(base)} was not learnt; it is taken to come from outside`;
  const deciders = knowns.filter(({ origin }) => origin === "column");
  return {
    expression: isTaken ? `- :${name}` : `:${name}`,
    input,
    ...(doubt !== undefined && { doubt, deciders }),
  };
}

function negative(value: Value | undefined): Value | undefined {
  const number = numberOf(value);
  return number === undefined ? undefined : String(0 - number);
}

function few(runs: number, what: string): string {
  return `learnt from ${String(runs)} ${runs === 1 ? "run" : "runs"}: ${what}`;
}
