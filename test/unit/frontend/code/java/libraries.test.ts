// JDBC and Spring in small methods, as the AR.
import assert from "node:assert/strict";
import { test } from "node:test";
import { transactionsOf } from "../codePrograms";
import { check, DDL, IMPORTS, shown } from "./javaPrograms";

/** A benchmark's procedure beside its own library and what drives it: the methods that stand for themselves. */
function checkProcedure(name: string, members: string, ...expected: readonly string[]): void {
  test(name, async () => {
    const found = await transactionsOf(DDL, {
      "api/Procedure.java": API,
      "app/Worker.java": `package app; class Worker {
        void work(java.sql.Connection c, long id) throws Exception { new P().run(c, id, null, 0); }
      }`,
      "app/P.java": `package app;
        import com.oltpbenchmark.api.*; import java.math.*; import java.sql.*; import java.util.*;
        public class P extends Procedure { ${members} }`,
    });
    assert.deepEqual(
      found.map((each) => each.name),
      ["P.run"],
    );
    assert.deepEqual(found.flatMap(shown).slice(1), expected);
  });
}

/** The benchmarks' library is known, wherever its sources stand. */
const API = `package com.oltpbenchmark.api; import java.sql.*;
  public abstract class Procedure {
    public final PreparedStatement getPreparedStatement(Connection conn, SQLStmt stmt, Object... params)
        throws SQLException {
      return make(conn, stmt, params);
    }
  }`;

checkProcedure(
  "what every object has, and a log",
  `public void run(Connection c, long id) throws Exception {
    try (PreparedStatement s = getPreparedStatement(c, new SQLStmt("DELETE FROM log WHERE id = ?"), id)) {
      s.executeUpdate();
      LOG.debug(this.getClass().getName() + " is done");
    } }`,
  "delete log where (log.id = :id)",
);

checkProcedure(
  "a procedure stands for itself",
  `public final SQLStmt get = new SQLStmt("SELECT balance FROM accounts WHERE id = ?");
   public void run(Connection conn, long id, long[] more, int at) throws SQLException {
     try (PreparedStatement stmt = this.getPreparedStatement(conn, get, id); ResultSet rs = stmt.executeQuery()) {
       if (!rs.next()) throw new UserAbortException("no account");
     }
   }`,
  "r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
  "if (size(r1) <= 0)",
  "  rollback",
);

checkProcedure(
  "parameters at positions that a loop counts",
  `public final SQLStmt put = new SQLStmt("INSERT INTO log (id, account, amount) VALUES (?, ?, ?)");
   public void run(Connection conn, long id, long[] more, int at) throws SQLException {
     PreparedStatement stmt = this.getPreparedStatement(conn, put, id);
     for (int i = 0; i < more.length; i++) stmt.setLong(2 + i, more[i]);
     stmt.executeUpdate();
   }`,
  "insert log {id = :id, account = :more[1], amount = :more[2]}",
);

checkProcedure(
  "what the code draws at random is an input, one for each round",
  `public final SQLStmt cut = new SQLStmt("UPDATE accounts SET balance = ? WHERE id = ?");
   static int number(int from, int to, Random gen) { return (int) (gen.nextDouble() * (to - from + 1) + from); }
   public void run(Connection conn, long id, long[] more, int count) throws SQLException {
     Random gen = new Random();
     int[] ids = new int[count];
     for (int i = 0; i < count; i++) {
       if (number(1, 100, gen) > 1) ids[i] = (number(1, 8, gen) | number(1, 9, gen)) % 10 + 1;
       else do { ids[i] = number(1, 10, gen); } while (ids[i] == id);
     }
     for (int i = 1; i <= count; i++) {
       PreparedStatement stmt = this.getPreparedStatement(conn, cut, number(1, 5, gen), ids[i - 1]);
       stmt.executeUpdate();
     }
   }`,
  "loop count",
  "  update accounts set balance = :P.number() 5[@i1] where (accounts.id = :int[]1[@i1])",
);

