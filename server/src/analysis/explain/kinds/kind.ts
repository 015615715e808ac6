// The definition of a kind of anomaly: its name in the literature, its recognition, and its sentence.
import type { CycleShape, ShapeEdge } from "../shape";

/** The material of a sentence: transaction names, with wording for two instances of the same. */
export interface KindContext {
  readonly shape: CycleShape;
  /** The name of an instance's transaction. */
  readonly nameOf: (instance: string) => string;
}

/** The name and documentation of a kind of finding. */
export interface Kind {
  /** Kebab-case; the diagnostic's code. */
  readonly name: string;
  readonly title: string;
  /** The definition in one or two sentences, for hovers and documentation. */
  readonly definition: string;
  /** The source of the definition. */
  readonly reference: string;
}

export interface AnomalyKind extends Kind {
  /** The evidence: a cycle of dependencies, or a dirty read without a cycle. */
  readonly of: "cycle" | "dirty-read";
  /** True if the cycle, started at its first edge, is of this kind. Tried for every rotation. */
  readonly matches: (shape: CycleShape) => boolean;
  /** The cause in one clause that names the transactions and the data, without the kind's name and full stop. */
  readonly sentence: (context: KindContext) => string;
}

/** "account.balance", or "rows of account" for a row's existence or a predicate. */
export function dataOf(edge: ShapeEdge, of = edge.dependency.columns): string {
  const columns = of.filter((column) => column !== "@");
  const table = edge.dependency.table;
  if (edge.dependency.predicate || columns.length === 0) return `rows of ${table}`;
  return columns.length === 1 ? `${table}.${columns[0]}` : `${table} (${columns.join(", ")})`;
}

/** "two runs of withdraw" or "withdraw and deposit": the two instances at the ends of an edge. */
export function both(context: KindContext, first: string, second: string): string {
  const [a, b] = [context.nameOf(first), context.nameOf(second)];
  return a === b ? `two runs of ${a}` : `${a} and ${b}`;
}

/** "another withdraw" when both are the same transaction, else the other's name. */
export function other(context: KindContext, instance: string, than: string): string {
  const name = context.nameOf(instance);
  return name === context.nameOf(than) ? `another ${name}` : name;
}

export function sameRow(a: ShapeEdge, b: ShapeEdge): boolean {
  return a.dependency.table === b.dependency.table && a.dependency.key === b.dependency.key;
}

/**
 * The edges of a two-transaction cycle with exactly one anti-dependency, which comes first: the read that missed the other transaction, and
 * the edge that met it. Undefined for other cycles.
 */
export function halves({
  edges,
}: CycleShape): { readonly old: ShapeEdge; readonly met: ShapeEdge } | undefined {
  const [old, met] = edges;
  if (edges.length !== 2 || old?.dependency.dependency !== "rw") return undefined;
  return met === undefined || met.dependency.dependency === "rw" ? undefined : { old, met };
}

/** The dependencies in order, e.g. "rw ww". */
export function pattern(shape: CycleShape): string {
  return shape.edges.map((edge) => edge.dependency.dependency).join(" ");
}
