// The shape of an executed cycle: what kinds of anomaly are recognised by, without any text.
import type { Execution, ExecutedDependency, ExecutedStep } from "../../store/execution";

export interface ShapeEdge {
  readonly dependency: ExecutedDependency;
  readonly from: ExecutedStep;
  readonly to: ExecutedStep;
}

export interface CycleShape {
  /** In order: the `to` instance of each edge is the `from` instance of the next. */
  readonly edges: readonly ShapeEdge[];
  /** The instances of the cycle, starting with the first edge's source. */
  readonly instances: readonly string[];
  /** Whether an instance wrote anything that it committed. */
  readonly writes: (instance: string) => boolean;
  /** Whether an instance wrote that row. */
  readonly wroteRow: (instance: string, table: string, key: string) => boolean;
}

/** The cycle given by indexes into the dependencies of an execution; edges whose steps are missing are left out. */
export function cycleShape(execution: Execution, cycle: readonly number[]): CycleShape {
  const edges = cycle.flatMap((index): ShapeEdge[] => {
    const dependency = execution.dependencies[index];
    const from = dependency && execution.steps[dependency.from];
    const to = dependency && execution.steps[dependency.to];
    return dependency && from && to ? [{ dependency, from, to }] : [];
  });
  const written = new Map<string, Set<string>>();
  for (const step of execution.steps) {
    for (const write of step.writes) {
      const rows = written.get(step.instance) ?? new Set<string>();
      written.set(step.instance, rows.add(rowName(write.table, write.key)));
    }
  }
  return {
    edges,
    instances: edges.map((edge) => edge.from.instance),
    writes: (instance) => (written.get(instance)?.size ?? 0) > 0,
    wroteRow: (instance, table, key) => written.get(instance)?.has(rowName(table, key)) ?? false,
  };
}

/** The same cycle started at its `start`-th edge. */
export function rotated(shape: CycleShape, start: number): CycleShape {
  const edges = [...shape.edges.slice(start), ...shape.edges.slice(0, start)];
  return { ...shape, edges, instances: edges.map((edge) => edge.from.instance) };
}

function rowName(table: string, key: string): string {
  return `${table}[${key}]`;
}
