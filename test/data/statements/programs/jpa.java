package shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.List;
import java.util.Optional;
import org.hibernate.annotations.DynamicUpdate;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

@Entity
@Table(name = "accounts")
class Account {
  @Id @GeneratedValue(strategy = GenerationType.IDENTITY) private Integer id;
  @Column(unique = true, nullable = false) private String owner;
  private int balance;
  private String note;
  private int version = 1;
  @OneToMany(mappedBy = "account") private List<Order> orders;

  protected Account() {}
  Account(String owner, int balance) { this.owner = owner; this.balance = balance; }

  public Integer getId() { return id; }
  public String getOwner() { return owner; }
  public int getBalance() { return balance; }
  public void setBalance(int balance) { this.balance = balance; }
  public String getNote() { return note; }
  public void setNote(String note) { this.note = note; }
  public List<Order> getOrders() { return orders; }
  public void withdraw(int amount) {
    if (balance < amount) throw new IllegalStateException("not enough");
    balance -= amount;
  }
}

@Entity(name = "Counter")
@Table(name = "accounts")
class Counter {
  @Id @GeneratedValue(strategy = GenerationType.IDENTITY) private Integer id;
  private int balance;
  @Version private int version;

  public Integer getId() { return id; }
  public int getBalance() { return balance; }
  public void setBalance(int balance) { this.balance = balance; }
  public int getVersion() { return version; }
}

@Entity
@DynamicUpdate
@Table(name = "orders")
class Order {
  @Id @GeneratedValue(strategy = GenerationType.IDENTITY) private Integer id;
  @ManyToOne(fetch = FetchType.LAZY) @JoinColumn(name = "account_id") private Account account;
  private int total;
  private String status = "open";

  protected Order() {}
  Order(Account account, int total) { this.account = account; this.total = total; }

  public Integer getId() { return id; }
  public Account getAccount() { return account; }
  public int getTotal() { return total; }
  public void setTotal(int total) { this.total = total; }
  public String getStatus() { return status; }
  public void setStatus(String status) { this.status = status; }
}

interface Accounts extends JpaRepository<Account, Integer> {
  Optional<Account> findByOwner(String owner);
  List<Account> findByBalanceGreaterThanEqualOrderByIdDesc(int least);
  boolean existsByOwner(String owner);
  long countByBalanceLessThan(int most);
  void deleteByOwner(String owner);
  @Lock(LockModeType.PESSIMISTIC_WRITE) @Query("select a from Account a where a.id = :id") Optional<Account> lock(@Param("id") int id);
  @Modifying @Query("update Account a set a.balance = a.balance + :by where a.id = :id") int add(@Param("id") int id, @Param("by") int by);
  @Modifying @Query("update Account a set a.balance = a.balance - ?2 where a.id = ?1 and a.balance >= ?2") int take(int id, int by);
  @Query(value = "select sum(balance) from accounts", nativeQuery = true) long total();
  @Query("select coalesce(sum(a.balance), 0) from Account a where a.owner <> :owner") long others(@Param("owner") String owner);
}

interface Counters extends JpaRepository<Counter, Integer> {}

interface Orders extends JpaRepository<Order, Integer> {
  List<Order> findByAccountIdAndStatus(int account, String status);
  List<Order> findByAccount_OwnerIn(List<String> owners);
  @Modifying @Query("delete from Order o where o.account.id = :id and o.status = 'paid'") int clear(@Param("id") int id);
  @Query("select o from Order o join o.account a where a.owner = :owner order by o.id") List<Order> of(@Param("owner") String owner);
}

@Service
class Programs {
  private final Accounts accounts;
  private final Counters counters;
  private final Orders orders;
  @PersistenceContext private EntityManager em;

  Programs(Accounts accounts, Counters counters, Orders orders) {
    this.accounts = accounts;
    this.counters = counters;
    this.orders = orders;
  }

