// A statement of application code in the form of the workspace's statements, for explaining a run.
import path from "node:path";
import type { Key, Value } from "../../exploration/client";
import type { Statement } from "../../program/statement";
import { ownEntry } from "../../protocol/dictionary";
import type { FileId, SourceRange } from "../../protocol/source";
import type { CellRead } from "../../store/recorder";
import { INITIAL, type StoredRow, type Write } from "../../store/row";
import type { SqlValue } from "../../store/value";
import { partsOfKey, plainRow } from "../rowKeys";
import type { ObservedStep } from "../sqlSession";
import type { ObservedQuery } from "./connection";

export interface CodePlace {
  /** The program's file as named in steps. */
  readonly file: FileId;
  readonly folder: string;
}

/** The steps of a statement: itself if it touched rows, and the end of its transaction. */
export function observationStep(query: ObservedQuery, place: CodePlace): readonly ObservedStep[] {
  const { instance, result, error, reads, writes, ended } = query;
  const steps: ObservedStep[] = [];
  const verb = /^\s*(?:--[^\n]*\n\s*)*(\w+)/u.exec(query.text)?.[1]?.toLowerCase() ?? "";
  if (
    reads.size > 0 ||
    writes.size > 0 ||
    ["select", "insert", "update", "delete", "with"].includes(verb)
  ) {
    const cells = cellsOf(reads);
    steps.push({
      instance,
      statement: statementOf(query, verb, place),
      cells,
      writes: writesOf(writes, reads, instance),
      rows: (result?.rows ?? []).map((row) =>
        Object.fromEntries(
          (result?.columns ?? []).map(({ name }, at) => [name, plainCell(row[at])]),
        ),
      ),
      affected: result?.rowCount ?? 0,
      ...(error !== undefined && { why: `${error.message} (${error.code})` }),
    });
  }
  if (ended !== undefined)
    steps.push({
      instance,
      statement: ended,
      cells: [],
      writes: [],
      rows: [],
      affected: 0,
      ...(ended === "rollback" && error !== undefined && { why: error.message }),
    });
  return steps;
}

/** Every column of every existing row: which ones the statement used is unknown. */
function cellsOf(reads: ReadonlyMap<Key, Value>): readonly CellRead[] {
  return [...reads].flatMap(([key, value]) => {
    const row = plainRow(value);
    if (row === undefined) return [];
    const { table, row: name } = partsOfKey(key);
    return Object.entries(row).map(([column, cell]) => ({
      table,
      key: name,
      column,
      value: cell,
      writer: INITIAL,
    }));
  });
}

function writesOf(
  writes: ReadonlyMap<Key, Value>,
  reads: ReadonlyMap<Key, Value>,
  instance: string,
): readonly Write[] {
  return [...writes].flatMap(([key, value]): readonly Write[] => {
    const { table, row: name } = partsOfKey(key);
    // Entries of unique indexes hold the name of a row, not a row.
    if (table.includes("#")) return [];
    const after = plainRow(value);
    const known = plainRow(reads.get(key));
    const before: StoredRow | undefined = known && {
      kind: "stored",
      table,
      key: name,
      values: known,
      alive: true,
      writers: {},
      version: INITIAL,
      incarnation: INITIAL,
    };
    const base = { table, key: name, instance, step: 0, before };
    if (after === undefined) return [{ ...base, alive: false, values: {} }];
    if (known === undefined) return [{ ...base, alive: true, values: after }];
    const changed = Object.fromEntries(
      Object.entries(after).filter(([column, cell]) => cell !== ownEntry(known, column)),
    );
    return [{ ...base, values: changed }];
  });
}

function plainCell(value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "string" || typeof value === "boolean")
    return value;
  return typeof value === "bigint"
    ? value.toString()
    : JSON.stringify(value, (_, each: unknown) =>
        typeof each === "bigint" ? each.toString() : each,
      );
}

/** The parts of a statement that its explanation needs. */
function statementOf(query: ObservedQuery, verb: string, place: CodePlace): Statement {
  const tables = [...query.reads.keys(), ...query.writes.keys()].map(
    (key) => partsOfKey(key).table,
  );
  const table = tables.find((each) => !each.includes("#")) ?? "";
  const relation = { alias: table, table, kind: "base", join: "inner" } as const;
  const text = query.text.trim();
  const base = { id: text, source: sourceOf(query, place), text, taint: [] };
  const where = { kind: "literal", value: true, type: "bool" } as const;
  switch (verb) {
    case "insert":
    case "replace":
      return { ...base, kind: "insert", table, rows: [] };
    case "update":
      return { ...base, kind: "update", relation, from: [], set: [], where };
    case "delete":
      return { ...base, kind: "delete", relation, using: [], where };
    default:
      return {
        ...base,
        kind: "select",
        into: "result",
        discarded: false,
        query: {
          relations: table === "" ? [] : [relation],
          where,
          outputs: [],
          groupBy: [],
          orderBy: [],
          distinct: false,
          setOperations: [],
        },
      };
  }
}

/** The calling line in the program's own files. */
function sourceOf({ calledFrom }: ObservedQuery, { file, folder }: CodePlace): SourceRange {
  const [, name, line, column] = /^(.*):(\d+):(\d+)$/u.exec(calledFrom ?? "") ?? [];
  const at = Math.max(0, Number(line ?? 1) - 1);
  const from = Math.max(0, Number(column ?? 1) - 1);
  const range = { start: { line: at, character: from }, end: { line: at, character: 1000 } };
  if (name === undefined || !path.isAbsolute(name)) return { file, range };
  // A file of the program, named as its others are.
  return { file: path.relative(folder, name).split(path.sep).join("/") as FileId, range };
}
