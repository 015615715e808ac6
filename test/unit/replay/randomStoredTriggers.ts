// Small random schemas with triggers of MySQL, and statements that fire them, in a script or in a procedure that goes on behind
// errors: what MariaDB leaves in its tables, and what the store does with what the front end makes of it.
import { literal } from "../../../server/src/replay/literal";
import type { LiveSession } from "../../../server/src/replay/servers/liveSession";
import type { Row } from "../../../server/src/protocol/witness";
import type { Choose } from "../analysis/productsHarness";
import { inStore, ROWS, stateText, type TriggerComparison } from "./randomTriggers";

const TABLES: readonly (readonly [name: string, sql: string])[] = [
  ["t", "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, n int) ENGINE=InnoDB"],
  ["u", "CREATE TABLE u (id int PRIMARY KEY, v int, n int) ENGINE=InnoDB"],
  ["log", "CREATE TABLE log (what varchar(20), a int, b int) ENGINE=InnoDB"],
  [
    "counter",
    "CREATE TABLE counter (name varchar(20) PRIMARY KEY, total int NOT NULL) ENGINE=InnoDB",
  ],
];

export interface StoredTriggerProgram {
  readonly triggers: readonly string[];
  readonly statements: readonly string[];
  /** The statements stand in a procedure whose handler goes on. */
  readonly goesOn: boolean;
}

type List = readonly [string, ...string[]];

/** One to three triggers and up to three statements. */
export function randomStoredTriggers(choose: Choose): StoredTriggerProgram {
  const triggers: string[] = [];
  for (let left = choose([1, 1, 2, 2, 3]); left > 0; left -= 1)
    triggers.push(trigger(choose, `g${String(triggers.length + 1)}`, triggers));
  const fires = (sql: string): boolean =>
    triggers.some((each) => each.includes(` ON ${/\b(t|u|log)\b/.exec(sql)?.[1] ?? ""} `));
  const statements: string[] = [];
  for (let left = choose([1, 1, 2, 2, 3]); left > 0; left -= 1) {
    const first = change(choose);
    // Tables without triggers are tried less often.
    statements.push(fires(first) ? first : change(choose));
  }
  return { triggers, statements, goesOn: choose([false, false, true]) };
}

function trigger(choose: Choose, name: string, others: readonly string[]): string {
  const table = choose(["t", "t", "t", "u", "log"]);
  const timing = choose(["BEFORE", "AFTER"]);
  const event = choose(["INSERT", "UPDATE", "UPDATE", "DELETE"]);
  const moment = `${timing} ${event} ON ${table} FOR EACH ROW`;
  const same = others.filter((each) => each.includes(moment));
  const [beside] = same.flatMap((each) => /TRIGGER (\w+)/.exec(each)?.[1] ?? []);
  const order =
    beside === undefined ? "" : choose(["", `FOLLOWS ${beside} `, `PRECEDES ${beside} `]);
  const lines = [rowLine(choose, table, timing, event)];
  if (choose([false, false, true])) lines.push(rowLine(choose, table, timing, event));
  const isBare = lines.length === 1 && choose([false, true]) && !/\bk\b|;./.test(lines.join());
  const body = isBare
    ? (lines[0]?.replace(/;$/, "") ?? "")
    : `BEGIN DECLARE k int; ${lines.join(" ")} END`;
  return `CREATE TRIGGER ${name} ${moment} ${order}${body}`;
}

