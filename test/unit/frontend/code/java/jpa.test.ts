// JPA and Spring Data: what is written at the commit, by which query, and what is kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mayUseDatabase } from "../../../../../server/src/frontend/code/callGraph/prefilter";
import { transactionsOf } from "../codePrograms";
import { DDL, shown } from "./javaPrograms";

const ACCOUNT = `package app; import jakarta.persistence.*; import java.util.*;
  @Entity @Table(name = "accounts") public class Account {
    @Id @GeneratedValue private Long id; private long owner; private long balance;
    @OneToMany(mappedBy = "of", cascade = CascadeType.ALL) private List<Log> logs = new ArrayList<>();
    public long getBalance() { return balance; } public void setBalance(long balance) { this.balance = balance; }
    public List<Log> getLogs() { return logs; }
  }`;

const LOG = `package app; import jakarta.persistence.*;
  @Entity public class Log {
    @Id @GeneratedValue private Long id; @ManyToOne @JoinColumn(name = "account") private Account of; private Long amount;
    public Log(Account of, Long amount) { this.of = of; this.amount = amount; }
    public Account getOf() { return of; }
  }`;

const REPOSITORIES = {
  "app/Account.java": ACCOUNT,
  "app/Log.java": LOG,
  "app/Accounts.java": `package app; import org.springframework.data.jpa.repository.*; import java.util.*;
    public interface Accounts extends JpaRepository<Account, Long> {
      List<Account> findTop3ByOwnerNotAndBalanceBetweenOrderByIdDesc(long owner, long least, long most);
      @Query("select a from Account a where a.owner in :owners") List<Account> of(Collection<Long> owners);
      @Query("select a from Account a where size(a.logs) > 3") List<Account> busy();
      Optional<Account> findByOwner(long owner);
      @Query(value = "select * from accounts where id = ?1 for update", nativeQuery = true) Account lock(long id);
    }`,
  "app/Logs.java": `package app; import org.springframework.data.repository.CrudRepository;
    public interface Logs extends CrudRepository<Log, Long> { long countByOfOwner(long owner); }`,
};

function check(name: string, body: string, ...expected: readonly string[]): void {
  test(name, async () => {
    const found = await transactionsOf(DDL, {
      ...REPOSITORIES,
      "app/S.java": `package app; import org.springframework.transaction.annotation.Transactional; import jakarta.persistence.LockModeType; import java.util.*;
        public class S { private Accounts accounts; private Logs logs; private jakarta.persistence.EntityManager em;
          @Transactional public void run(long id, long by, List<Long> ids) { ${body} } }`,
    });
    assert.deepEqual(found.flatMap(shown), ["explicit", ...expected]);
  });
}

test("a file with nothing but an entity is read: it declares a table", () => {
  assert.ok(mayUseDatabase(ACCOUNT));
});

const READ =
  "r1 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts where (accounts.id = :id)";

check(
  "what a branch changes is written where a return ends the transaction, too",
  `Account a = em.find(Account.class, id);
   if (a == null) return;
   if (by > 0) { a.setBalance(by); return; }
   logs.save(new Log(a, by));`,
  READ,
  "if (size(r1) <= 0)",
  "  return",
  "if (:by > 0)",
  "  if not (:by == r1.balance)",
  "    update accounts set owner = r1.owner, balance = :by where (accounts.id = r1.id)",
  "    if not (affected(S.run/2) = 1)",
  "      rollback",
  "  return",
  "insert log {id = null, account = r1.id, amount = :by} returning r2: log.id as id",
);

check(
  "rows of a loop are written in their rounds",
  `for (Account a : accounts.of(ids)) a.setBalance(0);
   for (Long each : ids) accounts.findById(each).ifPresent(a -> a.setBalance(by));`,
  "r1 = select a.id as id, a.owner as owner, a.balance as balance from accounts a where (a.owner in [:ids[1], :ids[2]])",
  "loop rows",
  "  if not (0 == r1.balance)",
  "    update accounts set owner = r1.owner, balance = 0 where (accounts.id = r1.id)",
  "    if not (affected(S.run/2) = 1)",
  "      rollback",
  "loop count",
  `  ${READ.replace("r1", "r2").replace(":id", ":ids[@i1]")}`,
  "  if (size(r2) > 0)",
  "    @v1 := :by",
  "  else",
  "    @v1 := r2.balance",
  "  if not (@v1 == r2.balance)",
  "    update accounts set owner = r2.owner, balance = @v1 where (accounts.id = r2.id)",
  "    if not (affected(S.run/4) = 1)",
  "      rollback",
  "! a row of Account that was read before is given as it was read then",
);

