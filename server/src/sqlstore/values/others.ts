// Types of PostgreSQL whose values are kept as their canonical texts: what they are read from, and undefined for what is
// no value of theirs. There is no arithmetic on them here.
import type { OtherType } from "./types";
import { compareNumbers } from "./wholes";
import { formatDecimal, parseDecimal, rescale } from "./decimal";
import {
  formatDay,
  formatMoment,
  parseClock,
  formatClock,
  parseDay,
  parseMoment,
} from "./temporal";

/** The canonical text of a value; undefined for what is none. */
export function canonicalText(text: string, type: OtherType): string | undefined {
  return READERS[type](text.trim());
}

type Reader = (text: string) => string | undefined;

const READERS: Readonly<Record<OtherType, Reader>> = {
  inet: (text) => addressText(text, false),
  cidr: (text) => addressText(text, true),
  macaddr: (text) => {
    const digits = text.toLowerCase().replace(/[^0-9a-f]/g, "");
    return /^[0-9a-f:.-]+$/i.test(text) && digits.length === 12
      ? (digits.match(/../g) ?? []).join(":")
      : undefined;
  },
  bit: bits,
  varbit: bits,
  money: moneyText,
  timetz: zonedTime,
  xml: (text) => text,
  point: (text) => {
    const [, x, y] = /^\(?\s*([-+.\deE]+)\s*,\s*([-+.\deE]+)\s*\)?$/.exec(text) ?? [];
    return x === undefined || y === undefined ? undefined : `(${Number(x)},${Number(y)})`;
  },
  tsvector: (text) => text,
  int4range: (text) => rangeText(text, wholeBound),
  int8range: (text) => rangeText(text, wholeBound),
  numrange: (text) => rangeText(text, numericBound),
  tsrange: (text) => rangeText(text, (bound) => momentBound(bound, false)),
  tstzrange: (text) => rangeText(text, (bound) => momentBound(bound, true)),
  daterange: (text) => rangeText(text, dayBound),
};

function bits(text: string): string | undefined {
  if (/^[xX][0-9a-fA-F]*$/.test(text)) {
    return [...text.slice(1)]
      .map((each) => parseInt(each, 16).toString(2).padStart(4, "0"))
      .join("");
  }
  const digits = text.replace(/^[bB]/, "");
  return /^[01]*$/.test(digits) ? digits : undefined;
}

function moneyText(text: string): string | undefined {
  const read = parseDecimal(text.replace(/[$,]/g, ""));
  if (read === undefined) return undefined;
  const shown = formatDecimal(rescale(read, 2));
  const [whole = "0", cents = "00"] = shown.replace("-", "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${shown.startsWith("-") ? "-" : ""}$${grouped}.${cents}`;
}

function zonedTime(text: string): string | undefined {
  const zone = /(?:[+-]\d{1,2}(?::?\d{2})?|z|utc)$/i.exec(text)?.[0];
  const read = parseClock(text.slice(0, text.length - (zone?.length ?? 0)).trim());
  if (read === undefined) return undefined;
  const offset = zone === undefined || /^[zu]/i.test(zone) ? "+00" : zone;
  const [, sign = "+", hours = "0", minutes = ""] =
    /^([+-])(\d{1,2}):?(\d{2})?$/.exec(offset) ?? [];
  const rest = minutes === "" || minutes === "00" ? "" : `:${minutes}`;
  return `${formatClock(read.micros)}${sign}${hours.padStart(2, "0")}${rest}`;
}

/** An address with the length of its network where that is not the whole. */
function addressText(text: string, isNetwork: boolean): string | undefined {
  const [address = "", length, ...more] = text.split("/");
  if (more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const isLong = address.includes(":");
  const shown = isLong ? longAddress(address) : shortAddress(address, isNetwork);
  if (shown === undefined) return undefined;
  const most = isLong ? 128 : 32;
  const given = length === undefined ? undefined : Number(length);
  if (given !== undefined && given > most) return undefined;
  if (isNetwork) return `${shown}/${given ?? most}`;
  return given === undefined || given === most ? shown : `${shown}/${given}`;
}

function shortAddress(address: string, isNetwork: boolean): string | undefined {
  const parts = address.split(".");
  if (parts.length > 4 || (parts.length < 4 && !isNetwork)) return undefined;
  if (!parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return [...parts, "0", "0", "0"].slice(0, 4).map(Number).join(".");
}

/** An address of IPv6 in the form of RFC 5952. */
function longAddress(address: string): string | undefined {
  if (!URL.canParse(`http://[${address}]/`)) return undefined;
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

interface Bound {
  readonly shown: string;
  /** The bound behind it, of ranges that have a next value. */
  readonly next?: () => string;
  readonly order: (other: string) => number;
}

/** A range in its canonical form: of whole numbers and days the lower bound included and the upper one not. */
function rangeText(text: string, bound: (text: string) => Bound | undefined): string | undefined {
  if (/^empty$/i.test(text)) return "empty";
  const [, open = "", low = "", high = "", close = ""] =
    /^([[(])("(?:[^"]|"")*"|[^,"]*),("(?:[^"]|"")*"|[^,"]*)([\])])$/.exec(text) ?? [];
  if (open === "") return undefined;
  const [from, to] = [low, high].map((each) => each.trim().replace(/^"|"$/g, ""));
  const [start, end] = [from, to].map((each) =>
    each === "" || each === undefined ? "" : bound(each),
  );
  if (start === undefined || end === undefined) return undefined;
  let [first, last] = [open, close];
  let lower = start === "" ? "" : start.shown;
  let upper = end === "" ? "" : end.shown;
  if (start !== "" && end !== "") {
    const order = start.order(upper);
    if (order > 0) return undefined;
    if (order === 0 && !(open === "[" && close === "]")) return "empty";
  }
  if (start !== "" && start.next && open === "(") [first, lower] = ["[", start.next()];
  if (end !== "" && end.next && close === "]") [last, upper] = [")", end.next()];
  if (lower === "") first = "(";
  if (upper === "") last = ")";
  if (start !== "" && start.next && lower !== "" && lower === upper) return "empty";
  const quote = (each: string): string => (/[\s,()[\]"\\]/.test(each) ? `"${each}"` : each);
  return `${first}${quote(lower)},${quote(upper)}${last}`;
}

function wholeBound(text: string): Bound | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return {
    shown: String(value),
    next: () => String(value + 1n),
    order: (other) => (value < BigInt(other) ? -1 : value > BigInt(other) ? 1 : 0),
  };
}

function numericBound(text: string): Bound | undefined {
  const value = parseDecimal(text);
  if (value === undefined) return undefined;
  return {
    shown: formatDecimal(value),
    order: (other) => compareNumbers(value, parseDecimal(other) ?? value),
  };
}

function momentBound(text: string, hasZone: boolean): Bound | undefined {
  const at = parseMoment(text, hasZone);
  if (at === undefined) return undefined;
  const shown = formatMoment(at) + (hasZone ? "+00" : "");
  return { shown, order: (other) => (shown < other ? -1 : shown > other ? 1 : 0) };
}

function dayBound(text: string): Bound | undefined {
  const days = parseDay(text);
  if (days === undefined) return undefined;
  const shown = formatDay(days);
  return {
    shown,
    next: () => formatDay(days + 1),
    order: (other) => (shown < other ? -1 : shown > other ? 1 : 0),
  };
}
