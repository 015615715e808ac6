// JDBC's savepoints, and accessors of records that may be missing.
import { check } from "./javaPrograms";

const PUT = `void put(Connection c, long id) throws SQLException {
    PreparedStatement s = c.prepareStatement("INSERT INTO log (id) VALUES (?)");
    s.setLong(1, id);
    s.executeUpdate();
  }`;
const row = (value: string) => `insert log {id = ${value}, account = null, amount = null}`;

check(
  "what stands behind a savepoint is undone where it says so",
  `${PUT} public void run(Connection c, long id, boolean isLast) throws SQLException {
    put(c, id);
    Savepoint here = c.setSavepoint("before one");
    put(c, 1);
    if (isLast) c.rollback(here);
    else c.releaseSavepoint(here);
  }`,
  "explicit",
  row(":id"),
  "savepoint named_before_20_one",
  row("1"),
  "if (:isLast = true)",
  "  rollbackTo named_before_20_one",
  "else",
  "  release named_before_20_one",
);

check(
  "savepoints that a helper sets are apart",
  `${PUT} Savepoint mark(Connection c) throws SQLException { return c.setSavepoint(); }
  public void run(Connection c) throws SQLException {
    Savepoint first = mark(c);
    put(c, 1);
    Savepoint second = mark(c);
    put(c, 2);
    c.rollback(first);
  }`,
  "explicit",
  "savepoint own_sp1",
  row("1"),
  "savepoint own_sp2",
  row("2"),
  "rollbackTo own_sp1",
);

check(
  "a savepoint that may be any",
  `${PUT} public void run(Connection c, Savepoint there) throws SQLException {
    put(c, 1);
    c.rollback(there);
  }`,
  "explicit",
  row("1"),
  "! jdbc: Connection.rollback() is not known",
);

check(
  "a component of a record that may be missing is what it was made of",
  `record Account(long id, long balance) {}
  Optional<Account> load(Connection c, long id) throws SQLException {
    PreparedStatement s = c.prepareStatement("SELECT balance FROM accounts WHERE id = ?");
    s.setLong(1, id);
    ResultSet found = s.executeQuery();
    return found.next() ? Optional.of(new Account(id, found.getLong("balance"))) : Optional.empty();
  }
  public void run(Connection c, long id) throws SQLException {
    Account account = load(c, id).orElse(null);
    if (account == null) return;
    PreparedStatement s = c.prepareStatement("UPDATE accounts SET balance = ? WHERE id = ?");
    s.setLong(1, account.balance() + 1);
    s.setLong(2, account.id());
    s.executeUpdate();
  }`,
  "explicit",
  "r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
  "if ((size(r1) > 0) ? false : true)",
  "  return",
  "if (size(r1) <= 0)",
  "  rollback",
  "update accounts set balance = (r1.balance + 1) where (accounts.id = :id)",
);
