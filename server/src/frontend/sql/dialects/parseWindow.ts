// Windows of calls (OVER) and of the WINDOW clause.
import { expect, take, takeAny, takeName, unexpectedToken, wordAt, type Reader } from "./reader";
import type { SyntaxExpression, SyntaxFrameBound, SyntaxOrder, SyntaxWindow } from "./syntax";

type ReadValue = () => SyntaxExpression;

/** The window behind OVER, or behind the name that WINDOW gives to it. */
export function readWindow(reader: Reader, readValue: ReadValue): SyntaxWindow {
  if (wordAt(reader) !== "(") return { base: takeName(reader, true), partitionBy: [], orderBy: [] };
  reader.at++;
  const base = /^(\)|partition|order|rows|range|groups)$/.test(wordAt(reader))
    ? undefined
    : takeName(reader);
  const partitionBy: SyntaxExpression[] = [];
  if (take(reader, "partition", "by"))
    do partitionBy.push(readValue());
    while (take(reader, ","));
  const orderBy: SyntaxOrder[] = [];
  if (take(reader, "order", "by"))
    do {
      const value = readValue();
      const descending = takeAny(reader, "asc", "desc") === "desc";
      if (take(reader, "nulls")) takeAny(reader, "first", "last");
      orderBy.push({ value, descending });
    } while (take(reader, ","));
  const unit = takeAny(reader, "rows", "range", "groups");
  const frame = unit && { unit, ...limitsOf(reader, readValue) };
  const excluded = take(reader, "exclude");
  while (excluded && wordAt(reader) !== ")") takeName(reader, true);
  expect(reader, ")");
  return {
    ...(base === undefined ? {} : { base }),
    partitionBy,
    orderBy,
    ...(frame === undefined ? {} : { frame }),
    ...(excluded ? { excluded } : {}),
  };
}

function limitsOf(
  reader: Reader,
  readValue: ReadValue,
): { readonly start: SyntaxFrameBound; readonly end: SyntaxFrameBound } {
  if (!take(reader, "between"))
    return { start: boundOf(reader, readValue), end: { kind: "current row" } };
  const start = boundOf(reader, readValue);
  expect(reader, "and");
  return { start, end: boundOf(reader, readValue) };
}

function boundOf(reader: Reader, readValue: ReadValue): SyntaxFrameBound {
  if (take(reader, "current", "row")) return { kind: "current row" };
  if (take(reader, "unbounded")) return { kind: `unbounded ${sideOf(reader)}` };
  const offset = readValue();
  return { kind: sideOf(reader), offset };
}

function sideOf(reader: Reader): "preceding" | "following" {
  const side = takeAny(reader, "preceding", "following");
  if (side === undefined) throw unexpectedToken(reader);
  return side;
}