const OWNERS = `
  public final SQLStmt all = new SQLStmt("SELECT id, balance FROM accounts WHERE owner = ? ORDER BY balance");
  public final SQLStmt cut = new SQLStmt("UPDATE accounts SET balance = ? WHERE id = ?");
  static class Account { long id; long balance; String name; }
  List<Account> read(Connection conn, long id, boolean once) throws SQLException {
    List<Account> found = new ArrayList<>();
    try (ResultSet rs = this.getPreparedStatement(conn, all, id).executeQuery()) {
      while (rs.next()) {
        Account a = new Account();
        a.id = rs.getLong(1);
        a.balance = rs.getLong("balance");
        found.add(a);
        if (once) break;
      }
    }
    return found;
  }`;

checkProcedure(
  "the item in the middle of a list with one for each row",
  `${OWNERS}
   public void run(Connection conn, long id, long[] more, int at) throws SQLException {
     List<Account> found = read(conn, id, false);
     if (found.size() == 0) throw new RuntimeException("none");
     Account a = found.get(found.size() / 2);
     a.balance -= 5;
     this.getPreparedStatement(conn, cut, a.balance, a.id).executeUpdate();
   }`,
  "r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.owner = :id) order by accounts.balance",
  "if (size(r1) = 0)",
  "  rollback",
  "if not (((size(r1) / 2) >= 0) and ((size(r1) / 2) < size(r1)))",
  "  rollback",
  "@v1 := null",
  "@v2 := null",
  "@at1 := 0",
  "loop rows",
  "  if (@at1 = (size(r1) / 2))",
  "    @v1 := r1.id",
  "    @v2 := r1.balance",
  "  @at1 := (@at1 + 1)",
  "update accounts set balance = (@v2 - 5) where (accounts.id = @v1)",
);

checkProcedure(
  "a loop over a list with one item for each row",
  `${OWNERS}
   public void run(Connection conn, long id, long[] more, int at) throws SQLException {
     for (Account a : read(conn, id, false)) this.getPreparedStatement(conn, cut, 0, a.id).executeUpdate();
   }`,
  "r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.owner = :id) order by accounts.balance",
  "loop rows",
  "  update accounts set balance = 0 where (accounts.id = r1.id)",
);

checkProcedure(
  "a list that a loop may leave early has no item for each row",
  `${OWNERS}
   public void run(Connection conn, long id, long[] more, int at) throws SQLException {
     this.getPreparedStatement(conn, cut, 0, read(conn, id, id > 3).get(at).id).executeUpdate();
   }`,
  "r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.owner = :id) order by accounts.balance",
  "update accounts set balance = 0 where (accounts.id = unknown(size(r1)))",
  "! an element by a computed index is not known",
);

checkProcedure(
  "an array that is written with what was read is not known any more",
  `public final SQLStmt all = new SQLStmt("SELECT id, balance FROM accounts");
   public final SQLStmt put = new SQLStmt("INSERT INTO log (id, account) VALUES (?, ?)");
   public void run(Connection conn, long id, long[] more, int at) throws SQLException {
     long[] seats = new long[150];
     ResultSet rs = this.getPreparedStatement(conn, all).executeQuery();
     while (rs.next()) seats[rs.getInt(1)] = rs.getLong(2);
     this.getPreparedStatement(conn, put, id, seats[at]).executeUpdate();
   }`,
  "r1 = select accounts.id as id, accounts.balance as balance from accounts",
  "insert log {id = :id, account = unknown(:at), amount = null}",
  "! an element by a computed key is not known",
);