  // run 1, 2, 30
  // run 1, 2, 300
  @Transactional
  public void transfer(int from, int to, int amount) {
    Account one = accounts.findById(from).orElseThrow();
    Account other = accounts.findById(to).orElseThrow();
    one.withdraw(amount);
    other.setBalance(other.getBalance() + amount);
  }

  // run 1, 5
  // run 1, 0
  @Transactional
  public int add(int id, int amount) {
    Account account = accounts.findById(id).orElseThrow();
    account.setBalance(account.getBalance() + amount);
    return account.getBalance();
  }

  // run 1, 5
  public int addOutside(int id, int amount) {
    Account account = accounts.findById(id).orElseThrow();
    account.setBalance(account.getBalance() + amount);
    accounts.save(account);
    return account.getBalance();
  }

  // run 1, 5
  // run 2, 100
  @Transactional
  public void perhaps(int id, int least) {
    Account account = accounts.findById(id).orElseThrow();
    if (account.getBalance() < least) {
      account.setNote("low");
      return;
    }
    account.setBalance(account.getBalance() - least);
    accounts.save(account);
  }

  // run 1, 5
  @Transactional
  public void count(int id, int by) {
    Counter counter = counters.findById(id).orElseThrow();
    counter.setBalance(counter.getBalance() + by);
  }

  // run 1, 5
  public void countOutside(int id, int by) {
    Counter counter = counters.findById(id).orElseThrow();
    counter.setBalance(counter.getBalance() + by);
    counters.save(counter);
  }

  // run 1, 5
  @Transactional
  public void flushed(int id, int by) {
    Counter counter = counters.findById(id).orElseThrow();
    counter.setBalance(counter.getBalance() + by);
    counters.saveAndFlush(counter);
    counter.setBalance(counter.getBalance() + by);
  }

  // run 1, 5
  @Transactional
  public void locked(int id, int by) {
    Account account = accounts.lock(id).orElseThrow();
    account.setBalance(account.getBalance() + by);
  }

  // run 1, 5
  @Transactional
  public void lockedLate(int id, int by) {
    Account account = accounts.findById(id).orElseThrow();
    if (account.getBalance() < by) return;
    Account again = accounts.lock(id).orElseThrow();
    again.setBalance(again.getBalance() - by);
  }

  // run 1, 5
  @Transactional
  public void emLocked(int id, int by) {
    Account account = em.find(Account.class, id, LockModeType.PESSIMISTIC_WRITE);
    account.setBalance(account.getBalance() + by);
  }

  // run 1, 5
  @Transactional
  public void emLockedLate(int id, int by) {
    Account account = em.find(Account.class, id);
    em.lock(account, LockModeType.PESSIMISTIC_WRITE);
    account.setBalance(account.getBalance() + by);
  }

  // run 1, 5
  @Transactional
  public void emFoundLate(int id, int by) {
    Account account = em.find(Account.class, id);
    Account again = em.find(Account.class, id, LockModeType.PESSIMISTIC_READ);
    again.setBalance(account.getBalance() + by);
  }

  // run 1, 5
  @Transactional
  public void refreshed(int id, int by) {
    Account account = em.find(Account.class, id);
    em.refresh(account, LockModeType.PESSIMISTIC_WRITE);
    account.setBalance(account.getBalance() + by);
  }

  // run 1
  @Transactional
  public void forced(int id) {
    em.find(Counter.class, id, LockModeType.OPTIMISTIC_FORCE_INCREMENT);
  }

  // run 1
  @Transactional
  public int checked(int id) {
    return em.find(Counter.class, id, LockModeType.OPTIMISTIC).getBalance();
  }

  // run 1
  @Transactional
  public void versionLocked(int id) {
    Counter counter = em.find(Counter.class, id);
    em.lock(counter, LockModeType.PESSIMISTIC_WRITE);
    counter.setBalance(7);
  }

  // run "dan", 7
  // run "ann", 7
  @Transactional
  public Integer open(String owner, int balance) {
    if (accounts.existsByOwner(owner)) return null;
    return accounts.save(new Account(owner, balance)).getId();
  }

