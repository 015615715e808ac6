// Bodies that are half typed, broken, deep or very many: nothing throws, places stay inside of the file, time is linear.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { parseBody } from "../../../../server/src/frontend/sql/mysql/parser";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { fixture } from "../pg/fixtures";
import { read, routines } from "./programs";

const FOLDER = path.join(__dirname, "fixtures");
const FILES = ["bank.sql", "handlers.sql", "loops.sql", "shapes.sql", "calls.sql"];

/** Reads the text as both dialects; everything that is said stands inside of it. */
function check(sql: string): void {
  const lines = sql.split(/\r\n|\r|\n/);
  for (const dialect of ["mysql", "mariadb"] as const) {
    const { transactions, notes } = read(sql, [], dialect);
    const sources = [...notes.map(({ source }) => source)];
    for (const { body, source, header } of transactions) {
      sources.push(source, header);
      walkCommand(body, { statement: (each) => sources.push(each.source) });
    }
    for (const { range } of sources) {
      for (const { line, character } of [range.start, range.end]) {
        const text = lines[line];
        assert.ok(text !== undefined && character <= text.length, `${line}:${character}\n${sql}`);
      }
    }
  }
}

test("a routine can be read at every step of typing it", () => {
  for (const file of FILES) {
    for (const { sql } of fixture(file, FOLDER)) {
      for (let end = 0; end < sql.length; end += 7) check(sql.slice(0, end));
    }
  }
});

test("a routine can be read with any word left out", () => {
  for (const file of FILES) {
    for (const { sql } of fixture(file, FOLDER)) {
      const words = sql.split(/(?<=\s)/);
      for (let at = 0; at < words.length; at += 4) check(words.toSpliced(at, 1).join(""));
    }
  }
});

test("words in any order are read", () => {
  const words = fc.constantFrom(
    ..."BEGIN END ; IF THEN ELSE ELSEIF CASE WHEN LOOP WHILE DO REPEAT UNTIL DECLARE HANDLER FOR".split(
      " ",
    ),
    ..."CONTINUE EXIT NOT FOUND SQLEXCEPTION CURSOR OPEN FETCH INTO CLOSE SET = @x x , ( ) : 1 'a'".split(
      " ",
    ),
    ..."SELECT FROM accounts WHERE UPDATE LEAVE ITERATE RETURN CALL SIGNAL COMMIT ROLLBACK START".split(
      " ",
    ),
    ...'TRANSACTION PREPARE EXECUTE USING IN OUT . .. ` " -- # /*'.split(" "),
  );
  const texts = fc.array(words, { maxLength: 40 }).map((parts) => parts.join(" "));
  const property = fc.property(texts, (text) => {
    check(`CREATE PROCEDURE p(a INT)\nBEGIN ${text}`);
  });
  fc.assert(property, { numRuns: 400, seed: 7 });
});

test("a body goes on behind a broken statement", async () => {
  const { transactions, notes } = await routines(
    `CREATE PROCEDURE p(a INT)
    BEGIN
      SET = 3;
      UPDATE accounts SET balance = 1 WHERE id = a;
      IF a > 1
        UPDATE accounts SET balance = 2 WHERE id = a;
      END IF;
      UPDATE accounts SET balance = 3 WHERE id = a;
    END`,
  );
  assert.deepEqual(
    notes.map(({ source, message }) => `${source.range.start.line} ${message}`).slice(0, 2),
    ["2 Here a variable is expected here.", "5 Here THEN is expected here."],
  );
  let updates = 0;
  for (const { body } of transactions) walkCommand(body, { statement: () => updates++ });
  assert.ok(updates >= 2);
  assert.equal(transactions[0]?.taint[0]?.effect, "opaque");
});

