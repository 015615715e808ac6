// Tables as the recording itself tells them: the DDL that went over the wire, for databases that are gone when the run is
// over, as test runners make and drop them.
import { isDefinition, type RecordedStatement } from "../statements";

/**
 * CREATE and ALTER of tables, indexes, types and routines in their order, each once; what a failed statement says is left
 * out, and tables that a query filled, whose texts are not kept.
 */
export function wireSchema(statements: readonly RecordedStatement[]): readonly string[] {
  const found = new Set<string>();
  for (const { kind, text, error } of statements)
    if (kind === "ddl" && error === undefined && MAKES.test(text) && isDefinition(text))
      found.add(text);
  return [...found];
}

const MAKES = /^(?:create|alter)\s+(?!sequence)\b/i;