  // run "dan", 7
  @Transactional
  public void persisted(String owner, int balance) {
    Account account = new Account(owner, balance);
    em.persist(account);
    account.setNote("new");
    orders.save(new Order(account, 3));
  }

  // run 1, 9
  @Transactional
  public void ordered(int id, int total) {
    orders.save(new Order(accounts.getReferenceById(id), total));
  }

  // run 1, 5
  @Transactional
  public int modified(int id, int by) {
    return accounts.add(id, by);
  }

  // run 2, 60
  // run 2, 20
  @Transactional
  public void taken(int id, int by) {
    if (accounts.take(id, by) == 0) throw new IllegalStateException("not enough");
  }

  // run "ann"
  @Transactional(readOnly = true)
  public long sums(String owner) {
    return accounts.total() + accounts.others(owner) + accounts.countByBalanceLessThan(60);
  }

  // run "bob", 4
  // run "eve", 4
  @Transactional
  public void byOwner(String owner, int by) {
    accounts.findByOwner(owner).ifPresent(account -> account.setBalance(account.getBalance() + by));
  }

  // run 40
  @Transactional
  public void all(int least) {
    for (Account account : accounts.findByBalanceGreaterThanEqualOrderByIdDesc(least)) {
      account.setNote("rich");
    }
  }

  // run 3
  @Transactional
  public void removed(int id) {
    accounts.deleteById(id);
  }

  // run 3
  @Transactional
  public void removedOne(int id) {
    Account account = accounts.findById(id).orElseThrow();
    accounts.delete(account);
  }

  // run "cid"
  @Transactional
  public void removedBy(String owner) {
    accounts.deleteByOwner(owner);
  }

  // run 1
  @Transactional
  public void paid(int account) {
    for (Order order : orders.findByAccountIdAndStatus(account, "open")) order.setStatus("paid");
  }

  // run 1
  @Transactional
  public int cleared(int id) {
    Order order = orders.findById(id).orElseThrow();
    order.setStatus("paid");
    return orders.clear(2);
  }

  // run 1, 5
  @Transactional
  public void lazily(int id, int by) {
    Order order = orders.findById(id).orElseThrow();
    order.setTotal(order.getTotal() + by);
    order.getAccount().setBalance(order.getAccount().getBalance() - by);
  }

  // run "ann"
  @Transactional
  public void joined(String owner) {
    for (Order order : orders.of(owner)) order.setStatus("seen");
  }

  // run 1, 11
  @Transactional(isolation = Isolation.SERIALIZABLE)
  public void serially(int id, int balance) {
    Account account = em.find(Account.class, id);
    if (account == null) return;
    account.setBalance(balance);
  }

  // run 1, 4
  @Transactional
  public int queried(int id, int by) {
    return em.createQuery("update Account a set a.balance = a.balance - :by where a.id = :id")
        .setParameter("by", by)
        .setParameter("id", id)
        .executeUpdate();
  }

  // run "ann"
  @Transactional
  public int selected(String owner) {
    Account account = em.createQuery("select a from Account a where a.owner = :owner", Account.class)
        .setParameter("owner", owner)
        .setLockMode(LockModeType.PESSIMISTIC_WRITE)
        .getSingleResult();
    account.setBalance(account.getBalance() + 1);
    return account.getBalance();
  }

  // run 1, 3
  @Transactional
  public void natively(int id, int by) {
    em.createNativeQuery("update accounts set balance = balance + ? where id = ?")
        .setParameter(1, by)
        .setParameter(2, id)
        .executeUpdate();
  }

  // run 1, 5
  @Transactional
  public long dirtyThenQuery(int id, int by) {
    Account account = accounts.findById(id).orElseThrow();
    account.setBalance(account.getBalance() + by);
    return accounts.countByBalanceLessThan(200);
  }

  // run 1, 5
  @Transactional
  public void found(int id, int by) {
    Account account = accounts.findById(id).orElseThrow();
    Account again = accounts.findById(id).orElseThrow();
    account.setBalance(account.getBalance() + by);
    again.setBalance(again.getBalance() + by);
  }
}
