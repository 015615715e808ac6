// Each kind of anomaly by its smallest cycle, written as "T1 rw T2 a[1].v; T2 ww T1 a[1].v".
import assert from "node:assert/strict";
import { test } from "node:test";
import { classify, KINDS } from "../../../../server/src/analysis/explain/kinds/kinds";
import { cycleShape } from "../../../../server/src/analysis/explain/shape";
import type {
  CellAccess,
  ExecutedDependency,
  ExecutedStep,
  Execution,
} from "../../../../server/src/store/execution";

interface Options {
  /** Rows written besides those that the edges imply: "T1 a[2].v". */
  readonly alsoWrites?: readonly string[];
  /** The overwriting statement of the last edge read the other's version first. */
  readonly updatesInPlace?: boolean;
}

/** Builds one step per end of an edge and asks for the kind. A trailing `*` marks a predicate dependency. */
function check(cycle: string, expected: string, options: Options = {}): void {
  const steps: ExecutedStep[] = [];
  const dependencies: ExecutedDependency[] = [];
  for (const edge of cycle.split(";").map((part) => part.trim())) {
    const [from = "", dependency = "", to = "", place = ""] = edge.split(" ");
    const cell = cellOf(place.replace("*", ""));
    const reads = dependency === "rw" ? [cell] : [];
    const inPlace = options.updatesInPlace === true && dependency === "ww";
    steps.push(step(from, reads, dependency === "rw" ? [] : [cell]));
    const seen = inPlace || dependency === "wr" ? [{ ...cell, writer: from }] : [];
    steps.push(step(to, seen, dependency === "wr" ? [] : [cell]));
    dependencies.push({
      dependency: dependency === "rw" ? "rw" : dependency === "wr" ? "wr" : "ww",
      from: steps.length - 2,
      to: steps.length - 1,
      table: cell.table,
      key: cell.key,
      columns: [cell.column],
      predicate: place.endsWith("*"),
    });
  }
  for (const also of options.alsoWrites ?? []) {
    const [instance = "", place = ""] = also.split(" ");
    steps.push(step(instance, [], [cellOf(place)]));
  }
  const execution: Execution = {
    steps,
    dependencies,
    outcome: { final: {}, status: {}, returned: {} },
    observed: {},
  };
  const shape = cycleShape(
    execution,
    dependencies.map((_, n) => n),
  );
  assert.equal(classify(shape).kind.name, expected, cycle);
}

function step(
  instance: string,
  reads: readonly CellAccess[],
  writes: readonly CellAccess[],
): ExecutedStep {
  return { instance, statement: 1, sees: [], reads, writes, result: [], affected: writes.length };
}

function cellOf(place: string): CellAccess {
  const match = /^(\w+)\[(\w+)\]\.(\w+|@)$/.exec(place);
  assert.ok(match, `not a cell: ${place}`);
  return { table: match[1] ?? "", key: match[2] ?? "", column: match[3] ?? "", value: 1 };
}

test("the kind of a cycle is the most specific name of the literature", () => {
  check("T1 ww T2 a[1].v; T2 ww T1 a[2].v", "dirty-write");
  check("T1 rw T2 a[1].v; T2 ww T1 a[1].v", "lost-update");
  check("T2 rw T1 a[1].v; T1 ww T2 a[1].v", "lost-update");
  check("T1 rw T2 a[1].v; T2 rw T1 a[1].v", "lost-update");
  check("T1 rw T2 a[1].v; T2 rw T1 a[2].v", "write-skew");
  check("T1 rw T2 a[1].v; T2 rw T1 b[1].v", "write-skew");
  check("T1 rw T2 a[1].@*; T2 rw T1 a[2].@*", "predicate-write-skew");
  check("T1 rw T2 a[1].v; T2 wr T1 a[1].v", "non-repeatable-read");
  check("T1 rw T2 a[1].v; T2 wr T1 a[2].v", "read-skew");
  check("T1 rw T2 a[1].v; T2 ww T1 a[2].v", "read-skew");
  check("T1 rw T2 a[1].@*; T2 wr T1 a[2].v", "phantom");
  check("T1 wr T2 a[1].v; T2 wr T1 a[2].v", "circular-information-flow");
  check("T1 rw T2 a[1].v; T2 rw T3 b[1].v; T3 wr T1 b[1].v", "read-only-anomaly");
  check("T1 rw T2 a[1].v; T2 wr T3 a[1].v; T3 wr T1 b[1].v", "causality-violation");
  check("T1 rw T2 a[1].v; T2 ww T3 a[1].v; T3 wr T1 b[1].v", "read-skew");
  check("T1 rw T2 a[1].v; T2 wr T3 a[1].v; T3 rw T4 b[1].v; T4 wr T1 b[1].v", "long-fork");
  check("T1 rw T2 a[1].v; T2 rw T3 b[1].v; T3 rw T1 c[1].v", "serialization-anomaly");
});

test("an update in place after a stale read loses nothing: it is a non-repeatable read", () => {
  check("T1 rw T2 a[1].v; T2 ww T1 a[1].v", "non-repeatable-read", { updatesInPlace: true });
});

test("a pivot that writes is no read-only transaction", () => {
  check("T1 rw T2 a[1].v; T2 rw T3 b[1].v; T3 wr T1 b[1].v", "serialization-anomaly", {
    alsoWrites: ["T1 c[1].v"],
  });
});

test("every kind has a title, a definition and a source, and its name is kebab-case and unique", () => {
  assert.equal(new Set(KINDS.map((kind) => kind.name)).size, KINDS.length);
  for (const kind of KINDS) {
    assert.match(kind.name, /^[a-z]+(-[a-z]+)*$/);
    assert.ok(kind.title && kind.definition.endsWith(".") && kind.reference, kind.name);
  }
});
