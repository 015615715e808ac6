// The calls that are recorded.
import jakarta.persistence.EntityManagerFactory;
import java.util.Random;
import javax.sql.DataSource;
import org.hibernate.boot.model.naming.CamelCaseToUnderscoresNamingStrategy;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.MutablePersistenceUnitInfo;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

public class ShopTest {
  interface Call {
    void run(int number);
  }

  static final String[] TABLES = {
    "DROP TABLE IF EXISTS account, event, booking, coupon, doctor, nurse, ticket, seat, document",
    "CREATE TABLE account (id serial PRIMARY KEY, balance int NOT NULL)",
    "CREATE TABLE event (id serial PRIMARY KEY, capacity int NOT NULL)",
    "CREATE TABLE booking (id serial PRIMARY KEY, event_id int NOT NULL REFERENCES event, who text NOT NULL)",
    "CREATE TABLE coupon (id serial PRIMARY KEY, code text NOT NULL UNIQUE, max_uses int NOT NULL, used int NOT NULL)",
    "CREATE TABLE doctor (id serial PRIMARY KEY, on_call boolean NOT NULL)",
    "CREATE TABLE nurse (id serial PRIMARY KEY, on_call boolean NOT NULL)",
    "CREATE TABLE ticket (id serial PRIMARY KEY, number int NOT NULL, holder text NOT NULL)",
    "CREATE TABLE seat (id serial PRIMARY KEY, number int NOT NULL UNIQUE, holder text NOT NULL)",
    "CREATE TABLE document (id serial PRIMARY KEY, body text NOT NULL, version int NOT NULL)",
    "INSERT INTO account (balance) VALUES (300), (400), (500)",
    "INSERT INTO event (capacity) VALUES (3), (4), (5)",
    "INSERT INTO coupon (code, max_uses, used) VALUES ('C-1', 3, 0), ('C-2', 4, 0), ('C-3', 5, 0)",
    "INSERT INTO doctor (on_call) SELECT true FROM generate_series(1, 9)",
    "INSERT INTO nurse (on_call) SELECT true FROM generate_series(1, 9)",
    "INSERT INTO document (body, version) VALUES ('', 0), ('', 3), ('', 7)",
  };

  @Configuration
  @EnableTransactionManagement
  @EnableJpaRepositories(considerNestedRepositories = true)
  @Import(Shop.class)
  public static class Settings {
    @Bean
    public DataSource dataSource() {
      String url =
          String.format(
              "jdbc:postgresql://%s:%s/%s",
              System.getenv("DB_HOST"), System.getenv("DB_PORT"), System.getenv("DB_NAME"));
      return new DriverManagerDataSource(url, System.getenv("DB_USER"), System.getenv("DB_PASSWORD"));
    }

    @Bean
    public LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
      LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
      factory.setDataSource(source);
      factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
      factory.setPackagesToScan("none");
      factory.setPersistenceUnitPostProcessors(Settings::addEntities);
      factory
          .getJpaPropertyMap()
          .put(
              "hibernate.physical_naming_strategy",
              CamelCaseToUnderscoresNamingStrategy.class.getName());
      return factory;
    }

    private static void addEntities(MutablePersistenceUnitInfo unit) {
      Class<?>[] entities = {
        Shop.Account.class, Shop.Event.class, Shop.Booking.class, Shop.Coupon.class,
        Shop.Doctor.class, Shop.Nurse.class, Shop.Ticket.class, Shop.Seat.class,
        Shop.Document.class
      };
      for (Class<?> entity : entities) unit.addManagedClassName(entity.getName());
    }

    @Bean
    public PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }
  }

  static void often(Call call) {
    int done = 0;
    for (int number = 0; number < 12; number++) {
      try {
        call.run(number);
        done++;
      } catch (Shop.Refused refused) {
        // One of the ways that are recorded.
      }
    }
    if (done < 3) throw new IllegalStateException("always refused");
  }

  public static void main(String[] arguments) {
    try (AnnotationConfigApplicationContext context =
        new AnnotationConfigApplicationContext(Settings.class)) {
      JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
      for (String sql : TABLES) database.execute(sql);
      Shop shop = context.getBean(Shop.class);
      Random random = new Random(7);
      often(n -> shop.withdraw(1 + random.nextInt(3), 3 + random.nextInt(88)));
      often(n -> shop.withdrawLocked(1 + random.nextInt(3), 3 + random.nextInt(88)));
      often(n -> shop.book(1 + random.nextInt(3), "w" + n));
      often(n -> shop.redeem("C-" + (1 + random.nextInt(3))));
      database.execute("UPDATE coupon SET used = 0 WHERE id > 0");
      often(n -> shop.redeemInPlace("C-" + (1 + random.nextInt(3))));
      often(n -> shop.goOffCall(1 + n % 9));
      often(n -> shop.goOffCallSerializable(1 + n % 9));
      often(n -> shop.issueTicket("h" + n));
      often(n -> shop.takeSeat(n % 10, "h" + n));
      often(n -> shop.editDocument(1 + random.nextInt(3), "text " + n));
    }
  }
}
