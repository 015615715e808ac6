package bank.procedures;

import bank.Tables;
import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Money leaves a savings account, if there is enough. */
public class TransactSavings extends Procedure {

  public final SQLStmt findCustomer =
      new SQLStmt("SELECT custid FROM " + Tables.ACCOUNTS + " WHERE name = ?");

  public final SQLStmt savings =
      new SQLStmt("SELECT bal FROM " + Tables.SAVINGS + " WHERE custid = ?");

  public final SQLStmt withdraw =
      new SQLStmt("UPDATE " + Tables.SAVINGS + " SET bal = bal - ? WHERE custid = ?");

  public void run(Connection conn, String name, int amount) throws SQLException {
    final int customer;
    try (PreparedStatement statement = getPreparedStatement(conn, findCustomer, name)) {
      try (ResultSet result = statement.executeQuery()) {
        if (!result.next()) {
          String message = String.format("Unknown customer '%s'", name);
          throw new UserAbortException(message);
        }
        customer = result.getInt(1);
      }
    }
    try (PreparedStatement statement = getPreparedStatement(conn, savings, customer)) {
      try (ResultSet result = statement.executeQuery()) {
        if (!result.next()) {
          throw new UserAbortException("No savings of customer " + customer);
        }
        if (result.getInt(1) - amount < 0) {
          throw new UserAbortException("Too little in the savings of customer " + customer);
        }
      }
    }
    try (PreparedStatement statement = getPreparedStatement(conn, withdraw)) {
      statement.setInt(1, amount);
      statement.setInt(2, customer);
      statement.executeUpdate();
    }
  }
}