checkProcedure(
  "one of several statements by an index, and a column that only one of them has",
  `public final SQLStmt one = new SQLStmt("SELECT id FROM accounts WHERE id = ?");
   public final SQLStmt two = new SQLStmt("SELECT id, owner FROM accounts WHERE owner = ?");
   public final SQLStmt[] both = { one, two };
   public final SQLStmt put = new SQLStmt("INSERT INTO log (id, account) VALUES (?, ?)");
   public void run(Connection conn, long id, long[] more, int at) throws SQLException {
     ResultSet rs = this.getPreparedStatement(conn, both[at], id).executeQuery();
     if (rs.next()) this.getPreparedStatement(conn, put, rs.getLong(1), rs.getLong(2)).executeUpdate();
   }`,
  "if not ((:at == 0) or (:at == 1))",
  "  rollback",
  "if (:at = 0)",
  "  r1 = select accounts.id as id from accounts where (accounts.id = :id)",
  "else",
  "  r2 = select accounts.id as id, accounts.owner as owner from accounts where (accounts.owner = :id)",
  "if ((:at = 0) ? (size(r1) > 0) : (size(r2) > 0))",
  "  if (:at = 0)",
  "    rollback",
  "  if (size(r2) <= 0)",
  "    rollback",
  "  insert log {id = ((:at = 0) ? r1.id : r2.id), account = coalesce(r2.owner, 0), amount = null}",
);

check(
  "a loop over a cursor",
  `void f(Connection c) throws SQLException {
     ResultSet rs = c.createStatement().executeQuery("SELECT id, balance FROM accounts WHERE balance < 0");
     PreparedStatement ps = c.prepareStatement("INSERT INTO log (id, account, amount) VALUES (?, ?, ?)");
     while (rs.next()) {
       if (rs.getLong("balance") < -100) continue;
       ps.setLong(1, rs.getLong(1));
       ps.setLong(2, rs.getLong("ID"));
       ps.setNull(3, Types.BIGINT);
       ps.executeUpdate();
     }
   }`,
  "explicit",
  "r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.balance < 0)",
  "loop rows",
  "  if (r1.balance < -100)",
  "    continue",
  "  insert log {id = r1.id, account = r1.id, amount = null}",
);

check(
  "a level, and transactions one after the other",
  `void f(long id) throws SQLException {
     try (Connection c = source.getConnection()) {
       c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
       c.setAutoCommit(false);
       run(c, "UPDATE accounts SET balance = 1 WHERE id = ?", id);
       c.commit();
       run(c, "UPDATE accounts SET balance = ? WHERE id = ?", 2, id);
       c.commit();
     }
   }
   private void run(Connection c, String sql, Object... args) throws SQLException {
     PreparedStatement ps = c.prepareStatement(sql);
     int i = 1;
     for (Object each : args) ps.setObject(i++, each);
     ps.executeUpdate();
   }`,
  "unit",
  "atomic postgres:serializable",
  "  update accounts set balance = 1 where (accounts.id = :id)",
  "atomic",
  "  update accounts set balance = 2 where (accounts.id = :id)",
);

check(
  "a batch over an argument",
  `void f(Connection c, List<Long> ids) throws SQLException {
     PreparedStatement ps = c.prepareStatement("UPDATE accounts SET balance = 0 WHERE id = ?");
     for (long id : ids) { ps.setLong(1, id); ps.addBatch(); }
     ps.executeBatch();
   }`,
  "explicit",
  "loop count",
  "  update accounts set balance = 0 where (accounts.id = :ids[@i1])",
);

check(
  "NULL is 0 for getLong, and null for getObject",
  `long f(Connection c) throws SQLException {
     ResultSet rs = c.createStatement().executeQuery("SELECT max(amount) AS a FROM log");
     rs.next();
     run(rs.getObject("a"));
     return rs.getLong(1) + 1;
   }`,
  "explicit",
  "r1 = select max(log.amount) as a from log",
  "return (coalesce(r1.a, 0) + 1)",
);

check(
  "statements without a transaction commit by themselves",
  `void f(long id) {
     Long balance = jdbc.queryForObject("SELECT balance FROM accounts WHERE id = ?", Long.class, id);
     jdbc.update("UPDATE accounts SET balance = ? WHERE id = ?", balance + 1, id);
   }`,
  "unit",
  "r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
  "if (size(r1) <= 0)",
  "  rollback",
  "update accounts set balance = (r1.balance + 1) where (accounts.id = :id)",
);

check(
  "a call on itself opens no transaction",
  `@Transactional public void g(long id) { jdbc.update("DELETE FROM log WHERE id = ?", id); }
   public void f(long id) { g(id); jdbc.update("DELETE FROM accounts WHERE id = ?", id); }`,
  "unit",
  "delete log where (log.id = :id)",
  "delete accounts where (accounts.id = :id)",
);

