// Triggers of MySQL and MariaDB are part of the statements that fire them; what nobody follows is a loss of these statements alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Program } from "../../../../server/src/program/program";
import type { FileId } from "../../../../server/src/protocol/source";
import { statementsOf } from "../../../../server/src/service/statements";

const TABLES = `CREATE TABLE acc (id int PRIMARY KEY, v int NOT NULL) ENGINE=InnoDB;
CREATE TABLE other (id int PRIMARY KEY, v int NOT NULL) ENGINE=InnoDB;
`;

async function read(files: readonly (readonly [name: string, text: string])[]): Promise<Program> {
  const pg = await loadPgParser();
  return readProgram(
    files.map(([file, text]) => ({ file: file as FileId, text })),
    { pg },
    { dialect: "mariadb" },
  );
}

function stored(...definitions: readonly string[]): string {
  return `DELIMITER //\n${definitions.map((each) => `${each} //\n`).join("")}DELIMITER ;\n`;
}

const calling = (dml: string): string => stored(`CREATE PROCEDURE p() BEGIN ${dml}; END`);

interface Told {
  readonly losses: readonly string[];
  readonly statements: readonly string[];
}

function told({ transactions }: Program): Told {
  const all = transactions.flatMap(({ body }) => statementsOf(body));
  const own = transactions.flatMap(({ taint }) => taint);
  return {
    losses: [...own, ...all.flatMap(({ taint }) => taint)].map(({ reason }) => reason),
    statements: all.map(({ text }) => text),
  };
}

async function fired(dml: string, ...triggers: readonly string[]): Promise<Told> {
  return told(await read([["a.sql", TABLES + stored(...triggers) + calling(dml)]]));
}

test("what a trigger does is part of the statement that fires it, in the order of the server", async () => {
  const bounded =
    "CREATE TRIGGER bounded BEFORE UPDATE ON acc FOR EACH ROW BEGIN IF NEW.V < 0 THEN SIGNAL SQLSTATE '45000'; END IF; END";
  const noted =
    "CREATE TRIGGER noted AFTER INSERT ON `acc` FOR EACH ROW INSERT INTO other VALUES (NEW.id, 1)";
  const first =
    "CREATE TRIGGER a AFTER INSERT ON acc FOR EACH ROW PRECEDES noted DELETE FROM other WHERE id = NEW.id";
  const update = "UPDATE acc SET v = v - 1 WHERE id = 1";
  assert.deepEqual(await fired(update, bounded), { losses: [], statements: [update, update] });
  assert.deepEqual(await fired("INSERT INTO acc VALUES (1, 1)", bounded, noted, first), {
    losses: [],
    statements: [
      "INSERT INTO acc VALUES (1, 1)",
      "DELETE FROM other WHERE id = NEW.id",
      "INSERT INTO other VALUES (NEW.id, 1)",
    ],
  });
  for (const dml of ["DELETE FROM acc WHERE id = 1", "UPDATE other SET v = 1 WHERE id = 1"])
    assert.deepEqual(await fired(dml, bounded, noted), { losses: [], statements: [dml] });
});

test("what is not followed of a trigger is a loss of the statements that fire it", async () => {
  const update = "UPDATE acc SET v = 1 WHERE id = 1";
  const on = (body: string): string =>
    `CREATE TRIGGER g BEFORE UPDATE ON acc FOR EACH ROW BEGIN ${body} END`;
  for (const [body, reason] of [
    ["SET NEW.v = @x;", /the value of @x, which its session has/],
    ["SET NEW.v = last_insert_id();", /what the session says of its last statement/],
    ["UPDATE acc SET v = 2 WHERE id = 2;", /changes acc, which its own statement uses/],
    ["SET NEW.v = (SELECT v FROM other WHERE id = 1);", /locks what it reads/],
    [
      "DECLARE a, b INT; SELECT v INTO a FROM other WHERE id = 1; SELECT v INTO b FROM other WHERE id = 2;",
      /the read view that all plain reads of its triggers share/,
    ],
    ["COMMIT;", /begins or ends transactions/],
    ["SET NEW.v = (;", /cannot be read/],
  ] as const)
    assert.match((await fired(update, on(body))).losses.join("; "), reason, body);
  const replace = await fired(
    "REPLACE INTO acc VALUES (1, 1)",
    "CREATE TRIGGER g AFTER DELETE ON acc FOR EACH ROW INSERT INTO other VALUES (OLD.id, 1)",
  );
  assert.match(replace.losses.join(), /whether a REPLACE deletes a row/);
});

test("a trigger that is replaced, dropped, or goes with its table does not run", async () => {
  const of = (value: number): string =>
    stored(
      `CREATE OR REPLACE TRIGGER g BEFORE UPDATE ON acc FOR EACH ROW SET NEW.v = ${String(value)}`,
    );
  const update = calling("UPDATE acc SET v = 1 WHERE id = 1");
  const reads = async (...rest: readonly string[]): Promise<string> => {
    const program = await read([["a.sql", TABLES + of(5) + rest.join("") + update]]);
    const all = program.transactions.flatMap(({ body }) => statementsOf(body));
    return all
      .flatMap((each) => (each.kind === "update" ? each.set : []))
      .map(({ value }) => JSON.stringify(value.kind === "literal" ? value.value : value.kind))
      .join();
  };
  assert.equal(await reads(), "5");
  assert.equal(await reads(of(6)), "6");
  assert.equal(await reads("DROP TRIGGER IF EXISTS `g`;\n"), "1");
  assert.equal(await reads("DROP TABLE other, acc;\n", TABLES), "1");
  const two = await read([
    ["a.sql", TABLES + of(5)],
    ["b.sql", of(6) + update],
  ]);
  assert.match(told(two).losses.join(), /several files define it/);
});

test("an error of a trigger undoes its statement alone where a handler goes on", async () => {
  const program = await read([
    [
      "a.sql",
      TABLES +
        stored(
          "CREATE TRIGGER g AFTER UPDATE ON acc FOR EACH ROW SIGNAL SQLSTATE '45000'",
          "CREATE PROCEDURE p() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; UPDATE acc SET v = 1 WHERE id = 1; INSERT INTO other VALUES (1, 1); END",
        ),
    ],
  ]);
  const tries = JSON.stringify(program.transactions[0]?.body).match(/"kind":"try"/g) ?? [];
  assert.ok(tries.length >= 2, "one around the statement with its trigger, one of the handler");
});