function rowLine(choose: Choose, table: string, timing: string, event: string): string {
  const row = event === "DELETE" ? "OLD" : event === "INSERT" ? "NEW" : choose(["NEW", "OLD"]);
  const [key, value] = table === "log" ? [`${row}.a`, `${row}.b`] : [`${row}.id`, `${row}.v`];
  const line = (): string => {
    if (timing === "AFTER" || event === "DELETE" || choose([false, false, true]))
      return effect(choose, table, key, value);
    const mine = table === "log" ? "b" : "n";
    const other = table === "log" ? "a" : "v";
    const changes: List = [
      `SET NEW.${mine} = coalesce(NEW.${mine}, 0) + 1;`,
      `SET NEW.${mine} = NEW.${other} * 2;`,
      `SET NEW.${other} = NEW.${other} + 5, NEW.${mine} = NEW.${other};`,
      ...(event === "UPDATE"
        ? [`SET NEW.${mine} = OLD.${other};`, `SET NEW.${other} = OLD.${other} + 1;`]
        : []),
      `SELECT v INTO k FROM u WHERE id = ${key}; SET NEW.${mine} = k;`,
      `SET NEW.${mine} = (SELECT total FROM counter WHERE name = 't');`,
      `IF NEW.${other} IS NULL THEN SET NEW.${other} = 3; END IF;`,
      `SET new.${mine.toUpperCase()} = New.${other} + 1;`,
    ];
    return choose(changes);
  };
  const tests: List = [
    `${value} > 15`,
    `${key} = 2`,
    `${value} IS NULL`,
    ...(event === "UPDATE" && table !== "log" ? ["NEW.v <> OLD.v", "NOT NEW.n <=> OLD.n"] : []),
    `EXISTS (SELECT 1 FROM u WHERE id = ${key})`,
  ];
  switch (choose(["plain", "plain", "plain", "if", "if", "raise", "handled"])) {
    case "if":
      return `IF ${choose(tests)} THEN ${line()} ELSE ${line()} END IF;`;
    case "raise":
      return `IF ${choose(tests)} THEN SIGNAL SQLSTATE '45000'; END IF; ${line()}`;
    case "handled":
      return `BEGIN DECLARE CONTINUE HANDLER FOR SQLSTATE '23000' INSERT INTO counter VALUES ('dup', 1) ON DUPLICATE KEY UPDATE total = total + 1; INSERT INTO counter VALUES ('u', 3); END;`;
    default:
      return line();
  }
}

/** A change of another table. */
function effect(choose: Choose, table: string, key: string, value: string): string {
  const logs: List = [
    `INSERT INTO log (what, a, b) VALUES ('x', ${key}, ${value});`,
    `INSERT INTO log SELECT '${table}', id, ${value} FROM u WHERE id >= ${key};`,
    `INSERT INTO log VALUES ('c', (SELECT total FROM counter WHERE name = 't'), ${value});`,
  ];
  const others: List = [
    `UPDATE counter SET total = total + 1 WHERE name = '${table}';`,
    `UPDATE counter SET total = total + coalesce(${value}, 1) WHERE name = 't';`,
    `INSERT INTO counter VALUES ('${table}', 1) ON DUPLICATE KEY UPDATE total = total + 1;`,
    `SELECT count(*) INTO k FROM t WHERE v > 10; UPDATE counter SET total = total + k WHERE name = 'u';`,
  ];
  const chained: List = [
    `UPDATE u SET n = coalesce(n, 0) + 1 WHERE id = ${key};`,
    `UPDATE u SET v = coalesce(v, 0) + 1;`,
    `DELETE FROM u WHERE id = ${key};`,
    `INSERT IGNORE INTO u VALUES (${key} + 10, ${value}, 1);`,
  ];
  const all = [
    ...(table === "log" ? [] : [...logs, ...logs]),
    ...others,
    ...(table === "t" ? chained : []),
  ];
  const [first = "", ...rest] = all;
  return choose([first, ...rest]);
}

