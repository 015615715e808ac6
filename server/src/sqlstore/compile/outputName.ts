// How a result's column is called when the query does not say it.
import type { SqlExpression, SqlOutput } from "../tree";
import { isPostgres, type Compiler } from "./node";

/** The name of an output without an alias. */
export function outputName(output: SqlOutput, compiler: Compiler): string {
  const { value } = output;
  if (isPostgres(compiler)) return postgresName(value) ?? "?column?";
  if (value.kind === "column") return value.path.at(-1) ?? "";
  return output.text ?? "";
}

function postgresName(value: SqlExpression): string | undefined {
  switch (value.kind) {
    case "column":
      return value.path.at(-1);
    case "call":
      return value.name;
    case "cast":
      return postgresName(value.operand) ?? value.type.name;
    case "case":
      return (value.otherwise && strongName(value.otherwise)) ?? "case";
    case "field":
      return value.name;
    case "collate":
    case "slice":
    case "subscript":
      return postgresName(value.operand);
    case "array":
    case "array query":
      return "array";
    case "exists":
      return "exists";
    case "row":
      return "row";
    case "boolean":
      return "bool";
    case "query": {
      const { body } = value.query;
      const [first] = body.kind === "select" ? body.outputs : [];
      return first === undefined ? undefined : (first.alias ?? postgresName(first.value));
    }
    default:
      return undefined;
  }
}

/** A name that goes before that of the construct around it. */
function strongName(value: SqlExpression): string | undefined {
  return value.kind === "column" || value.kind === "call" ? postgresName(value) : undefined;
}
