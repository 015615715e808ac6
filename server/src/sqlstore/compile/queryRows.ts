// Rows of a query as they are computed: in slices, or at once where nobody can wait.
import type { SqlRow } from "../values/value";
import type { CompiledQuery, Env } from "./node";
import { toEnd, type Slices } from "./slices";

/** A query whose rows come in slices. */
export function inSlices(
  query: Omit<CompiledQuery, "run">,
  slices: (env: Env) => Slices<readonly SqlRow[]>,
): CompiledQuery {
  return { ...query, slices, run: (env) => toEnd(slices(env)) };
}

export function* rowsIn(query: CompiledQuery, env: Env): Slices<readonly SqlRow[]> {
  return query.slices === undefined ? query.run(env) : yield* query.slices(env);
}