check(
  "an entry that its own object calls stays an entry",
  `public void g(long id) { f(id); }
   @Transactional(isolation = Isolation.REPEATABLE_READ, propagation = Propagation.REQUIRED)
   public void f(long id) { jdbc.update("DELETE FROM log WHERE id = ?", new Object[] {id}); }`,
  "explicit @ postgres:repeatable-read",
  "delete log where (log.id = :id)",
);

check(
  "a method that only takes part in transactions opens none",
  `@Transactional(propagation = Propagation.SUPPORTS)
   public void f(long id) { jdbc.update("DELETE FROM log WHERE id = ?", id); }`,
  "autocommit",
  "delete log where (log.id = :id)",
);

check(
  "a callback for each row",
  `void f() {
     named.query("SELECT id FROM accounts", rs -> {
       named.update("DELETE FROM log WHERE account = :a", Map.of("a", rs.getLong(1)));
     });
   }`,
  "unit",
  "r1 = select accounts.id as id from accounts",
  "loop rows",
  "  delete log where (log.account = r1.id)",
);

check(
  "an anonymous callback in a template's transaction",
  `Long f(long id) {
     return template.execute(new TransactionCallback<Long>() {
       public Long doInTransaction(TransactionStatus status) {
         named.update("UPDATE accounts SET owner = :o WHERE id = :id",
             new MapSqlParameterSource("id", id).addValue("o", 3));
         return id;
       }
     });
   }`,
  "explicit",
  "update accounts set owner = 3 where (accounts.id = :id)",
  "return :id",
);

check(
  "SQL that is put together",
  `void f(Connection c, long id) throws SQLException {
     StringBuilder sql = new StringBuilder("DELETE FROM ").append(String.format("%s WHERE %2$s = ?", "log", "id"));
     PreparedStatement ps = c.prepareStatement(sql.toString());
     ps.setLong(1, id / 2);
     ps.execute();
   }`,
  "explicit",
  "delete log where (log.id = (:id / 2))",
);

check(
  "what is not known is said",
  `interface Logs extends JpaRepository<Log, Long> {}
   private Logs logs;
   @Transactional public void f(long id) {
     logs.deleteById(id);
     jdbc.update("DELETE FROM accounts WHERE id = ?", id);
   }`,
  "explicit",
  "opaque writes ",
  "delete accounts where (accounts.id = :id)",
  "! what this.logs.deleteById() does with the database is not known",
);

check(
  "what objects that reach the database in other ways do is not known",
  `private jakarta.persistence.EntityManager em; private AccountMapper mapper; private Clock clock;
   interface AccountRepository extends JpaRepository<Account, Long> { }
   private AccountRepository accounts;
   @Transactional
   void f(long id) { clock.tick(); mapper.toAccount(id); em.find(Account.class, id); accounts.save(id); mapper.insert(id); }`,
  "explicit",
  "opaque writes ",
  "opaque writes ",
  "opaque writes ",
  "! what this.em.find() does with the database is not known",
  "! what this.accounts.save() does with the database is not known",
  "! what this.mapper.insert() does with the database is not known",
);

check(
  "what commits by itself is not passed over, whoever begins no transaction",
  `interface Logs extends JpaRepository<Log, Long> {}
   private Logs logs;
   public void f(long id) {
     Log log = logs.findById(id).orElseThrow();
     log.touch();
     logs.save(log);
   }`,
  "unit",
  "opaque writes ",
  "opaque writes ",
  "! what this.logs.findById() does with the database is not known",
  "! what this.logs.save() does with the database is not known",
);

/** Classes beside each other: the names of the transactions, and what each does. */
function checkClasses(
  name: string,
  classes: string,
  expected: Readonly<Record<string, readonly string[]>>,
): void {
  test(name, async () => {
    const found = await transactionsOf(DDL, { "src/C.java": `${IMPORTS} ${classes}` });
    assert.deepEqual(Object.fromEntries(found.map((each) => [each.name, shown(each)])), expected);
  });
}

