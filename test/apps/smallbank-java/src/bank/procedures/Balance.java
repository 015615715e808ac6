package bank.procedures;

import bank.Tables;
import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What a customer has in both accounts. */
public class Balance extends Procedure {

  public final SQLStmt findCustomer =
      new SQLStmt("SELECT custid FROM " + Tables.ACCOUNTS + " WHERE name = ?");

  public final SQLStmt savings =
      new SQLStmt("SELECT bal FROM " + Tables.SAVINGS + " WHERE custid = ?");

  public final SQLStmt checking =
      new SQLStmt("SELECT bal FROM " + Tables.CHECKING + " WHERE custid = ?");

  public int run(Connection conn, String name) throws SQLException {
    int customer;
    try (PreparedStatement statement = this.getPreparedStatement(conn, findCustomer, name);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("Unknown customer '" + name + "'");
      }
      customer = result.getInt(1);
    }
    int saved;
    try (PreparedStatement statement = this.getPreparedStatement(conn, savings, customer);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("No savings of customer " + customer);
      }
      saved = result.getInt(1);
    }
    try (PreparedStatement statement = this.getPreparedStatement(conn, checking, customer);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("No checking account of customer " + customer);
      }
      return saved + result.getInt(1);
    }
  }
}