test("blocks, branches and loops that are nested in each other are read", () => {
  const shapes: readonly (readonly [string, string])[] = [
    ["BEGIN ", " END;"],
    ["IF a > 1 THEN ", " END IF;"],
    ["CASE a WHEN 1 THEN ", " END CASE;"],
    ["LOOP ", " END LOOP;"],
    ["WHILE a > 1 DO ", " END WHILE;"],
    ["REPEAT ", " UNTIL a > 1 END REPEAT;"],
    ["BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION UPDATE t SET x = 1; ", " END;"],
    ["BEGIN DECLARE EXIT HANDLER FOR NOT FOUND BEGIN END; ", " END;"],
    ["START TRANSACTION; ", " COMMIT;"],
  ];
  for (let number = 0; number < 500; number++) {
    const depth = 1 + (number % 24);
    const chosen = Array.from({ length: depth }, (_, at) => shapes[(number * 7 + at * 5) % 9]);
    const body = chosen.reduceRight(
      (inner, shape) => `${shape?.[0] ?? ""}${inner}${shape?.[1] ?? ""}`,
      "INSERT INTO t (x) VALUES (a); SELECT x INTO a FROM t WHERE x = a;",
    );
    check(`CREATE PROCEDURE p${number}(a INT) BEGIN ${body} END`);
  }
});

test("very deep nesting is cut off", () => {
  for (const [open, close] of [
    ["BEGIN ", " END;"],
    ["IF a > 1 THEN ", " END IF;"],
    ["WHILE a > 1 DO ", " END WHILE;"],
    ["BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION ", " END;"],
  ] as const) {
    check(`CREATE PROCEDURE p(a INT) BEGIN ${open.repeat(3000)}${close.repeat(3000)} END`);
  }
  const branches = "ELSEIF a > 1 THEN SET a = 2; ".repeat(3000);
  check(`CREATE PROCEDURE p(a INT) BEGIN IF a > 0 THEN SET a = 1; ${branches} END IF; END`);
});

test("a dump with 2,000 routines is read", () => {
  const routine = (number: number): string =>
    `CREATE DEFINER=\`root\`@\`%\` PROCEDURE \`p${number}\`(IN a INT, OUT b INT)
BEGIN
  DECLARE done INT DEFAULT 0;
  DECLARE v INT;
  DECLARE c CURSOR FOR SELECT x FROM t WHERE y = a;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK;
  START TRANSACTION;
  OPEN c;
  l: LOOP
    FETCH c INTO v;
    IF done THEN LEAVE l; END IF;
    UPDATE t SET x = v + ${number} WHERE y = v;
    ${number % 4 === 0 ? `CALL p${(number + 1) % 2000}(v, @r);` : ""}
  END LOOP;
  COMMIT;
END ;;`;
  const all = Array.from({ length: 2000 }, (_, number) => routine(number)).join("\n");
  const { transactions } = read(`DELIMITER ;;\n${all}\nDELIMITER ;\n`, [], "mysql");
  assert.equal(transactions.length, 2000);
});

test("statements keep their places behind quotes, comments and letters of other alphabets", async () => {
  const sql = `CREATE PROCEDURE p(a INT) /* é */
BEGIN -- it's
  # don't
  SET @x = 'it''s; \\'ok\\' "é"';
  UPDATE accounts SET owner = "x;y" WHERE id = a; /* ; */ DELETE FROM log WHERE note = 'é';
END`;
  const { transactions } = await routines(sql);
  const texts: string[] = [];
  for (const { body } of transactions) {
    walkCommand(body, { statement: ({ text }) => texts.push(text) });
  }
  assert.deepEqual(texts, [
    `UPDATE accounts SET owner = "x;y" WHERE id = a`,
    "DELETE FROM log WHERE note = 'é'",
  ]);
});

test("a body of very many statements is parsed in one go", () => {
  const body = `BEGIN ${"SET @a = 1; UPDATE t SET x = @a WHERE y = 2;\n".repeat(20_000)} END`;
  const { statements, problems } = parseBody(body);
  assert.deepEqual(problems, []);
  assert.equal(statements.length, 1);
});
