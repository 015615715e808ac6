// Five races, and five that are correct, over plain JDBC.
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

public class Shop {
  static class Refused extends RuntimeException {}

  interface Work {
    void run() throws SQLException;
  }

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

  void goOffCall(int id) throws SQLException {
    leave("doctor", id);
  }

  void goOffCallSerializable(int id) throws SQLException {
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

}
