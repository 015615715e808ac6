// Summaries over call graphs are what going over all nodes until nothing changes gives.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { createSummaries } from "../../../../server/src/frontend/code/effects/summaries";

type Ask<Summary> = (node: number) => Summary;
type Graph = readonly (readonly number[])[];

const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
  );

/** The nodes that each leads to, asked for in some order. */
function reached(graph: Graph, mostRounds = 50): (node: number) => ReadonlySet<number> {
  const ask: Ask<ReadonlySet<number>> = createSummaries({
    keyOf: String,
    bottom: new Set<number>(),
    top: new Set([-1]),
    mostRounds,
    transfer: (node: number) =>
      new Set((graph[node] ?? []).flatMap((each) => [each, ...ask(each)])),
    isSame: (left, right) => left.size === right.size,
  });
  return ask;
}

function expected(graph: Graph, node: number): ReadonlySet<number> {
  const found = new Set(graph[node]);
  for (const each of found) for (const next of graph[each] ?? []) found.add(next);
  return found;
}

const sorted = (all: ReadonlySet<number>): readonly number[] => [...all].sort((a, b) => a - b);

it("are the least fixpoint, whatever is asked first", () => {
  fc.assert(
    fc.property(graphs, fc.array(fc.nat(11), { maxLength: 4 }), (graph, first) => {
      const ask = reached(graph);
      for (const each of first) if (each < graph.length) ask(each);
      for (const node of graph.keys())
        assert.deepEqual(sorted(ask(node)), sorted(expected(graph, node)));
    }),
    { numRuns: 500 },
  );
});

it("are all that there is where a component rises longer than it may", () => {
  const ask = reached([[1], [2], [0], [0], []], 1);
  assert.deepEqual(
    [3, 1, 4].map((each) => [...ask(each)]),
    [[0, -1], [-1], []],
  );
});

it("are found again behind an error", () => {
  let fails = true;
  const ask: Ask<number> = createSummaries({
    keyOf: String,
    bottom: 0,
    top: 9,
    mostRounds: 5,
    transfer: (node: number) => {
      if (node === 2 && fails) throw new Error("stopped");
      return node === 2 ? 2 : Math.max(1, ask(node + 1));
    },
    isSame: Object.is,
  });
  assert.throws(() => ask(0));
  fails = false;
  assert.equal(ask(0), 2);
});

it("go around a cycle of a thousand", () => {
  const graph = Array.from({ length: 1000 }, (_, at) => [(at + 1) % 1000]);
  assert.equal(reached(graph)(0).size, 1000);
});
