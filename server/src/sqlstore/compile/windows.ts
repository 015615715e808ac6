// Window functions: partitions, their order, frames, and what is computed for each row.
import { failure, unsupported } from "../sqlError";
import type { SqlCall, SqlFrameBound, SqlWindow } from "../tree";
import { identities } from "../values/compare";
import type { SqlType } from "../values/types";
import type { SqlValue } from "../values/value";
import { AGGREGATES } from "./accumulators";
import { aggregate, aggregateSlot } from "./aggregates";
import { compileExpression } from "./recursion";
import {
  convertNode,
  isPostgres,
  defaultToText,
  type Compiler,
  type Env,
  type Node,
  type Scope,
  type AggregateSlot,
  type Partition,
  type WindowSlot,
} from "./node";
import { sortRows, sortOf } from "./ordering";
import { nullNode } from "./scope";

/** A call with OVER, as what reads its result. */
export function windowNode(call: SqlCall, over: SqlWindow, scope: Scope): Node {
  const { compiler } = scope;
  if (scope.aggregates !== "allowed") {
    throw failure("windowing", "window functions are not allowed here");
  }
  const window = resolved(over, scope);
  const partitionBy = window.partitionBy.map((each) => compileExpression(each, scope));
  const sorts = window.orderBy.map((order) =>
    sortOf(compileExpression(order.value, scope), order, compiler),
  );
  const frame = frameOf(window, scope);
  const { type, compute } = AGGREGATES.has(call.name)
    ? overAggregate(call, frame, scope)
    : windowFunction(call, frame, scope);
  const at = scope.windowSlots.push({ partitionBy, sorts, compute }) - 1;
  return { type, constant: false, run: (env) => env.windows[at] ?? null };
}

function resolved(window: SqlWindow, scope: Scope): SqlWindow {
  if (window.base === undefined) return window;
  const named = scope.windows.get(window.base);
  if (named === undefined) {
    throw failure("noObject", `window "${window.base}" does not exist`);
  }
  const base = resolved(named, scope);
  const frame = window.frame ?? base.frame;
  return {
    partitionBy: base.partitionBy.length > 0 ? base.partitionBy : window.partitionBy,
    orderBy: window.orderBy.length > 0 ? window.orderBy : base.orderBy,
    ...(frame === undefined ? {} : { frame }),
  };
}

/** The rows with the values of all window functions. */
export function withWindows(rows: readonly Env[], scope: Scope): readonly Env[] {
  const { windowSlots, compiler } = scope;
  if (windowSlots.length === 0) return rows;
  const values = windowSlots.map((slot) => valuesOf(slot, rows, compiler));
  return rows.map((row) => ({ ...row, windows: values.map((each) => each.get(row) ?? null) }));
}

function valuesOf(
  slot: WindowSlot,
  rows: readonly Env[],
  compiler: Compiler,
): ReadonlyMap<Env, SqlValue> {
  const types = slot.partitionBy.map((node) => node.type);
  const partitions = new Map<string, Env[]>();
  for (const row of rows) {
    const values = slot.partitionBy.map((node) => node.run(row));
    const name = identities(values, types, compiler.dialect);
    const before = partitions.get(name);
    if (before === undefined) partitions.set(name, [row]);
    else before.push(row);
  }
  const found = new Map<Env, SqlValue>();
  for (const partition of partitions.values()) {
    const inOrder = sortRows(partition, slot.sorts, (row, sort) => sort.node.run(row));
    const peers = peersOf(inOrder, slot, compiler);
    const values = slot.compute({ rows: inOrder, peers });
    for (const [at, row] of inOrder.entries()) found.set(row, values[at] ?? null);
  }
  return found;
}

function peersOf(
  rows: readonly Env[],
  slot: WindowSlot,
  compiler: Compiler,
): readonly (readonly [number, number])[] {
  const types = slot.sorts.map((sort) => sort.node.type);
  const names = rows.map((row) =>
    identities(
      slot.sorts.map((sort) => sort.node.run(row)),
      types,
      compiler.dialect,
    ),
  );
  const first: number[] = [];
  for (const [at, name] of names.entries()) {
    first.push(at > 0 && names[at - 1] === name ? (first[at - 1] ?? at) : at);
  }
  const last: number[] = [];
  for (let at = rows.length - 1; at >= 0; at--) {
    last[at] = at + 1 < rows.length && first[at + 1] === first[at] ? (last[at + 1] ?? at) : at;
  }
  return first.map((from, at) => [from, last[at] ?? at]);
}

/** The first row of a frame and the first row after it. */
type Frame = (partition: Partition, at: number) => readonly [number, number];

