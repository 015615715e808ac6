// Benchmarks in BenchBase's style: a class that extends `Procedure` holds its statements as `SQLStmt` fields. Its `run`
// works on a connection that it is given, in a transaction that its caller commits.
import {
  constantScalar,
  UNDEFINED,
  unknown,
  type HandleValue,
  type TextPart,
  type Value,
} from "../../values";
import type { Library } from "../library";
import { spreadItems } from "./receiverState";
import { newError, prepare, withKeys } from "./jdbc";

export const BENCHBASE: Library = {
  name: "benchbase",
  modules: ["com.oltpbenchmark.api"],
  extended: (superclass, tools) =>
    superclass === "Procedure" ? tools.handle("Procedure") : undefined,
  standsAlone: ({ rest }, method) =>
    method === "run" && rest?.kind === "handle" && rest.path === "Procedure",
  imported: (name, _module, tools) => (name === "SQLStmt" ? tools.handle(name) : undefined),
  call: (handle, call, tools) => {
    if (call.isNew) {
      return handle.path === "SQLStmt"
        ? tools.handle("SQLStmt", { sql: withLists(call.arguments) })
        : newError(handle, call, tools);
    }
    if (handle.path.startsWith("Procedure.LOG.")) return UNDEFINED;
    switch (handle.path) {
      case "Procedure.getPreparedStatement":
      case "Procedure.getPreparedStatementReturnKeys": {
        const [connection, statement, ...rest] = call.arguments;
        if (connection?.kind !== "handle" || !statement) return undefined;
        const isKeys = handle.path.endsWith("Keys");
        const sql = isKeys ? withKeys(sqlOf(statement), tools) : sqlOf(statement);
        const parameters = (isKeys ? rest.slice(1) : rest).flatMap((each) =>
          spreadItems(each, tools),
        );
        return prepare(connection, sql, parameters, tools);
      }
      case "SQLStmt.getSQL":
        return sqlOf({ ...handle, path: "SQLStmt" });
      default:
        return undefined;
    }
  },
};

/** The text of a statement; of one of two where it was chosen. */
function sqlOf(value: Value): Value {
  if (value.kind === "choice") {
    const { condition, then, otherwise } = value;
    return { kind: "choice", condition, then: sqlOf(then), otherwise: sqlOf(otherwise) };
  }
  return value.kind === "handle" && value.path === "SQLStmt"
    ? dataOf(value)
    : unknown("a statement that is made elsewhere");
}

function dataOf({ data }: HandleValue): Value {
  // Only the constructor above makes such handles.
  return (data as { readonly sql: Value }).sql;
}

/** `??` stands for as many placeholders as the argument at its place says; the last one goes on. */
function withLists([sql, ...sizes]: readonly Value[]): Value {
  if (sql?.kind !== "text" || sizes.length === 0) return sql ?? unknown("a statement without a text"); // prettier-ignore
  const counts = sizes.map((size) => constantScalar(size));
  let next = 0;
  const parts = sql.parts.flatMap((part): readonly TextPart[] => {
    if (part.kind !== "run" || !part.run.text.includes("??")) return [part];
    const { text, start } = part.run;
    return text.split(/(\?\?)/u).reduce<TextPart[]>((made, piece, at, pieces) => {
      const from = start < 0 ? -1 : start + pieces.slice(0, at).join("").length;
      const count = piece === "??" ? counts[Math.min(next++, counts.length - 1)] : undefined;
      const filled =
        piece === "??"
          ? Array(Number(count ?? 1))
              .fill("?")
              .join(",")
          : piece;
      return [...made, { ...part, run: { text: filled, start: from, length: piece.length } }];
    }, []);
  });
  return { kind: "text", parts };
}
