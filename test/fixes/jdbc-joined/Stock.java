import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Stock is read, compared and written back. */
public class Stock {

  private static final String ITEM = "item";

  public void take(Connection connection, int id, int amount) throws SQLException {
    connection.setAutoCommit(false);
    int stock;
    try (PreparedStatement read =
        connection.prepareStatement("SELECT stock FROM " + ITEM + " WHERE id = ?")) {
      read.setInt(1, id);
      ResultSet result = read.executeQuery();
      result.next();
      stock = result.getInt(1);
    }
    if (stock < amount) {
      connection.rollback();
      return;
    }
    try (PreparedStatement write =
        connection.prepareStatement("UPDATE item SET stock = ? WHERE id = ?")) {
      write.setInt(1, stock - amount);
      write.setInt(2, id);
      write.executeUpdate();
    }
    connection.commit();
  }
}
