// Anomalies on a real MariaDB, where it is installed: each program is checked, and what is found is made to happen there.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findLevel,
  snapshotAtBegin,
  type ProductLevel,
} from "../../../server/src/isolation/levels";
import { serverFor } from "../../support/liveServers";
import { sql } from "../truth/analyse";
import { checkNothingLeft, replayAll, verdictsOf } from "./replayCases";

const ACCOUNT =
  "CREATE TABLE `account` (id INT PRIMARY KEY, balance INT NOT NULL) ENGINE=InnoDB;\n";

const CASES: readonly {
  readonly name: string;
  readonly text: string;
  readonly expected: RegExp;
}[] = [
  {
    name: "a function",
    text: `${ACCOUNT}DELIMITER $$
CREATE FUNCTION take(who INT) RETURNS INT MODIFIES SQL DATA
BEGIN
  DECLARE b INT;
  SELECT balance INTO b FROM account WHERE id = who;
  IF b IS NULL THEN RETURN -1; END IF;
  UPDATE account SET balance = b - 1 WHERE id = who;
  RETURN b;
END$$
DELIMITER ;`,
    expected: /^[a-z-]+: reproduced$/,
  },
  {
    name: "a procedure with its own transaction and an OUT parameter",
    text: `${ACCOUNT}DELIMITER $$
CREATE PROCEDURE take(IN who INT, OUT was INT)
BEGIN
  DECLARE b INT;
  START TRANSACTION;
  SELECT balance INTO b FROM account WHERE id = who;
  UPDATE account SET balance = b - 1 WHERE id = who;
  SET was = b;
  COMMIT;
END$$
DELIMITER ;`,
    expected: /^[a-z-]+: reproduced$/,
  },
  {
    name: "a script with variables of the session",
    text: `${ACCOUNT}-- @transaction Take
START TRANSACTION;
SELECT balance INTO @b FROM account WHERE id = @who;
SET @next = @b - 1;
UPDATE account SET balance = @next WHERE id = @who;
COMMIT;`,
    expected: /^[a-z-]+: reproduced$/,
  },
  {
    name: "a snapshot of BEGIN, which a lock waits behind",
    text: `${ACCOUNT}-- @transaction Take
START TRANSACTION WITH CONSISTENT SNAPSHOT;
SELECT balance FROM account WHERE id = 1 FOR UPDATE;
SELECT sum(balance) FROM account;
UPDATE account SET balance = balance + 1 WHERE id = 1;
COMMIT;`,
    expected: /^[a-z-]+: reproduced$/,
  },
];

/** The program is checked at REPEATABLE READ; BEGIN may say more. */
function levelOf(text: string): ProductLevel {
  const level = findLevel("mariadb:repeatable-read");
  assert.ok(level);
  const own = text.includes("CONSISTENT SNAPSHOT") ? snapshotAtBegin(level) : level;
  assert.ok(own.family === "product");
  return own;
}

test("anomalies on MariaDB", async (context) => {
  const temporary = await serverFor("mariadb", context);
  if (!temporary) return;
  try {
    for (const { name, text, expected } of CASES) {
      const replayed = await replayAll(temporary.server, [sql(text)], "mariadb:repeatable-read", {
        dialect: "mariadb",
        levelOf: () => levelOf(text),
      });
      assert.notEqual(replayed.length, 0, `${name}: nothing was found`);
      for (const verdict of verdictsOf(replayed)) assert.match(verdict, expected, name);
    }
    await checkNothingLeft(temporary.server);
  } finally {
    await temporary.stop();
  }
});
