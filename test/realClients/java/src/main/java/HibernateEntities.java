import jakarta.persistence.*;
import java.math.BigDecimal;
import java.time.*;
import java.util.*;
import java.util.function.Function;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

/** Hibernate: schema by update and validate, identifiers, versions, locks, joins, batches. */
public class HibernateEntities {
  @Entity(name = "Owner")
  @Table(name = "hb_owner", indexes = @Index(name = "hb_name", columnList = "name"))
  public static class Owner {
    @Id @GeneratedValue(strategy = GenerationType.SEQUENCE) public Long id;
    @Version public int version;
    @Column(unique = true, length = 60) public String name;
    @Column(precision = 12, scale = 2) public BigDecimal balance;
    public LocalDateTime at;
    public LocalDate day;
    public boolean flag;
    @Enumerated(EnumType.STRING) @Column(length = 10) public Kind kind;
    public byte[] bytes;
    @OneToMany(mappedBy = "owner", cascade = CascadeType.ALL) public List<Entry> entries = new ArrayList<>();
  }

  public enum Kind { A, B }

  @Entity(name = "Entry")
  @Table(name = "hb_entry")
  public static class Entry {
    @Id @GeneratedValue(strategy = GenerationType.IDENTITY) public Long id;
    @ManyToOne(optional = false) public Owner owner;
    @Column(length = 1000) public String note;
  }

  static SessionFactory factory(String[] args, String mode) {
    Configuration configuration = new Configuration()
        .addAnnotatedClass(Owner.class)
        .addAnnotatedClass(Entry.class)
        .setProperty("hibernate.connection.url", Steps.url(args[0], args[1], "mariadb"))
        .setProperty("hibernate.connection.username", "app")
        .setProperty("hibernate.connection.password", "secret")
        .setProperty("hibernate.connection.pool_size", "5")
        .setProperty("hibernate.jdbc.batch_size", "20")
        .setProperty("hibernate.hbm2ddl.auto", mode);
    return configuration.buildSessionFactory();
  }

  static <T> T in(SessionFactory factory, Function<EntityManager, T> body) {
    try (EntityManager m = factory.createEntityManager()) {
      m.getTransaction().begin();
      try {
        T result = body.apply(m);
        m.getTransaction().commit();
        return result;
      } catch (RuntimeException thrown) {
        if (m.getTransaction().isActive()) m.getTransaction().rollback();
        throw thrown;
      }
    }
  }

  public static void main(String[] args) {
    java.util.logging.LogManager.getLogManager().reset();
    for (String mode : new String[] {"create", "update", "validate"})
      Steps.step("schema " + mode, () -> {
        factory(args, mode).close();
        return "ok";
      });
    try (SessionFactory f = factory(args, "create")) {
      Steps.step("persist", () -> in(f, m -> {
        Owner owner = new Owner();
        owner.name = "h\u00e9\u4e16";
        owner.balance = new BigDecimal("10.50");
        owner.at = LocalDateTime.of(2024, 2, 29, 1, 2, 3, 456000000);
        owner.day = LocalDate.of(2024, 2, 29);
        owner.flag = true;
        owner.kind = Kind.B;
        owner.bytes = new byte[] {0, (byte) 255, 65};
        Entry entry = new Entry();
        entry.owner = owner;
        entry.note = "note";
        owner.entries.add(entry);
        m.persist(owner);
        return owner.id + " " + entry.id;
      }));
      Steps.step("find", () -> in(f, m -> {
        Owner owner = m.createQuery("select o from Owner o where o.name = ?1", Owner.class).setParameter(1, "h\u00e9\u4e16").getSingleResult();
        return Arrays.asList(owner.balance, owner.at, owner.day, owner.flag, owner.kind, owner.bytes, owner.entries.get(0).note);
      }));
      Steps.step("batch", () -> in(f, m -> {
        for (int at = 0; at < 50; at++) {
          Owner owner = new Owner();
          owner.name = "n" + at;
          owner.balance = BigDecimal.valueOf(at);
          m.persist(owner);
        }
        m.flush();
        return m.createQuery("select count(o), sum(o.balance) from Owner o", Object[].class).getSingleResult()[0];
      }));
      Steps.step("optimistic lock", () -> {
        Owner old = in(f, m -> m.createQuery("from Owner where name = 'n1'", Owner.class).getSingleResult());
        in(f, m -> { m.find(Owner.class, old.id).balance = BigDecimal.TEN; return 1; });
        old.balance = BigDecimal.ZERO;
        return in(f, m -> m.merge(old).version);
      });
      Steps.step("pessimistic lock", () -> in(f, m -> m.createQuery("from Owner where name = 'n2'", Owner.class).setLockMode(LockModeType.PESSIMISTIC_WRITE).getSingleResult().name));
      Steps.step("skip locked", () -> in(f, m -> m.createQuery("from Owner order by id", Owner.class).setMaxResults(2).setLockMode(LockModeType.PESSIMISTIC_WRITE).setHint("jakarta.persistence.lock.timeout", -2).getResultList().size()));
      Steps.step("page", () -> in(f, m -> m.createQuery("from Owner order by name", Owner.class).setFirstResult(10).setMaxResults(3).getResultList().stream().map(o -> o.name).toList()));
      Steps.step("fetch join", () -> in(f, m -> m.createQuery("select o from Owner o left join fetch o.entries where o.name like 'h%'", Owner.class).getResultList().get(0).entries.size()));
      Steps.step("group", () -> in(f, m -> m.createQuery("select o.flag, count(*) from Owner o group by o.flag having count(*) > 1 order by 1", Object[].class).getResultList().size()));
      Steps.step("duplicate", () -> in(f, m -> { Owner owner = new Owner(); owner.name = "n3"; m.persist(owner); m.flush(); return 1; }));
      Steps.step("delete", () -> in(f, m -> { m.createQuery("delete from Entry").executeUpdate(); return m.createQuery("delete from Owner").executeUpdate(); }));
    }
    System.exit(0);
  }
}