checkClasses(
  "an inherited method is done as each class does that inherits it",
  `abstract class Job { JdbcTemplate jdbc;
    @Transactional public void run(long id) { jdbc.update(text(), id); }
    abstract String text();
    @Transactional public void clear() { jdbc.update("DELETE FROM log"); } }
  class First extends Job { String text() { return "DELETE FROM log WHERE id = ?"; } }
  abstract class Later extends Job {}
  class Second extends Later { String text() { return "DELETE FROM accounts WHERE id = ?"; } }`,
  {
    "Job.clear": ["explicit", "delete log"],
    "First.run": ["explicit", "delete log where (log.id = :id)"],
    "Second.run": ["explicit", "delete accounts where (accounts.id = :id)"],
  },
);

checkClasses(
  "an inherited method runs what the class overrides or gives",
  `@Transactional class Base { JdbcTemplate jdbc; final String table;
    Base(String table) { this.table = table; }
    public void clear() { jdbc.update("DELETE FROM " + table); } }
  class Logs extends Base { Logs() { super("log"); } }`,
  { "Logs.clear": ["explicit", "delete log"] },
);

check(
  "a client's statements",
  `public void f(long id, long more) {
    long had = client.sql("SELECT balance FROM accounts WHERE id = :id").param("id", id).query(Long.class).single();
    long other = client.sql("SELECT balance FROM accounts WHERE owner = ?").param(more).query(Long.class).optional().orElse(0L);
    client.sql("UPDATE accounts SET balance = ? WHERE id = ?").params(had + more, id).update();
    client.sql("INSERT INTO log (id, amount) VALUES (:id, :amount)").params(Map.of("id", id, "amount", other)).update(); }`,
  "unit",
  "r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
  "if (size(r1) <= 0)",
  "  rollback",
  "r2 = select accounts.balance as balance from accounts where (accounts.owner = :more)",
  "update accounts set balance = (r1.balance + :more) where (accounts.id = :id)",
  "insert log {id = :id, account = null, amount = (not (r2.balance is null) ? r2.balance : 0)}",
);

check(
  "a client's rows by a mapper, a class and each in turn",
  `record A(long id, long balance) {}
  public void f(long id) {
    A a = client.sql("SELECT * FROM accounts WHERE id = ?").param(1, id).query((rs, n) -> new A(rs.getLong("id"), rs.getLong("balance"))).optional().orElseThrow();
    List<A> all = client.sql("SELECT id, balance FROM accounts WHERE owner = ?").param(a.id()).query(A.class).list();
    for (A each : all) client.sql("DELETE FROM log WHERE account = ?").param(each.balance()).update(); }`,
  "unit",
  "r1 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts where (accounts.id = :id)",
  "if (size(r1) <= 0)",
  "  rollback",
  "r2 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.owner = r1.id)",
  "loop rows",
  "  delete log where (log.account = r2.balance)",
);

check(
  "a row as a map, and a column that may be NULL",
  `@Transactional public void f(long id) throws Exception {
    Map<String, Object> row = jdbc.queryForMap("SELECT owner, balance FROM accounts WHERE id = ?", id);
    jdbc.update("DELETE FROM log WHERE amount = ?", ((Number) row.get("balance")).longValue());
    try (Connection c = source.getConnection(); PreparedStatement s = c.prepareStatement("SELECT amount FROM log WHERE id = 1");
         ResultSet rs = s.executeQuery()) {
      if (rs.next()) {
        long amount = rs.getLong("amount");
        if (!rs.wasNull()) jdbc.update("DELETE FROM log");
      }
    } }`,
  "explicit",
  "r1 = select accounts.owner as owner, accounts.balance as balance from accounts where (accounts.id = :id)",
  "if (size(r1) <= 0)",
  "  rollback",
  "delete log where (log.amount = r1.balance)",
  "r2 = select log.amount as amount from log where (log.id = 1)",
  "if (size(r2) > 0)",
  "  if not (r2.amount is null)",
  "    delete log",
  "! this statement runs on another connection, outside of the open transaction",
);
