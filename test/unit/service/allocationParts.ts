// Small transactions over one table, of which programs are made whose allocations are tried one by one.
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { Program } from "../../../server/src/program/program";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { sql } from "../truth/analyse";

export const PARTS: Readonly<Record<string, string>> = {
  add: "SELECT v FROM t WHERE id = :id \\gset\nUPDATE t SET v = :v + 1 WHERE id = :id;",
  bump: "UPDATE t SET v = v + 1 WHERE id = :id;",
  look: "SELECT v FROM t WHERE id = 1;\nSELECT v FROM t WHERE id = 2;",
  both: "UPDATE t SET v = v + 1 WHERE id = 1;\nUPDATE t SET v = v + 1 WHERE id = 2;",
  skew: "SELECT v FROM t WHERE id = :id \\gset\nUPDATE t SET v = :v WHERE id = :other;",
  grow: "SELECT count(*) AS n FROM t WHERE v > 0 \\gset\nINSERT INTO t (id, v) VALUES (:id, :n);",
};

/** The program of these parts, each a transaction of its own. */
export async function programOf(names: readonly string[]): Promise<Program> {
  const scripts = names.map(
    (name) => `-- @transaction ${name}\nBEGIN;\n${ownEntry(PARTS, name) ?? ""}\nCOMMIT;\n`,
  );
  const table = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);";
  return readProgram([sql(`${table}\n${scripts.join("")}`)], { pg: await loadPgParser() });
}
