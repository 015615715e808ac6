package bank.procedures;

import bank.Tables;
import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Money goes from one checking account to another, if there is enough. */
public class SendPayment extends Procedure {

  public final SQLStmt checking =
      new SQLStmt("SELECT bal FROM " + Tables.CHECKING + " WHERE custid = ?");

  public final SQLStmt change =
      new SQLStmt("UPDATE " + Tables.CHECKING + " SET bal = bal + ? WHERE custid = ?");

  public void run(Connection conn, int from, int to, int amount) throws SQLException {
    if (from == to) {
      throw new UserAbortException("One customer twice");
    }
    int balance;
    try (PreparedStatement statement = this.getPreparedStatement(conn, checking, from);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new UserAbortException("No checking account of customer " + from);
      }
      balance = result.getInt(1);
    }
    if (balance < amount) {
      throw new UserAbortException("Too little in the checking account of customer " + from);
    }
    try (PreparedStatement statement = this.getPreparedStatement(conn, change)) {
      statement.setInt(1, -amount);
      statement.setInt(2, from);
      statement.executeUpdate();
      statement.setInt(1, amount);
      statement.setInt(2, to);
      statement.executeUpdate();
    }
  }
}
