// Outcome sets of small programs at PostgreSQL's levels, as short texts.
import assert from "node:assert/strict";
import type { SqlParsers } from "../../../server/src/frontend/sql/parsers";
import type { ProductLevel } from "../../../server/src/isolation/levels";
import type { Table } from "../../../server/src/program/schema";
import type { Row, Value } from "../../../server/src/protocol/witness";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import type { Run } from "../../../server/src/store/runRecord";
import { outcomeOf } from "../../../server/src/store/toExecution";
import { instances, productOf, programOf } from "./programs";

export interface Scenario {
  readonly tables: readonly Table[];
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  readonly scripts: Readonly<Record<string, string>>;
  /** The reader of the scripts; the light parser alone when absent. */
  readonly parsers?: SqlParsers;
  /** Instances; each script once when absent. */
  readonly start?: readonly (string | readonly [string, Readonly<Record<string, Value>>])[];
}

/** All outcomes over all interleavings, at one level or with one level per instance ("pg:ser + pg:rc"). */
export function outcomesAt(scenario: Scenario, levels: string): readonly string[] {
  const each = levels.split(" + ").map(productOf);
  const levelAt = (instance: string): ProductLevel => {
    const level = each[(Number(instance.slice(1)) - 1) % each.length];
    if (level === undefined) throw new Error(`no level for ${instance}`);
    return level;
  };
  const program = programOf(scenario.scripts, scenario.tables, scenario.parsers);
  const setup = {
    instances: instances(...(scenario.start ?? Object.keys(scenario.scripts))),
    initial: scenario.initial,
  };
  const { runs, complete, leftOut } = enumerateProduct(program, setup, levelAt, 100_000);
  assert.ok(complete);
  assert.equal(leftOut.join(), "");
  return [...new Set(runs.map(outcomeText))].sort();
}

/** Checks the whole outcome set. */
export function checkOutcomes(
  scenario: Scenario,
  levels: string,
  expected: readonly string[],
): void {
  assert.deepEqual(outcomesAt(scenario, levels), [...expected].sort());
}

/** `T1: x = 1 | t: 1,10; 2,20`: what callers got, then the rows. */
function outcomeText(run: Run): string {
  const { returned, final, status } = outcomeOf(run);
  const given = Object.entries(returned).flatMap(([instance, lines]) =>
    lines.length === 0 ? [] : [`${instance}: ${lines.join(" / ")}`],
  );
  const ended = Object.entries(status).flatMap(([instance, how]) =>
    how === "committed" ? [] : [`${instance} ${how}`],
  );
  const tables = Object.entries(final).map(
    ([table, rows]) => `${table}: ${rows.map((row) => Object.values(row).join(",")).join("; ")}`,
  );
  return [...given, ...ended, ...tables].join(" | ");
}
