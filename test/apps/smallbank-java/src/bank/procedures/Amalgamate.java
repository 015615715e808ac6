package bank.procedures;

import bank.Tables;
import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** All money of one customer goes to another. */
public class Amalgamate extends Procedure {

  public final SQLStmt customerExists =
      new SQLStmt("SELECT custid FROM " + Tables.ACCOUNTS + " WHERE custid = ?");

  public final SQLStmt savings =
      new SQLStmt("SELECT bal FROM " + Tables.SAVINGS + " WHERE custid = ?");

  public final SQLStmt checking =
      new SQLStmt("SELECT bal FROM " + Tables.CHECKING + " WHERE custid = ?");

  public final SQLStmt takeAll =
      new SQLStmt("UPDATE " + Tables.CHECKING + " SET bal = 0 WHERE custid = ?");

  public final SQLStmt change =
      new SQLStmt("UPDATE " + Tables.SAVINGS + " SET bal = bal - ? WHERE custid = ?");

  public void run(Connection conn, int from, int to) throws SQLException {
    if (from == to) {
      throw new UserAbortException("One customer twice");
    }
    find(conn, from);
    find(conn, to);
    int saved;
    try (PreparedStatement statement = this.getPreparedStatement(conn, savings, from);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("No savings of customer " + from);
      }
      saved = result.getInt(1);
    }
    int checked;
    try (PreparedStatement statement = this.getPreparedStatement(conn, checking, to);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("No checking account of customer " + to);
      }
      checked = result.getInt(1);
    }
    int total = saved + checked;
    try (PreparedStatement statement = this.getPreparedStatement(conn, takeAll, from)) {
      statement.executeUpdate();
    }
    try (PreparedStatement statement = this.getPreparedStatement(conn, change, total, to)) {
      statement.executeUpdate();
    }
  }

  private void find(Connection conn, int customer) throws SQLException {
    try (PreparedStatement statement = this.getPreparedStatement(conn, customerExists, customer);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("Unknown customer " + customer);
      }
    }
  }
}
