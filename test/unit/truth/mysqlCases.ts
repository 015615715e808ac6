// Programs of MySQL and MariaDB with the answer that each must get.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql } from "./analyse";

/** The tables that all cases have. */
export const ACCOUNTS = `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null) engine=innodb;
create table tot (id int primary key, s int not null) engine=innodb;
`;

export interface Case {
  readonly name: string;
  readonly text: string;
  readonly level: string;
  readonly verdict: "anomaly" | "unknown" | "safe";
  /** The answer of the report: a kind of anomaly, or a part of a reason. */
  readonly why?: RegExp;
}

/** A test for each case. */
export function checked(title: string, cases: readonly Case[]): void {
  for (const { name, text, level, verdict, why } of cases) {
    test(`${title}: ${name}`, async () => {
      const report = await analyse([sql(text)], level, 2);
      const told = [
        ...report.anomalies.map(({ kind }) => kind),
        ...report.unknown.map(({ reason }) => reason),
      ];
      assert.equal(report.verdict, verdict, told.join("\n"));
      if (why) assert.match(told.join("\n"), why);
    });
  }
}

/** A transaction of these statements. */
export function script(...statements: readonly string[]): string {
  return `${ACCOUNTS}-- @transaction a\n${statements.map((each) => `${each};\n`).join("")}`;
}

/** A procedure with these statements. */
export function procedure(...statements: readonly string[]): string {
  const body = statements.map((each) => `  ${each};\n`).join("");
  return `${ACCOUNTS}DELIMITER //\ncreate procedure wd(in p int)\nbegin\n${body}end //\nDELIMITER ;\n`;
}

/** A row is read under a lock and written back. */
export const READ_LOCKED = "SELECT v INTO @v FROM acc WHERE id = :id FOR UPDATE";
export const WRITE_BACK = "UPDATE acc SET v = @v - 1 WHERE id = :id";

export const ACC = "create table acc (id int primary key, v int not null)";

/** Two transactions over tables of these definitions. */
export function withTables(definitions: string): string {
  const text = script("START TRANSACTION", READ_LOCKED, WRITE_BACK, "COMMIT");
  return text.replace(/create table acc .*\n/, `${definitions}\n`);
}
