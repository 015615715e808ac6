// Programs with no anomaly of few transactions: tables in a ring, so that a cycle has to go all the way round. No proof may
// be given where it can, however long it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { proveSql } from "./proveSql";

/**
 * The actions of a transaction between table k and the next: `looks` at both; `brings` what it reads of one to the other, which
 * it overwrites; `takes` from the next to its own; `changes` both in place.
 */
type Bead = "looks" | "brings" | "takes" | "changes";

/** A program with a table per bead, and a transaction between it and the next one. */
function ring(beads: readonly Bead[]): string {
  const tables = beads.map((_, at) => `q${String(at)}`);
  const name = (at: number): string => tables[at % tables.length] ?? "";
  const read = (table: string): string =>
    `SELECT v AS ${table}_v FROM ${table} WHERE id = :k \\gset\n`;
  const copy = (from: string, to: string): string =>
    `${read(from)}UPDATE ${to} SET v = :${from}_v WHERE id = :k;\n`;
  const change = (table: string): string => `UPDATE ${table} SET v = v + 1 WHERE id = :k;\n`;
  const bodies = beads.map((bead, at) => {
    const [own, next] = [name(at), name(at + 1)];
    switch (bead) {
      case "looks":
        return read(own) + read(next);
      case "brings":
        return copy(own, next);
      case "takes":
        return copy(next, own);
      case "changes":
        return change(own) + change(next);
    }
  });
  return [
    ...tables.map((each) => `CREATE TABLE ${each} (id integer PRIMARY KEY, v integer NOT NULL);\n`),
    ...bodies.map((body, at) => `-- @transaction t${String(at)}\nBEGIN;\n${body}COMMIT;\n`),
  ].join("");
}

const PSI = "parallel-snapshot-isolation";
const SI = "snapshot-isolation";
const RR = "postgres:repeatable-read";

/** The proof at each level, as `+` where one is found or `-`. */
async function check(beads: readonly Bead[], expected: Readonly<Record<string, "+" | "-">>) {
  for (const [level, wanted] of Object.entries(expected)) {
    const { answer } = await proveSql(ring(beads), level, { brief: true });
    assert.equal(answer.kind, wanted === "+" ? "proved" : "blocked", `${beads.join()} at ${level}`);
  }
}

// A reader misses the first, which misses the second, whose write comes back to the reader through all others.
for (const length of [5, 6])
  test(`a cycle of ${String(length)} that only snapshots allow`, async () => {
    await check(["looks", "takes", "changes", ...passing(length - 3)], {
      [SI]: "-",
      [PSI]: "-",
    });
  });

// Two readers see two writers in different orders; what the writers did may come to the readers through others.
for (const length of [4, 6])
  test(`a long fork of ${String(length)}`, async () => {
    const others = passing(length / 2 - 2);
    const isAtSnapshots = length === 4 ? "+" : "-";
    await check(["looks", "changes", ...others, "looks", "changes", ...others], {
      [PSI]: "-",
      [RR]: isAtSnapshots,
    });
  });

// Each misses the next one, all round.
for (const bead of ["takes", "brings"] as const)
  test(`write skew of five where each ${bead}`, async () => {
    const beads = Array.from({ length: 5 }, () => bead);
    await check(beads, { [RR]: "-", [PSI]: "-" });
  });

test("a ring of five that change all that they read has no cycle", async () => {
  const beads = Array.from({ length: 5 }, (): Bead => "changes");
  await check(beads, { [SI]: "+", [RR]: "+", [PSI]: "+", "postgres:read-committed": "+" });
});

function passing(length: number): readonly Bead[] {
  return Array.from({ length }, (): Bead => "brings");
}
