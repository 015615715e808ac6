// The shape of an executed cycle or dirty read: the input for recognising kinds of anomalies, without any text.
import type { DirtyRead, Execution, ExecutedDependency, ExecutedStep } from "../../store/execution";

export interface ShapeEdge {
  readonly dependency: ExecutedDependency;
  readonly from: ExecutedStep;
  readonly to: ExecutedStep;
}

export interface CycleShape {
  /** Set if there is no cycle but a dirty read: the only edge goes from the write to the read. */
  readonly dirtyRead?: DirtyRead["kind"];
  /** In order: the `to` instance of each edge is the `from` instance of the next. */
  readonly edges: readonly ShapeEdge[];
  /** The instances of the cycle, starting with the first edge's source; for a dirty read, the reader and the writer. */
  readonly instances: readonly string[];
  /** True if an instance committed a write. */
  readonly writes: (instance: string) => boolean;
  /** The last step (its position in the execution) at which an instance wrote that row; -1 if it never did. */
  readonly wroteRowAt: (instance: string, table: string, key: string) => number;
  /** True if an instance wrote one of these cells. */
  readonly wroteColumn: (instance: string, cells: RowCells) => boolean;
  /** The last step at which an instance updated that row to the values that it already had; -1 if it never did. */
  readonly keptRowAt: (instance: string, table: string, key: string) => number;
  /** True if an instance read one of these cells in `writer`'s version, except to write the same value. */
  readonly met: (instance: string, cells: RowCells, writer: string) => boolean;
  /** The text of the condition by which a step searches a table; undefined if it finds rows by key or does not search. */
  readonly searchOf: SearchOf;
}

export type SearchOf = (step: ExecutedStep, table: string) => string | undefined;

/** The default: searches are unknown. */
const NO_SEARCH: SearchOf = () => undefined;

/** Some columns of a row. */
export interface RowCells {
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
}

/** The cycle of these dependencies of an execution; edges with missing steps are dropped. */
export function cycleShape(
  execution: Execution,
  cycle: readonly number[],
  searchOf = NO_SEARCH,
): CycleShape {
  const edges = cycle.flatMap((index): ShapeEdge[] => {
    const dependency = execution.dependencies[index];
    const from = dependency && execution.steps[dependency.from];
    const to = dependency && execution.steps[dependency.to];
    return dependency && from && to ? [{ dependency, from, to }] : [];
  });
  return {
    edges,
    instances: edges.map((edge) => edge.from.instance),
    ...queries(execution),
    searchOf,
  };
}

/** The shape of a dirty read. */
export function dirtyReadShape(execution: Execution, read: DirtyRead): CycleShape {
  const [from, to] = [execution.steps[read.from], execution.steps[read.to]];
  const edges: readonly ShapeEdge[] =
    from && to ? [{ dependency: { ...read, dependency: "wr" }, from, to }] : [];
  return {
    dirtyRead: read.kind,
    edges,
    instances: edges.flatMap((edge) => [edge.to.instance, edge.from.instance]),
    ...queries(execution),
    searchOf: NO_SEARCH,
  };
}

/** The same cycle started at its `start`-th edge. */
export function rotate(shape: CycleShape, start: number): CycleShape {
  const edges = [...shape.edges.slice(start), ...shape.edges.slice(0, start)];
  return { ...shape, edges, instances: edges.map((edge) => edge.from.instance) };
}

/** True if an UPDATE matched rows that already had the new values: it changes nothing and creates no version. */
export function leavesAsItIs({ source, affected, writes }: ExecutedStep): boolean {
  return source?.kind === "update" && affected > 0 && writes.length === 0;
}

function queries({
  steps,
}: Execution): Pick<CycleShape, "writes" | "wroteRowAt" | "wroteColumn" | "keptRowAt" | "met"> {
  return {
    writes: (instance) =>
      steps.some((step) => step.instance === instance && step.writes.length > 0),
    wroteRowAt: (instance, table, key) =>
      steps.findLastIndex(
        (step) =>
          step.instance === instance &&
          step.writes.some((write) => write.table === table && write.key === key),
      ),
    wroteColumn: (instance, { table, key, columns }) =>
      steps.some(
        (step) =>
          step.instance === instance &&
          step.writes.some(
            (write) => write.table === table && write.key === key && columns.includes(write.column),
          ),
      ),
    keptRowAt: (instance, table, key) =>
      steps.findLastIndex(
        (step) =>
          step.instance === instance &&
          leavesAsItIs(step) &&
          step.reads.some((read) => read.table === table && read.key === key),
      ),
    met: (instance, { table, key, columns }, writer) =>
      steps.some(
        (step) =>
          step.instance === instance &&
          !leavesAsItIs(step) &&
          step.reads.some(
            (read) =>
              read.table === table &&
              read.key === key &&
              columns.includes(read.column) &&
              read.writer === writer,
          ),
      ),
  };
}