check(
  "a row that a query read before is not read again by its key",
  `Account a = accounts.findByOwner(by).orElseThrow();
   Account b = em.find(Account.class, a.getId(), LockModeType.PESSIMISTIC_WRITE); b.setBalance(b.getBalance() - 1);`,
  "r1 = select x.id as id, x.owner as owner, x.balance as balance from accounts x where (x.owner = :by)",
  "if (size(r1) <= 0)",
  "  rollback",
  "r2 = select accounts.id as id from accounts where (accounts.id = r1.id) for update",
  "if (size(r2) <= 0)",
  "  rollback",
  "if not ((r1.balance - 1) == r1.balance)",
  "  update accounts set owner = r1.owner, balance = (r1.balance - 1) where (accounts.id = r1.id)",
  "  if not (affected(S.run/3) = 1)",
  "    rollback",
);

check(
  "two keys that turn out to be equal give one object, which is written once",
  `Account a = em.find(Account.class, id); Account b = em.find(Account.class, by);
   a.setBalance(a.getBalance() - 1); b.setBalance(b.getBalance() + 1);`,
  READ,
  "if (:by = :id)",
  "else",
  `  ${READ.replace("r1", "r2").replace(":id", ":by")}`,
  "if (size(r1) <= 0)",
  "  rollback",
  "if (:by = :id)",
  "else",
  "  if (size(r2) <= 0)",
  "    rollback",
  "if (:by = :id)",
  "  @v1 := (((:by = :id) ? (r1.balance - 1) : r2.balance) + 1)",
  "  @v2 := r2.balance",
  "else",
  "  @v1 := (r1.balance - 1)",
  "  @v2 := (((:by = :id) ? (r1.balance - 1) : r2.balance) + 1)",
  "if not (@v1 == r1.balance)",
  "  update accounts set owner = r1.owner, balance = @v1 where (accounts.id = r1.id)",
  "  if not (affected(S.run/3) = 1)",
  "    rollback",
  "if (:by = :id)",
  "else",
  "  if not (@v2 == r2.balance)",
  "    update accounts set owner = r2.owner, balance = @v2 where (accounts.id = r2.id)",
  "    if not (affected(S.run/4) = 1)",
  "      rollback",
);

check(
  "what a query of the database's own reads is as it was read before",
  `Account a = em.find(Account.class, id); accounts.lock(id);`,
  READ,
  "r2 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts where (accounts.id = :id) for update",
  "! a row of Account that was read before is given as it was read then",
);

check(
  "a row is deleted at the commit, and has to be there then",
  `Log log = em.find(Log.class, id); if (log == null) return; em.remove(log);
   em.find(Account.class, by).setBalance(1);`,
  "r1 = select log.id as id, log.amount as amount, log.account as account from log where (log.id = :id)",
  "if (size(r1) <= 0)",
  "  return",
  READ.replace("r1", "r2").replace(":id", ":by"),
  "if (size(r2) <= 0)",
  "  rollback",
  "if not (1 == r2.balance)",
  "  update accounts set owner = r2.owner, balance = 1 where (accounts.id = r2.id)",
  "  if not (affected(S.run/3) = 1)",
  "    rollback",
  "delete log where (log.id = r1.id)",
  "if not (affected(S.run/4) = 1)",
  "  rollback",
);

const BY_HAND = `TransactionStatus status = manager.getTransaction(new DefaultTransactionDefinition());
   em.find(Account.class, id).setBalance(by);`;

