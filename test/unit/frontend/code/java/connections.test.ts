// Where a connection of JDBC comes from, and whether what runs on it is one transaction: whatever holds it, its declared
// type suffices, and who turned autocommit off holds for those who only commit.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { walkCommand } from "../../../../../server/src/frontend/sql/walk";
import { readOver } from "../codePrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, value int NOT NULL);";

/** A class `T` whose method reads and writes on a connection. */
function program({ members = "", open = "", on, end = "", others = "", parameters = "int id" }: {
  readonly members?: string;
  readonly open?: string;
  readonly on: string;
  readonly end?: string;
  readonly others?: string;
  readonly parameters?: string;
}): string {
  return `import java.sql.*; import java.util.Properties; import javax.sql.DataSource; import com.acme.Pool;
${others}
public class T {
  ${members}
  public void increment(${parameters}) throws SQLException {
    ${open}
    PreparedStatement read = ${on}.prepareStatement("SELECT value FROM accounts WHERE id = 1");
    ResultSet rs = read.executeQuery();
    rs.next();
    int v = rs.getInt("value");
    PreparedStatement write = ${on}.prepareStatement("UPDATE accounts SET value = ? WHERE id = 1");
    write.setInt(1, v + 1);
    write.executeUpdate();
    ${end}
  }
}`;
} // prettier-ignore

/** The method is read whole: as one transaction, or as two statements that commit by themselves. */
async function check(text: string, isOne: boolean): Promise<void> {
  const { transactions, notes } = await readOver(DDL, { "T.java": text }, "postgres");
  assert.deepEqual(notes.filter(({ code }) => code === "call-unreached"), []); // prettier-ignore
  const own = transactions.find(({ name }) => name === "T.increment");
  assert.ok(own, "it is a transaction");
  let statements = 0;
  walkCommand(own.body, { statement: () => (statements += 1) });
  assert.equal(statements, 2);
  assert.deepEqual(own.taint, []);
  assert.equal(own.boundary !== "unit", isOne);
}

const DB = "class Db { Connection c; Connection get() { return c; } }";
const OFF = 'class Db { Connection c; Db() throws SQLException { c = DriverManager.getConnection("x"); c.setAutoCommit(false); } }'; // prettier-ignore

describe("a connection of JDBC", () => {
  const found: Readonly<Record<string, Parameters<typeof program>[0]>> = {
    "a driver": {
      members:
        'private Connection c; T() throws SQLException { Driver d = DriverManager.getDriver("x"); c = d.connect("x", new Properties()); }',
      on: "c",
    },
    "a static field": { members: "static Connection c; static void set(Connection o) { c = o; }", on: "c" }, // prettier-ignore
    "a static block": { members: "private static final Connection c; static { c = Pool.take(); }", on: "c" }, // prettier-ignore
    "a static initial value of something else": { members: "static Connection c = Pool.take();", on: "T.c" }, // prettier-ignore
    "a local variable of something else": { open: "Connection c = Pool.take();", on: "c" },
    "a resource of something else": { open: "try (Connection c = Pool.take()) {", on: "c", end: "}" }, // prettier-ignore
    "a method of something else": { members: "Connection c() { return Pool.take(); }", on: "c()" },
    "a getter of another class": { members: "private final Db db = new Db();", others: DB, on: "db.get()" }, // prettier-ignore
    "an interface that nobody implements": {
      members: "private Source s; T(Source s) { this.s = s; }",
      others: "interface Source { Connection connection(); }",
      on: "s.connection()",
    },
    "a thread's own": { members: "static final ThreadLocal<Connection> t = new ThreadLocal<>();", on: "t.get()" }, // prettier-ignore
    "a pool that is not known": { members: "private final Pool p; T(Pool p) { this.p = p; }", on: "p.borrow()" }, // prettier-ignore
  };
  for (const [name, parts] of Object.entries(found)) {
    it(`is found as ${name}`, () => check(program(parts), false));
  }

  const manual: Readonly<Record<string, Parameters<typeof program>[0]>> = {
    "a constructor": {
      members:
        'private Connection c; T() throws SQLException { c = DriverManager.getConnection("x"); c.setAutoCommit(false); }',
      on: "c",
      end: "c.commit();",
    },
    "a constructor, and the caller commits": {
      members:
        "private Connection c; T(Connection o) throws SQLException { c = o; c.setAutoCommit(false); }",
      on: "c",
    },
    "what a constructor calls": {
      members:
        "private Connection c; T() throws SQLException { open(); } private void open() throws SQLException { c = Pool.take(); c.setAutoCommit(false); }",
      on: "c",
      end: "c.commit();",
    },
    "another method": {
      members:
        "private Connection c; void open() throws SQLException { c = Pool.take(); c.setAutoCommit(false); }",
      on: "c",
      end: "c.commit();",
    },
    "the constructor of another class": { members: "private final Db db = new Db();", others: OFF, on: "db.c" }, // prettier-ignore
    "the constructor of an object that is made here": { open: "Db db = new Db();", others: OFF, on: "db.c", end: "db.c.commit();" }, // prettier-ignore
    "what gives the connection": {
      members:
        "static Connection open() throws SQLException { Connection c = Pool.take(); c.setAutoCommit(false); return c; }",
      open: "Connection c = open();",
      on: "c",
      end: "c.commit();",
    },
    "a setting, where code only commits": {
      members: "private final DataSource ds; T(DataSource ds) { this.ds = ds; }",
      open: "Connection c = ds.getConnection();",
      on: "c",
      end: "c.commit();",
    },
    "the caller that gives it": { parameters: "Connection c", on: "c", end: "c.commit();" },
  };
  for (const [name, parts] of Object.entries(manual)) {
    it(`is without autocommit by ${name}`, () => check(program(parts), true));
  }

  it("is with autocommit where another method turns it off on one of its own", () =>
    check(
      program({
        members:
          "private final DataSource ds; T(DataSource ds) { this.ds = ds; } void other() throws SQLException { Connection c = ds.getConnection(); c.setAutoCommit(false); c.commit(); }",
        open: "Connection c = ds.getConnection();",
        on: "c",
      }),
      false,
    ));
});
