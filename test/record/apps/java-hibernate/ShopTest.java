// The calls that are recorded.
import java.util.Random;
import org.hibernate.SessionFactory;
import org.hibernate.boot.model.naming.CamelCaseToUnderscoresNamingStrategy;
import org.hibernate.cfg.Configuration;

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
    String url =
        String.format(
            "jdbc:postgresql://%s:%s/%s",
            System.getenv("DB_HOST"), System.getenv("DB_PORT"), System.getenv("DB_NAME"));
    Configuration configuration =
        new Configuration()
            .setPhysicalNamingStrategy(new CamelCaseToUnderscoresNamingStrategy())
            .setProperty("hibernate.connection.url", url)
            .setProperty("hibernate.connection.username", System.getenv("DB_USER"))
            .setProperty("hibernate.connection.password", System.getenv("DB_PASSWORD"));
    Class<?>[] entities = {
      Shop.Account.class, Shop.Event.class, Shop.Booking.class, Shop.Coupon.class, Shop.Doctor.class, Shop.Nurse.class,
      Shop.Ticket.class, Shop.Seat.class, Shop.Document.class
    };
    for (Class<?> entity : entities) configuration.addAnnotatedClass(entity);
    try (SessionFactory factory = configuration.buildSessionFactory()) {
      Shop shop = new Shop(factory);
      factory.inTransaction(
          session -> {
            for (String sql : TABLES) session.createNativeMutationQuery(sql).executeUpdate();
          });
      Random random = new Random(7);
      often(n -> shop.withdraw(1 + random.nextInt(3), 3 + random.nextInt(88)));
      often(n -> shop.withdrawLocked(1 + random.nextInt(3), 3 + random.nextInt(88)));
      often(n -> shop.book(1 + random.nextInt(3), "w" + n));
      often(n -> shop.redeem("C-" + (1 + random.nextInt(3))));
      factory.inTransaction(
          session ->
              session
                  .createNativeMutationQuery("UPDATE coupon SET used = 0 WHERE id > 0")
                  .executeUpdate());
      often(n -> shop.redeemInPlace("C-" + (1 + random.nextInt(3))));
      often(n -> shop.goOffCall(1 + n % 9));
      often(n -> shop.goOffCallSerializable(1 + n % 9));
      often(n -> shop.issueTicket("h" + n));
      often(n -> shop.takeSeat(n % 10, "h" + n));
      often(n -> shop.editDocument(1 + random.nextInt(3), "text " + n));
    }
  }
}