function frameOf(window: SqlWindow, scope: Scope): Frame {
  const { frame } = window;
  if (frame === undefined) {
    if (window.orderBy.length === 0) return ({ rows }) => [0, rows.length];
    return ({ peers }, at) => [0, (peers[at]?.[1] ?? at) + 1];
  }
  const offset = (bound: SqlFrameBound): Node | undefined =>
    "offset" in bound
      ? convertNode(compileExpression(bound.offset, scope), "int8", scope.compiler)
      : undefined;
  const [start, end] = [offset(frame.start), offset(frame.end)];
  if (frame.unit !== "rows" && (start ?? end) !== undefined) {
    throw unsupported(`a frame of ${frame.unit.toUpperCase()} with an offset`);
  }
  const byRows = frame.unit === "rows";
  const place = (
    bound: SqlFrameBound,
    distance: Node | undefined,
    partition: Partition,
    at: number,
    isEnd: boolean,
  ): number => {
    const row = partition.rows[at];
    const by = distance === undefined || row === undefined ? 0 : Number(distance.run(row));
    switch (bound.kind) {
      case "unbounded preceding":
        return 0;
      case "unbounded following":
        return partition.rows.length;
      case "current row":
        if (byRows) return isEnd ? at + 1 : at;
        return isEnd ? (partition.peers[at]?.[1] ?? at) + 1 : (partition.peers[at]?.[0] ?? at);
      case "preceding":
        return isEnd ? at - by + 1 : at - by;
      case "following":
        return isEnd ? at + by + 1 : at + by;
      default:
        return bound satisfies never;
    }
  };
  return (partition, at) => [
    Math.max(0, place(frame.start, start, partition, at, false)),
    Math.min(partition.rows.length, place(frame.end, end, partition, at, true)),
  ];
}

interface Computed {
  readonly type: SqlType;
  readonly compute: (partition: Partition) => readonly SqlValue[];
}

function overAggregate(call: SqlCall, frame: Frame, scope: Scope): Computed {
  const { slot, type }: { slot: AggregateSlot; type: SqlType } = aggregateSlot(call, scope);
  return {
    type,
    compute: (partition) =>
      partition.rows.map((row, at) => {
        const [from, to] = frame(partition, at);
        return aggregate(slot, partition.rows.slice(from, Math.max(from, to)), row, scope.compiler);
      }),
  };
}

function windowFunction(call: SqlCall, frame: Frame, scope: Scope): Computed {
  const { compiler } = scope;
  const values = call.arguments.map((argument) =>
    defaultToText(compileExpression(argument, scope)),
  );
  const [value = nullNode(), second, third] = values;
  const whole = (compute: Computed["compute"]): Computed => ({ type: "int8", compute });
  switch (call.name) {
    case "row_number":
      return whole(({ rows }) => rows.map((_, at) => at + 1));
    case "rank":
      return whole(({ peers }) => peers.map(([first]) => first + 1));
    case "dense_rank":
      return whole(({ peers }) => {
        let rank = 0;
        return peers.map(([first], at) => (first === at ? ++rank : rank));
      });
    case "percent_rank":
      return {
        type: "float8",
        compute: ({ peers, rows }) =>
          peers.map(([first]) => (rows.length < 2 ? 0 : first / (rows.length - 1))),
      };
    case "cume_dist":
      return {
        type: "float8",
        compute: ({ peers, rows }) => peers.map(([, last]) => (last + 1) / rows.length),
      };
    case "ntile": {
      const count = convertNode(value, "int4", compiler);
      return {
        type: isPostgres(compiler) ? "int4" : "int8",
        compute: ({ rows }) =>
          rows.map((row, at) => {
            const buckets = Number(count.run(row));
            const size = Math.floor(rows.length / buckets);
            const larger = rows.length % buckets;
            const inLarger = larger * (size + 1);
            return at < inLarger
              ? Math.floor(at / (size + 1)) + 1
              : larger + Math.floor((at - inLarger) / Math.max(1, size)) + 1;
          }),
      };
    }
    case "lag":
    case "lead": {
      const sign = call.name === "lag" ? -1 : 1;
      const distance = second && convertNode(second, "int4", compiler);
      const otherwise = third && convertNode(third, value.type, compiler);
      return {
        type: value.type,
        compute: ({ rows }) =>
          rows.map((row, at) => {
            const by = distance === undefined ? 1 : Number(distance.run(row));
            const other = rows[at + sign * by];
            return other === undefined ? (otherwise?.run(row) ?? null) : value.run(other);
          }),
      };
    }
    case "first_value":
    case "last_value":
    case "nth_value": {
      const nth = second && convertNode(second, "int4", compiler);
      return {
        type: value.type,
        compute: (partition) =>
          partition.rows.map((row, at) => {
            const [from, to] = frame(partition, at);
            const wanted =
              call.name === "first_value"
                ? from
                : call.name === "last_value"
                  ? to - 1
                  : from + Number(nth?.run(row) ?? 1) - 1;
            const found = wanted >= from && wanted < to ? partition.rows[wanted] : undefined;
            return found === undefined ? null : value.run(found);
          }),
      };
    }
    default:
      throw unsupported(`the window function ${call.name}`);
  }
}
