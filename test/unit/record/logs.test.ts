// Servers' own logs as recordings: each test gives lines as servers write them and the statements that come of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readLog } from "../../../server/src/record/log/log";

/** Statements in short: connection, text, arguments, error, status behind it. */
function told(log: string): readonly string[] {
  const read = readLog(log);
  if ("reason" in read) return [read.reason];
  return read.events.map(({ connection, sql, arguments: given, error, status }) =>
    [
      String(connection),
      sql,
      given.length > 0 ? `(${given.map(String).join(", ")})` : "",
      error ?? "",
      status,
    ]
      .filter((part) => part !== "")
      .join(" "),
  );
}

const EXPECTED = [
  "1 BEGIN open",
  "2 SELECT 'it''s, \"so\"'\n  AS one idle",
  "1 UPDATE account SET balance = $1, owner = $2 WHERE id = $3 (70, O'Hara, 1) 40001 failed",
  "1 ROLLBACK idle",
  "2 SELEC 42601 idle",
];

const line = (session: string, severity: string, code: string, rest: string): string =>
  `2024-05-01 10:00:00.123 UTC,"app","shop",12,"127.0.0.1:5",${session},3,"idle",2024-05-01 10:00:00 UTC,3/4,0,${severity},${code},${rest},"client backend",,0`;

test("csvlog", () => {
  const log = [
    line("a.1", "LOG", "00000", '"statement: BEGIN",,,,,,,,,"psql"'),
    line("a.2", "LOG", "00000", '"statement: SELECT \'it\'\'s, ""so""\'\n  AS one",,,,,,,,,"psql"'),
    line(
      "a.1",
      "LOG",
      "00000",
      "\"execute s_1: UPDATE account SET balance = $1, owner = $2 WHERE id = $3\",\"parameters: $1 = '70', $2 = 'O''Hara', $3 = '1'\",,,,,,,,\"psql\"",
    ),
    line(
      "a.1",
      "ERROR",
      "40001",
      '"could not serialize access",,,,,,"UPDATE account SET balance = $1, owner = $2 WHERE id = $3",,,"psql"',
    ),
    line("a.1", "LOG", "00000", '"statement: ROLLBACK",,,,,,,,,"psql"'),
    line("a.2", "ERROR", "42601", '"syntax error",,,,,,"SELEC",1,,"psql"'),
  ].join("\n");
  assert.deepEqual(told(`${log}\n`), EXPECTED);
});

test("jsonlog", () => {
  const line = (entry: Readonly<Record<string, string>>): string => JSON.stringify(entry);
  const log = [
    { session_id: "a.1", error_severity: "LOG", message: "statement: BEGIN" },
    {
      session_id: "a.2",
      error_severity: "LOG",
      message: "statement: SELECT 'it''s, \"so\"'\n  AS one",
    },
    {
      session_id: "a.1",
      error_severity: "LOG",
      message:
        "duration: 0.1 ms  execute <unnamed>: UPDATE account SET balance = $1, owner = $2 WHERE id = $3",
      detail: "Parameters: $1 = '70', $2 = 'O''Hara', $3 = '1'",
    },
    { session_id: "a.1", error_severity: "ERROR", state_code: "40001", message: "could not" },
    { session_id: "a.1", error_severity: "LOG", message: "statement: ROLLBACK" },
    { session_id: "a.2", error_severity: "ERROR", state_code: "42601", statement: "SELEC" },
  ].map(line);
  assert.deepEqual(told([...log, '{"session_id": "cut'].join("\n")), EXPECTED);
});

test("stderr with a prefix", () => {
  const log = `2024-05-01 10:00:00.1 UTC [11] app@shop LOG:  statement: BEGIN
2024-05-01 10:00:00.1 UTC [12] app@shop LOG:  statement: SELECT 'it''s, "so"'
	  AS one
2024-05-01 10:00:00.1 UTC [11] app@shop LOG:  execute <unnamed>: UPDATE account SET balance = $1, owner = $2 WHERE id = $3
2024-05-01 10:00:00.1 UTC [11] app@shop DETAIL:  parameters: $1 = '70', $2 = 'O''Hara', $3 = '1'
2024-05-01 10:00:00.1 UTC [11] app@shop LOG:  duration: 0.2 ms
2024-05-01 10:00:00.1 UTC [11] app@shop ERROR:  could not serialize access due to concurrent update
2024-05-01 10:00:00.1 UTC [11] app@shop STATEMENT:  UPDATE account SET balance = $1, owner = $2 WHERE id = $3
2024-05-01 10:00:00.1 UTC [11] app@shop LOG:  statement: ROLLBACK
2024-05-01 10:00:00.1 UTC [1] LOG:  checkpoint starting: time`;
  assert.deepEqual(told(log), EXPECTED.slice(0, 4));
  const read = readLog("LOG:  statement: SELECT 1\n");
  assert.match("remarks" in read ? read.remarks.join() : "", /names no process/);
});

