// Keys that are guessed for tables that nobody declares, as PostgreSQL's parser reads their statements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { programOf } from "./program";

const LOOK = "SELECT v FROM t WHERE a = 1;";
const INSERT = "INSERT INTO t (a, v) VALUES (1, 1)";

/** The keys of the only table, and what its note says of them. */
async function keysOf(text: string): Promise<string> {
  const { schema, notes } = programOf(
    { "a.sql": `-- @transaction x\n${text}` },
    { pg: await loadPgParser() },
  );
  const keys = schema.tables.flatMap(({ primaryKey, uniqueKeys }) =>
    [primaryKey, ...uniqueKeys.map(({ columns }) => columns)].map((key) => key.join()),
  );
  const note = notes.find(({ code }) => code === "unknown-table");
  return [...keys, ...(/nothing says .*(?=\.$)/u.exec(note?.message ?? "") ?? [])].join("; ");
}

test("ON CONFLICT names a key, unless with a condition that may be that of a partial one", async () => {
  const within = (conflict: string): Promise<string> =>
    keysOf(`BEGIN; ${LOOK} ${INSERT} ON CONFLICT ${conflict}; COMMIT;`);
  assert.equal(await within("(a) DO UPDATE SET v = 2"), "a");
  assert.equal(await within("DO NOTHING"), "a");
  assert.equal(await within("(v) DO NOTHING"), "v; nothing says whether a is unique");
  assert.equal(await within("(a) WHERE v > 0 DO NOTHING"), "; nothing says whether a is unique");
  const unnamed = INSERT.replace("(a, v) ", "");
  assert.equal(await keysOf(`BEGIN; ${unnamed} ON CONFLICT (a) DO NOTHING; COMMIT;`), "");
  const named = `BEGIN; ${LOOK} ${INSERT.replace("(a,", "(id, a,").replace("(1", "(1, 1")}`;
  assert.equal(await keysOf(`${named}; COMMIT;`), "id; nothing says whether a is unique");
  assert.equal(await keysOf(`${named} ON CONFLICT (a) DO NOTHING; COMMIT;`), "id; a");
});

test("a handler of the violation of a key knows of the key", async () => {
  const handled = (error: string): Promise<string> =>
    keysOf(`DO $$ DECLARE x int; BEGIN SELECT v INTO x FROM t WHERE a = 1; BEGIN ${INSERT};
EXCEPTION WHEN ${error} THEN NULL; END; END $$;`);
  assert.equal(await handled("unique_violation"), "a");
  assert.equal(await handled("deadlock_detected"), "; nothing says whether a is unique");
});

test("an insertion without column names fills columns that nobody knows", async () => {
  const pg = await loadPgParser();
  for (const begin of ["BEGIN", "-- mysql://\nSTART TRANSACTION"])
    for (const rows of ["VALUES (1, 2)", "SELECT 1, 2"]) {
      const name = begin === "BEGIN" ? "t" : "`t`";
      const text = `${begin}; SELECT v FROM ${name} WHERE a = 1; INSERT INTO ${name} ${rows}; COMMIT;`;
      const reasons: string[] = [];
      for (const { body } of programOf({ "a.sql": text }, { pg }).transactions)
        walkCommand(body, {
          statement: ({ taint }) => reasons.push(...taint.map(({ reason }) => reason)),
        });
      assert.deepEqual(reasons, ["the columns of t are not known"], rows);
    }
});
