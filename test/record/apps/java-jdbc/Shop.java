// Five races, and five that are correct, over plain JDBC; then the calls that are recorded.
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Random;

public class Shop {
  static class Refused extends RuntimeException {}

  interface Work {
    void run() throws SQLException;
  }

  interface Call {
    void run(int number) throws SQLException;
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

  final Connection connection;

  Shop(Connection connection) {
    this.connection = connection;
  }

  PreparedStatement prepared(String sql, Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int at = 0; at < values.length; at++) statement.setObject(at + 1, values[at]);
    return statement;
  }

  int[] row(String sql, int columns, Object... values) throws SQLException {
    try (PreparedStatement statement = prepared(sql, values); ResultSet rows = statement.executeQuery()) {
      rows.next();
      int[] found = new int[columns];
      for (int at = 0; at < columns; at++) found[at] = rows.getInt(at + 1);
      return found;
    }
  }

  int changed(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepared(sql, values)) {
      return statement.executeUpdate();
    }
  }

  void inTransaction(Work work) throws SQLException {
    connection.setAutoCommit(false);
    try {
      work.run();
      connection.commit();
    } catch (SQLException | Refused problem) {
      connection.rollback();
      throw problem;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  void debit(String lock, int id, int amount) throws SQLException {
    int balance = row("SELECT balance FROM account WHERE id = ?" + lock, 1, id)[0];
    if (balance < amount) throw new Refused();
    changed("UPDATE account SET balance = ? WHERE id = ?", balance - amount, id);
  }

  void withdraw(int id, int amount) throws SQLException {
    inTransaction(() -> debit("", id, amount));
  }

  void withdrawLocked(int id, int amount) throws SQLException {
    inTransaction(() -> debit(" FOR UPDATE", id, amount));
  }

  void book(int id, String who) throws SQLException {
    inTransaction(() -> {
      int capacity = row("SELECT capacity FROM event WHERE id = ?", 1, id)[0];
      int taken = row("SELECT count(*) FROM booking WHERE event_id = ?", 1, id)[0];
      if (taken >= capacity) throw new Refused();
      changed("INSERT INTO booking (event_id, who) VALUES (?, ?)", id, who);
    });
  }

  void redeem(String code) throws SQLException {
    inTransaction(() -> {
      int[] coupon = row("SELECT id, used, max_uses FROM coupon WHERE code = ?", 3, code);
      if (coupon[1] >= coupon[2]) throw new Refused();
      changed("UPDATE coupon SET used = ? WHERE id = ?", coupon[1] + 1, coupon[0]);
    });
  }

  void redeemInPlace(String code) throws SQLException {
    if (changed("UPDATE coupon SET used = used + 1 WHERE code = ? AND used < max_uses", code) == 0)
      throw new Refused();
  }

  void leave(String table, int id) throws SQLException {
    inTransaction(() -> {
      if (row("SELECT count(*) FROM " + table + " WHERE on_call", 1)[0] < 2) throw new Refused();
      changed("UPDATE " + table + " SET on_call = false WHERE id = ?", id);
    });
  }

  void leaveSerializable(int id) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    try {
      leave("nurse", id);
    } finally {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }
  }

  void issueTicket(String holder) throws SQLException {
    inTransaction(() -> {
      int last = row("SELECT coalesce(max(number), 0) AS last FROM ticket", 1)[0];
      changed("INSERT INTO ticket (number, holder) VALUES (?, ?)", last + 1, holder);
    });
  }

  void takeSeat(int number, String holder) {
    try {
      changed("INSERT INTO seat (number, holder) VALUES (?, ?)", number, holder);
    } catch (SQLException taken) {
      throw new Refused();
    }
  }

  void editDocument(int id, String body) throws SQLException {
    inTransaction(() -> {
      int version = row("SELECT version FROM document WHERE id = ?", 1, id)[0];
      String sql = "UPDATE document SET body = ?, version = ? WHERE id = ? AND version = ?";
      if (changed(sql, body, version + 1, id, version) == 0) throw new Refused();
    });
  }

  static void often(Call call) throws SQLException {
    int done = 0;
    for (int number = 0; number < 12; number++) {
      try {
        call.run(number);
        done++;
      } catch (Refused refused) {
        // One of the ways that are recorded.
      }
    }
    if (done < 3) throw new IllegalStateException("always refused");
  }

  public static void main(String[] arguments) throws SQLException {
    String url =
        String.format(
            "jdbc:postgresql://%s:%s/%s",
            System.getenv("DB_HOST"), System.getenv("DB_PORT"), System.getenv("DB_NAME"));
    try (Connection connection =
        DriverManager.getConnection(url, System.getenv("DB_USER"), System.getenv("DB_PASSWORD"))) {
      Shop shop = new Shop(connection);
      for (String sql : TABLES) shop.changed(sql);
      Random random = new Random(7);
      often(n -> shop.withdraw(1 + random.nextInt(3), 3 + random.nextInt(88)));
      often(n -> shop.withdrawLocked(1 + random.nextInt(3), 3 + random.nextInt(88)));
      often(n -> shop.book(1 + random.nextInt(3), "w" + n));
      often(n -> shop.redeem("C-" + (1 + random.nextInt(3))));
      shop.changed("UPDATE coupon SET used = 0 WHERE id > 0");
      often(n -> shop.redeemInPlace("C-" + (1 + random.nextInt(3))));
      often(n -> shop.leave("doctor", 1 + n % 9));
      often(n -> shop.leaveSerializable(1 + n % 9));
      often(n -> shop.issueTicket("h" + n));
      often(n -> shop.takeSeat(n % 10, "h" + n));
      often(n -> shop.editDocument(1 + random.nextInt(3), "text " + n));
    }
  }
}