test("a transaction manager's commit writes what changed, and its rollback forgets it", async () => {
  const found = await transactionsOf(DDL, {
    ...REPOSITORIES,
    "app/S.java": `package app; import org.springframework.transaction.*; import org.springframework.transaction.support.*;
      public class S { private PlatformTransactionManager manager; private jakarta.persistence.EntityManager em;
        public void commits(long id, long by) { ${BY_HAND} manager.commit(status); }
        public void undoes(long id, long by) { ${BY_HAND} manager.rollback(status);
          TransactionStatus other = manager.getTransaction(new DefaultTransactionDefinition()); em.find(Log.class, id); manager.commit(other); } }`,
  });
  const writes = found.flatMap(shown).filter((line) => /update|insert|delete/u.test(line));
  assert.deepEqual(writes, ["  update accounts set owner = r1.owner, balance = :by where (accounts.id = r1.id)"]); // prettier-ignore
});

check(
  "a derived query, and one over a relation",
  `accounts.findTop3ByOwnerNotAndBalanceBetweenOrderByIdDesc(1, 2, by); logs.countByOfOwner(id);`,
  "r1 = select x.id as id, x.owner as owner, x.balance as balance from accounts x where ((x.owner <> 1) and (x.balance >= 2) and (x.balance <= :by)) order by x.id desc limit 3",
  "r2 = select count(x.id) as count from log x inner join accounts x_of on (x_of.id = x.account) where (x_of.owner = :id)",
);

check(
  "what is not understood of a query is said",
  `accounts.busy();`,
  "opaque reads accounts",
  "! a query of JPA is not understood",
);

check(
  "what a query reads is as it was read before",
  `Account a = em.find(Account.class, id);
   for (Account each : accounts.of(ids)) logs.save(new Log(each, each.getBalance()));`,
  READ,
  "r2 = select a.id as id, a.owner as owner, a.balance as balance from accounts a where (a.owner in [:ids[1], :ids[2]])",
  "loop rows",
  "  insert log {id = null, account = r2.id, amount = r2.balance} returning r3: log.id as id",
  "! a row of Account that was read before is given as it was read then",
);

const GIVEN = `package app; import org.springframework.transaction.annotation.Transactional;
  public class S { private Logs logs; @Transactional public void run(Log log) { logs.save(log); } }`;

test("an entity that a caller gives is new without a key, and merged with one", async () => {
  const found = await transactionsOf(DDL, { ...REPOSITORIES, "app/S.java": GIVEN });
  const lines = found.flatMap(shown);
  assert.ok(lines.includes("if (:log.id == null)"), lines.join("\n"));
  assert.ok(lines.some((line) => /insert log \{id = null, account = :log\.of\.id, amount = :log\.amount\}/u.test(line)), lines.join("\n")); // prettier-ignore
  assert.ok(lines.some((line) => line.includes("from log where (log.id = :log.id)")), lines.join("\n")); // prettier-ignore
});

check(
  "new rows that belong to one are inserted behind it",
  `Account a = new Account(); a.setBalance(by); a.getLogs().add(new Log(a, by)); em.persist(a);`,
  "insert accounts {id = null, owner = 0, balance = :by} returning r1: accounts.id as id",
  "insert log {id = null, account = r1.id, amount = :by} returning r2: log.id as id",
);

test("methods that run before an insertion set what it inserts, those above first", async () => {
  const found = await transactionsOf(DDL, {
    "app/Base.java": `package app; import jakarta.persistence.*;
      @MappedSuperclass public class Base { @Id @GeneratedValue private Long id; private Long amount;
        @PrePersist void first() { if (amount == null) amount = 1L; } public Long getAmount() { return amount; } public void setAmount(Long amount) { this.amount = amount; } }`,
    "app/Log.java": `package app; import jakarta.persistence.*; import lombok.*;
      @Entity @Setter public class Log extends Base { private Long account; @PrePersist void second() { setAmount(getAmount() + 1); } }`,
    "app/Logs.java": REPOSITORIES["app/Logs.java"],
    "app/S.java": `package app; import org.springframework.transaction.annotation.Transactional; import com.fasterxml.jackson.databind.ObjectMapper;
      public class S { private Logs logs; private ObjectMapper objectMapper;
        @Transactional public void run(long by) { Log log = new Log(); log.setAccount(by); objectMapper.findAndRegisterModules(); logs.save(log); } }`,
  });
  assert.deepEqual(found.flatMap(shown), [
    "explicit",
    "insert log {id = null, account = :by, amount = 2} returning r1: log.id as id",
  ]);
});
