// Which errors Spring undoes a declared transaction for, who opens one, and what an Optional holds.
import { check } from "./javaPrograms";

const CLASSES = `
  static class Low extends Exception { Low(String m) { super(m); } }
  static class Gone extends RuntimeException { Gone(String m) { super(m); } }
  void put(long id) { jdbc.update("INSERT INTO log (id) VALUES (?)", id); }
  void take(long id) { jdbc.update("DELETE FROM log WHERE id = ?", id); }
`;

const PUT = "insert log {id = :id, account = null, amount = null}";
const PUT_IN = "  insert log {id = :id, account = null, amount = null}";

check(
  "a checked exception commits",
  `${CLASSES} @Transactional public void run(long id) throws Low {
    put(id);
    if (id > 3) throw new Low("low");
    take(id);
  }`,
  "explicit",
  PUT,
  "if (:id > 3)",
  "  return",
  "delete log where (log.id = :id)",
);

check(
  "an unchecked one undoes",
  `${CLASSES} @Transactional public void run(long id) {
    put(id);
    if (id > 3) throw new Gone("gone");
    take(id);
  }`,
  "explicit",
  PUT,
  "if (:id > 3)",
  "  rollback",
  "delete log where (log.id = :id)",
);

for (const rule of [
  "rollbackFor = Exception.class",
  "rollbackFor = { IllegalStateException.class, Low.class }",
  'rollbackForClassName = "Low"',
]) {
  check(
    `${rule} undoes`,
    `${CLASSES} @Transactional(${rule}) public void run(long id) throws Low {
      put(id);
      if (id > 3) throw new Low("low");
    }`,
    "explicit",
    PUT,
    "if (:id > 3)",
    "  rollback",
  );
}

check(
  "the rule for the nearest class counts",
  `${CLASSES} @Transactional(rollbackFor = RuntimeException.class, noRollbackFor = Gone.class) public void run(long id) {
    put(id);
    if (id > 3) throw new Gone("gone");
    if (id > 2) throw new IllegalStateException();
  }`,
  "explicit",
  PUT,
  "if (:id > 3)",
  "  return",
  "if (:id > 2)",
  "  rollback",
);

check(
  "an error of a library that is declared may be checked",
  `${CLASSES} @Transactional public void run(long id) throws com.pay.PaymentException {
    put(id);
    if (id > 3) throw new PaymentException("no");
  }`,
  "explicit",
  PUT,
  "if (:id > 3)",
  "  rollback",
  "! whether the transaction is undone at this error is not known",
);

check(
  "a handler that wraps an error makes it an unchecked one",
  `${CLASSES} @Transactional public void run(long id) {
    put(id);
    try { if (id > 3) throw new Low("low"); }
    catch (Low e) { throw new Gone("gone"); }
  }`,
  "explicit",
  PUT,
  "if (:id > 3)",
  "  rollback",
);

check(
  "behind a handler that returns the transaction commits",
  `${CLASSES} @Transactional public boolean run(long id) {
    try {
      put(id);
      if (id > 3) throw new Gone("gone");
      take(id);
      return true;
    } catch (Gone e) { return false; }
  }`,
  "explicit",
  "try",
  PUT_IN,
  "  if (:id > 3)",
  "    rollback",
  "  delete log where (log.id = :id)",
  "  return true",
  "handler P0001",
  "  return false",
);

check(
  "a handler for another type lets an error pass",
  `${CLASSES} @Transactional public void run(long id) throws Low {
    try {
      put(id);
      if (id > 3) throw new Low("low");
    } catch (Gone e) { take(id); }
  }`,
  "explicit",
  "@thrown1 := 0",
  PUT,
  "if (:id > 3)",
  "  @thrown1 := 1",
  "if (@thrown1 = 1)",
  "  return",
);

const OTHER = `
  static class Inner {
    private JdbcTemplate jdbc;
    @Transactional public boolean add(long id) {
      if (id < 0) return false;
      jdbc.update("INSERT INTO log (id) VALUES (?)", id);
      if (id > 3) throw new Gone("gone");
      return true;
    }
  }
  private Inner inner;
`;