test("MySQL's and MariaDB's general log", () => {
  const log = `/usr/sbin/mariadbd, Version: 10.11.6-MariaDB. started with:
Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock
Time		    Id Command	Argument
240501 10:00:00	     3 Connect	app@localhost on shop using TCP/IP
		     3 Query	SET autocommit=0
		     3 Query	SELECT balance
FROM account
		     4 Query	SELECT 1
		     3 Prepare	UPDATE account SET balance = ? WHERE id = ?
		     3 Execute	UPDATE account SET balance = 70 WHERE id = 1
240501 10:00:01	     3 Query	COMMIT
2024-05-01T10:00:02.000000Z	    3 Quit	`;
  assert.deepEqual(told(log), [
    "1 SET autocommit=0 idle",
    "1 SELECT balance\nFROM account open",
    "2 SELECT 1 idle",
    "1 UPDATE account SET balance = 70 WHERE id = 1 open",
    "1 COMMIT idle",
  ]);
  assert.match(told("nothing of the kind").join(), /no log of PostgreSQL/);
});

/** A transaction as each form writes it, with a text of two lines in it. */
const SENT = ["BEGIN", "SELECT 'a\u2028b'\n  AS one", "COMMIT"];
const CSV = SENT.map((sql) => line("a.1", "LOG", "00000", `"statement: ${sql}",,,,,,,,,"psql"`));
const FORMS = {
  csvlog: CSV,
  jsonlog: SENT.map((sql) =>
    JSON.stringify({ session_id: "a", error_severity: "LOG", message: `statement: ${sql}` }),
  ),
  stderr: SENT.map(
    (sql) =>
      `2024-05-01 10:00:00.1 UTC [11] app@shop LOG:  statement: ${sql.replaceAll("\n", "\n\t")}`,
  ),
  "the general log": SENT.map((sql) => `2024-05-01T10:00:02.000000Z\t    3 Query\t${sql}`),
};

test("lines as Windows ends them, behind names of containers, and behind the rest of a record", () => {
  const expected = ["1 BEGIN open", `1 ${SENT[1] ?? ""} open`, "1 COMMIT idle"];
  for (const [name, records] of Object.entries(FORMS)) {
    const log = records.join("\n");
    const rest = `${"rest\n".repeat(80)}of "a ""record"",,,,\n`;
    const prefixed = log.replaceAll(/^/gm, "db-1  | ");
    for (const written of [log, `${log}\n`, log.replaceAll("\n", "\r\n"), prefixed, rest + log])
      assert.deepEqual(told(written), expected, `${name}\n${written}`);
  }
});

test("a record that is cut is passed over, which is said", () => {
  const [begin = "", select = "", commit = ""] = CSV;
  const quote = select.indexOf("SELECT");
  for (const cut of [10, 40, quote - 20, quote, quote + 3])
    for (const [log, expected] of [
      [
        [begin, select.slice(0, cut), commit],
        ["1 BEGIN open", "1 COMMIT idle"],
      ],
      [[begin, select.slice(0, cut)], ["1 BEGIN open"]],
    ] as const) {
      const read = readLog(log.join("\n"));
      assert.deepEqual(told(log.join("\n")), expected, String(cut));
      assert.match("remarks" in read ? read.remarks.join() : "", /^1 line of the log is cut off/);
    }
});

test("MySQL: a connection that is handed on begins anew", () => {
  const ask = (command: string, text = ""): string => `\t\t     3 ${command}\t${text}`;
  const log = [
    ask("Query", "SET autocommit=0"),
    ask("Query", "SELECT 1 FROM t"),
    ask("Reset Connection"),
    ask("Query", "SELECT 2 FROM t"),
    ask("Query", "BEGIN"),
    ask("Change user", "app@localhost on shop using Socket"),
    ask("Query", "SELECT 3 FROM t"),
  ];
  assert.deepEqual(told(log.join("\n")), [
    "1 SET autocommit=0 idle",
    "1 SELECT 1 FROM t open",
    "2 SELECT 2 FROM t idle",
    "2 BEGIN open",
    "3 SELECT 3 FROM t idle",
  ]);
});

test("stderr: another session with the process number of one that has ended is another one", () => {
  const begun = (text: string): string => `2024-05-01 10:00:00 UTC [12] LOG:  ${text}`;
  assert.deepEqual(
    told(
      [
        begun("connection received: host=[local]"),
        begun("statement: BEGIN"),
        begun("disconnection: session time: 0:00:01 user=app database=shop host=[local]"),
        begun("connection received: host=[local]"),
        begun("statement: SELECT 1"),
      ].join("\n"),
    ),
    ["1 BEGIN open", "2 SELECT 1 idle"],
  );
  const numbered = (session: string, text: string): string => `${session} [12] LOG:  ${text}`;
  assert.deepEqual(
    told(
      [
        numbered("1714557600.123 6632137e.c", "statement: BEGIN"),
        numbered("1714557600.124 6632137e.c", "statement: SELECT 1"),
        numbered("1714557600.125 66321399.c", "statement: SELECT 1"),
      ].join("\n"),
    ),
    ["1 BEGIN open", "1 SELECT 1 open", "2 SELECT 1 idle"],
  );
});
