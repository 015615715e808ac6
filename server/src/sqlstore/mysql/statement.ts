import type { Dialect } from "../../program/dialect";
import type { ParsedStatement } from "../pg/statement";
import { unsupported } from "../sqlError";
export function mysqlStatements(_sql: string, dialect: Dialect): readonly ParsedStatement[] {
  throw unsupported(`the dialect ${dialect}`);
}
