import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.*;
import java.math.BigDecimal;
import java.util.*;
import javax.sql.DataSource;
import org.springframework.context.annotation.*;
import org.springframework.data.domain.*;
import org.springframework.data.jpa.repository.*;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.*;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.*;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Data JPA over Hibernate and HikariCP: repositories, pages, locks, transactions, translated errors. */
@Configuration
@EnableTransactionManagement
@EnableJpaRepositories(considerNestedRepositories = true)
public class SpringData {
  static String product, port;

  @Entity(name = "SpAccount")
  @Table(name = "sp_account")
  public static class Account {
    @Id @GeneratedValue(strategy = GenerationType.IDENTITY) public Long id;
    @Version public int version;
    @Column(unique = true, nullable = false, length = 40) public String owner;
    @Column(precision = 12, scale = 2) public BigDecimal balance;
    @Enumerated(EnumType.STRING) public Kind kind;
    @ElementCollection @CollectionTable(name = "sp_tag") public Set<String> tags = new TreeSet<>();
  }

  public enum Kind { PLAIN, GOLD }

  public interface Accounts extends JpaRepository<Account, Long> {
    Optional<Account> findByOwner(String owner);
    List<Account> findByBalanceGreaterThanOrderByOwner(BigDecimal balance);
    Page<Account> findByOwnerStartingWith(String start, Pageable page);
    boolean existsByOwner(String owner);
    long countByKind(Kind kind);
    @Lock(LockModeType.PESSIMISTIC_WRITE) @Query("select a from SpAccount a where a.owner = ?1") Account locked(String owner);
    @Modifying @Transactional @Query("update SpAccount a set a.balance = a.balance + ?2 where a.owner = ?1") int add(String owner, BigDecimal amount);
    @Query(value = "select owner from sp_account where balance > ?1 order by owner limit 2", nativeQuery = true) List<String> natively(BigDecimal balance);
    @Transactional long deleteByOwnerStartingWith(String start);
  }

  @Bean DataSource source() {
    HikariDataSource source = new HikariDataSource();
    source.setJdbcUrl(Steps.url(product, port, "mariadb"));
    source.setUsername("app");
    source.setPassword("secret");
    source.setMaximumPoolSize(5);
    return source;
  }

  @Bean LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
    var factory = new LocalContainerEntityManagerFactoryBean();
    factory.setDataSource(source);
    factory.setPackagesToScan("nothing");
    factory.setManagedTypes(org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes.of(Account.class.getName()));
    factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
    return factory;
  }

  @Bean PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
    return new JpaTransactionManager(factory);
  }

  static Account account(String owner, int balance) {
    Account made = new Account();
    made.owner = owner;
    made.balance = BigDecimal.valueOf(balance);
    made.kind = Kind.PLAIN;
    made.tags.add("new");
    return made;
  }

  static String named(Steps.Run run) throws Throwable {
    try {
      return String.valueOf(run.go());
    } catch (RuntimeException thrown) {
      return thrown.getClass().getSimpleName();
    }
  }

  public static void main(String[] args) {
    java.util.logging.LogManager.getLogManager().reset();
    product = args[0];
    port = args[1];
    try (var context = new AnnotationConfigApplicationContext(SpringData.class)) {
      Accounts accounts = context.getBean(Accounts.class);
      var transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
      Steps.step("save", () -> accounts.save(account("ann", 100)).id);
      Steps.step("save all", () -> accounts.saveAll(List.of(account("bob", 50), account("b\u00e9a", 5))).size());
      Steps.step("find", () -> accounts.findByOwner("ann").map(a -> a.balance + " " + a.kind + " " + a.version).orElse("none"));
      Steps.step("derived", () -> accounts.findByBalanceGreaterThanOrderByOwner(BigDecimal.TEN).stream().map(a -> a.owner).toList());
      Steps.step("page", () -> { var page = accounts.findByOwnerStartingWith("b", PageRequest.of(0, 1, Sort.by("owner"))); return page.getTotalElements() + " " + page.getTotalPages() + " " + page.getContent().get(0).owner; });
      Steps.step("exists", () -> accounts.existsByOwner("bob") + " " + accounts.existsByOwner("cat") + " " + accounts.countByKind(Kind.PLAIN));
      Steps.step("modify", () -> accounts.add("ann", BigDecimal.ONE) + " " + accounts.findByOwner("ann").get().balance);
      Steps.step("native", () -> accounts.natively(BigDecimal.ONE));
      Steps.step("lock", () -> transactions.execute(s -> { Account locked = accounts.locked("ann"); locked.balance = locked.balance.add(BigDecimal.TEN); locked.tags.add("old"); return locked.tags; }));
      Steps.step("rolled back", () -> named(() -> transactions.execute(s -> { accounts.save(account("never", 1)); throw new IllegalStateException(); })) + " " + accounts.existsByOwner("never"));
      Steps.step("duplicate", () -> named(() -> accounts.save(account("ann", 1)).id));
      Steps.step("null", () -> named(() -> accounts.save(account(null, 1)).id));
      Steps.step("optimistic", () -> { Account old = accounts.findByOwner("bob").get(); transactions.execute(s -> accounts.findByOwner("bob").get().kind = Kind.GOLD); old.balance = BigDecimal.ZERO; return named(() -> accounts.save(old).version); });
      Steps.step("serializable", () -> { transactions.setIsolationLevel(org.springframework.transaction.TransactionDefinition.ISOLATION_SERIALIZABLE); return transactions.execute(s -> accounts.count()); });
      Steps.step("template", () -> new JdbcTemplate(context.getBean(DataSource.class)).queryForList("select owner from sp_account order by owner", String.class));
      Steps.step("bad grammar", () -> named(() -> new JdbcTemplate(context.getBean(DataSource.class)).queryForList("select * from nothing")));
      Steps.step("delete", () -> accounts.deleteByOwnerStartingWith("b") + " " + accounts.count());
    }
    System.exit(0);
  }
}
