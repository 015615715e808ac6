package bank.procedures;

import bank.Tables;
import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A check is paid from the checking account; one that both accounts do not cover costs a fee. */
public class WriteCheck extends Procedure {

  public final SQLStmt findCustomer =
      new SQLStmt("SELECT custid FROM " + Tables.ACCOUNTS + " WHERE name = ?");

  public final SQLStmt savings =
      new SQLStmt("SELECT bal FROM " + Tables.SAVINGS + " WHERE custid = ?");

  public final SQLStmt checking =
      new SQLStmt("SELECT bal FROM " + Tables.CHECKING + " WHERE custid = ?");

  public final SQLStmt pay =
      new SQLStmt(
          """
          UPDATE %s
             SET bal = bal - ?
           WHERE custid = ?
          """
              .formatted(Tables.CHECKING));

  public void run(Connection conn, String name, int amount) throws SQLException {
    int customer;
    try (PreparedStatement statement = this.getPreparedStatement(conn, findCustomer, name)) {
      try (ResultSet result = statement.executeQuery()) {
        if (!result.next()) {
          throw new UserAbortException("Unknown customer '" + name + "'");
        }
        customer = result.getInt(1);
      }
    }
    int total = balance(conn, savings, customer) + balance(conn, checking, customer);
    int due = total < amount ? amount + 1 : amount;
    try (PreparedStatement statement = this.getPreparedStatement(conn, pay, due, customer)) {
      statement.executeUpdate();
    }
  }

  private int balance(Connection conn, SQLStmt query, int customer) throws SQLException {
    try (PreparedStatement statement = this.getPreparedStatement(conn, query, customer);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("No account of customer " + customer);
      }
      return result.getInt(1);
    }
  }
}
