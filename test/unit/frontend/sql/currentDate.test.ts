// The day at hand is one that transactions share, unlike the time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { transactionsOf } from "../code/codePrograms";
import { shown } from "../code/java/javaPrograms";
import { describeTransactions, programOf } from "./program";

const DDL =
  "CREATE TABLE daily (account int, day date DEFAULT CURRENT_DATE CHECK (day <= CURRENT_DATE), spent int NOT NULL, PRIMARY KEY (account, day));\n";

async function check(text: string, ...expected: readonly string[]): Promise<void> {
  const program = programOf({ "f.sql": DDL + text }, { pg: await loadPgParser() });
  assert.deepEqual(describeTransactions(program), expected);
}

for (const today of ["CURRENT_DATE", "now()::date", "'today'::date"]) {
  test(`an argument of a script: ${today}`, () =>
    check(
      `BEGIN; UPDATE daily SET spent = 1 WHERE day = ${today}; COMMIT;`,
      "f (CURRENT_DATE time)",
      "  update daily set spent = 1 where (daily.day = :CURRENT_DATE)",
    ));
}

test("an argument of a routine, beside its own", () =>
  check(
    `CREATE FUNCTION spend(a int) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN UPDATE daily SET spent = 2 WHERE account = a AND day = CURRENT_DATE; END $$;`,
    "spend (a int, CURRENT_DATE time)",
    "  update daily set spent = 2 where ((daily.account = :a) and (daily.day = :CURRENT_DATE))",
  ));

test("an argument where a column is left out, and none of tables", async () => {
  const text = "BEGIN; INSERT INTO daily (account, spent) VALUES (1, 2); COMMIT;";
  await check(
    text,
    "f (CURRENT_DATE time)",
    "  insert daily {account = 1, day = :CURRENT_DATE, spent = 2}",
  );
  const { schema } = programOf({ "f.sql": DDL + text }, { pg: await loadPgParser() });
  assert.doesNotMatch(JSON.stringify(schema.tables), /"parameter"/u);
});

for (const today of ["CURRENT_DATE", "CURDATE()", "utc_date()"]) {
  test(`an argument of MySQL's: ${today}`, () => {
    const text = `CREATE TABLE \`daily\` (day date PRIMARY KEY, spent int) ENGINE=InnoDB;
START TRANSACTION; UPDATE daily SET spent = 1 WHERE day = ${today}; COMMIT;`;
    assert.deepEqual(describeTransactions(programOf({ "f.sql": text })), [
      "f (CURRENT_DATE time)",
      "  update daily set spent = 1 where (daily.day = :CURRENT_DATE)",
    ]);
  });
}

test("an argument of Java's", async () => {
  const [spend] = await transactionsOf(DDL, {
    "app/P.java": `package app; import org.springframework.jdbc.core.JdbcTemplate; import java.time.LocalDate; import java.math.BigDecimal;
public class P {
  private final JdbcTemplate jdbc;
  public P(JdbcTemplate jdbc) { this.jdbc = jdbc; }
  public void spend(BigDecimal n) {
    if (n.compareTo(new BigDecimal("1000")) > 0) throw new IllegalStateException();
    jdbc.update("UPDATE daily SET spent = ? WHERE day = ?", n, LocalDate.now());
  }
}`,
  });
  assert.deepEqual(spend && shown(spend).slice(1), [
    "if ((:n - 1000) > 0)",
    "  rollback",
    "update daily set spent = :n where (daily.day = :CURRENT_DATE)",
  ]);
});
