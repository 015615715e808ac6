package bank.procedures;

import bank.Tables;
import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Money comes into a checking account. */
public class DepositChecking extends Procedure {

  public final SQLStmt findCustomer =
      new SQLStmt("SELECT custid FROM " + Tables.ACCOUNTS + " WHERE name = ?");

  public final SQLStmt deposit =
      new SQLStmt("UPDATE " + Tables.CHECKING + " SET bal = bal + ? WHERE custid = ?");

  public void run(Connection conn, String name, int amount) throws SQLException {
    int customer;
    try (PreparedStatement statement = this.getPreparedStatement(conn, findCustomer)) {
      statement.setString(1, name);
      try (ResultSet result = statement.executeQuery()) {
        if (!result.next()) {
          throw new UserAbortException("Unknown customer '" + name + "'");
        }
        customer = result.getInt("custid");
      }
    }
    try (PreparedStatement statement = this.getPreparedStatement(conn, deposit, amount, customer)) {
      statement.executeUpdate();
    }
  }
}