function change(choose: Choose): string {
  return choose([
    "INSERT INTO t VALUES (4, 12, NULL)",
    "INSERT INTO t (v, id) VALUES (40, 4), (50, 5)",
    "INSERT INTO t (id, v) VALUES (2, 3)",
    "INSERT INTO t (id, v, n) SELECT id + 10, coalesce(v, 0), n FROM u",
    "INSERT IGNORE INTO t VALUES (2, 99, 1)",
    "INSERT IGNORE INTO t VALUES (6, 60, 6)",
    "INSERT INTO t VALUES (2, 99, 1) ON DUPLICATE KEY UPDATE v = v + VALUES(v)",
    "INSERT INTO t VALUES (7, 70, 7) ON DUPLICATE KEY UPDATE v = v + VALUES(v)",
    "REPLACE INTO t VALUES (2, 5, 5)",
    "UPDATE t SET v = v + 1 WHERE id = 2",
    "UPDATE t SET n = 4 WHERE id = 1",
    "UPDATE t SET v = v * 2 WHERE v >= 20",
    "UPDATE t SET n = v, v = coalesce(n, 1)",
    "UPDATE t SET id = 9 WHERE id = 3",
    "UPDATE t SET v = (SELECT coalesce(max(n), 0) FROM u) WHERE id = 1",
    "UPDATE t SET v = 0 WHERE id = 77",
    "DELETE FROM t WHERE id = 2",
    "DELETE FROM t WHERE v > 10",
    "UPDATE u SET n = n + 1 WHERE id = 2",
    "UPDATE u SET v = 8",
    "INSERT INTO u VALUES (3, 3, 3)",
    "DELETE FROM u WHERE id = 1",
    "INSERT INTO log VALUES ('x', 1, 2)",
    "UPDATE log SET b = 5",
  ]);
}

const procedure = ({ statements }: StoredTriggerProgram): string =>
  `CREATE PROCEDURE change_all() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; START TRANSACTION; ${statements.join("; ")}; COMMIT; END`;

/** The program as a file. */
export function storedTriggersText(program: StoredTriggerProgram): string {
  const { triggers, statements, goesOn } = program;
  const tables = TABLES.map(([, sql]) => `${sql};`).join("\n");
  const routines = [...triggers, ...(goesOn ? [procedure(program)] : [])];
  const stored = `DELIMITER //\n${routines.map((each) => `${each} //`).join("\n")}\nDELIMITER ;\n`;
  const script = `-- @transaction change\nBEGIN;\n${statements.join(";\n")};\nCOMMIT;\n`;
  return `${tables}\n${stored}${goesOn ? "" : script}`;
}

/** Runs the program on the server, whose tables are gone afterwards, and in the store. */
export async function compareStoredTriggers(
  session: LiveSession,
  program: StoredTriggerProgram,
): Promise<TriggerComparison> {
  const { reasons, state } = await inStore(storedTriggersText(program), "mariadb");
  const server = await onServer(session, program);
  if (reasons.length > 0) return { kind: "open", server, store: reasons.join("; ") };
  return { kind: state === server ? "same" : "different", server, store: state };
}

async function onServer(session: LiveSession, program: StoredTriggerProgram): Promise<string> {
  const must = async (sql: string): Promise<readonly Row[]> => {
    const result = await session.execute(sql);
    if (!result.ok) throw new Error(`${result.message} in ${sql}`);
    return result.rows;
  };
  for (const [, sql] of TABLES) await must(sql);
  for (const [name, rows] of Object.entries(ROWS))
    for (const row of rows)
      await must(`INSERT INTO ${name} VALUES (${Object.values(row).map(literal).join(", ")})`);
  for (const sql of program.triggers) await must(sql);
  if (program.goesOn) {
    await must(procedure(program));
    await session.execute("CALL change_all()");
    await must("DROP PROCEDURE change_all");
  } else {
    await must("BEGIN");
    let failed = false;
    for (const sql of program.statements) {
      failed = !(await session.execute(sql)).ok;
      if (failed) break;
    }
    await must(failed ? "ROLLBACK" : "COMMIT");
  }
  const final = new Map<string, readonly Row[]>();
  for (const [name] of TABLES) final.set(name, await must(`SELECT * FROM ${name}`));
  await must(`DROP TABLE ${TABLES.map(([name]) => name).join(", ")}`);
  return stateText(Object.fromEntries(final));
}