check(
  "an inner part that fails undoes all, whoever catches it",
  `${CLASSES} ${OTHER} @Transactional public void run(long id) {
    try { inner.add(id); } catch (Gone e) { take(id); }
  }`,
  "explicit",
  "if (:id < 0)",
  "else",
  PUT_IN,
  "  if (:id > 3)",
  "    rollback",
);

check(
  "what returns from a transaction goes on behind it",
  `${CLASSES} ${OTHER} public void run(long id) {
    inner.add(id);
    take(id);
  }`,
  "unit",
  "atomic",
  "  if (:id < 0)",
  "  else",
  "    insert log {id = :id, account = null, amount = null}",
  "    if (:id > 3)",
  "      rollback",
  "delete log where (log.id = :id)",
);

const ONE = `jdbc.query("SELECT id, owner FROM accounts WHERE id = ?", (rs, n) -> new Account(rs.getLong(1), rs.getLong("owner")), id).stream().findFirst()`;
const READ =
  "r1 = select accounts.id as id, accounts.owner as owner from accounts where (accounts.id = :id)";

check(
  "no row makes an empty Optional",
  `${CLASSES} record Account(long id, long owner) {}
  @Transactional public void run(long id) {
    Optional<Account> found = ${ONE};
    if (found.isEmpty()) put(id);
    else take(found.get().owner());
  }`,
  "explicit",
  READ,
  "if (size(r1) <= 0)",
  "  insert log {id = :id, account = null, amount = null}",
  "else",
  "  delete log where (log.id = r1.owner)",
);

check(
  "what an Optional is asked to do",
  `${CLASSES} record Account(long id, long owner) {}
  @Transactional public void run(long id) {
    ${ONE}.ifPresentOrElse(found -> take(found.owner()), () -> put(id));
    ${ONE}.filter(found -> found.owner() > 1).ifPresent(found -> take(found.id()));
  }`,
  "explicit",
  READ,
  "if (size(r1) > 0)",
  "  delete log where (log.id = r1.owner)",
  "else",
  "  insert log {id = :id, account = null, amount = null}",
  READ.replace("r1", "r2"),
  "if not (not ((size(r2) > 0) and (r2.owner > 1)) or (size(r2) <= 0))",
  "  if not ((size(r2) > 0) and (r2.owner > 1))",
  "    rollback",
  "  delete log where (log.id = r2.id)",
);

check(
  "what an unknown method gives of what was read is not known",
  `@Transactional public void run(long id) {
    Long owner = jdbc.queryForObject("SELECT owner FROM accounts WHERE id = ?", Long.class, id);
    jdbc.update("DELETE FROM log WHERE id = ?", owner.describeConstable());
  }`,
  "explicit",
  "r1 = select accounts.owner as owner from accounts where (accounts.id = :id)",
  "if (size(r1) <= 0)",
  "  rollback",
  "delete log where (log.id = unknown(r1.owner))",
  "! owner.describeConstable is not known",
);

const WRITES = `jdbc.update("DELETE FROM log WHERE id = ?", id); jdbc.update("DELETE FROM accounts WHERE id = ?", id);`;
const WRITTEN = [
  "  delete log where (log.id = :id)",
  "  delete accounts where (accounts.id = :id)",
];

check(
  "what a service calls on the object that it was given for itself is a transaction",
  `@Autowired private C self;
  @Transactional public void both(long id) { ${WRITES} }
  public void run(long id) { self.both(id); take(id); }
  private void take(long id) { jdbc.update("DELETE FROM log WHERE account = ?", id); }`,
  "unit",
  "atomic",
  ...WRITTEN,
  "delete log where (log.account = :id)",
);

check(
  "a class has the transactions of what it extends and implements",
  `@Transactional interface Api { void both(long id); }
  static class Service implements Api { private JdbcTemplate jdbc; public void both(long id) { ${WRITES} } }
  private Service service;
  public void run(long id) {
    service.both(id);
    jdbc.update("DELETE FROM log WHERE account = ?", id);
  }`,
  "unit",
  "atomic",
  ...WRITTEN,
  "delete log where (log.account = :id)",
);
