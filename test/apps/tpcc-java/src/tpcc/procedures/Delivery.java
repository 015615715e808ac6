package tpcc.procedures;

import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import tpcc.TpccTables;

/** Delivers the oldest order of a district that was not delivered yet. */
public class Delivery extends TpccProcedure {

  public final SQLStmt oldestOrder =
      new SQLStmt(
          """
          SELECT no_o_id FROM %s
           WHERE no_w_id = ?
             AND no_d_id = ?
           ORDER BY no_o_id LIMIT 1
          """
              .formatted(TpccTables.NEW_ORDER));

  public final SQLStmt takeOrder =
      new SQLStmt(
          "DELETE FROM "
              + TpccTables.NEW_ORDER
              + " WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?");

  public final SQLStmt buyer =
      new SQLStmt(
          "SELECT o_c_id FROM "
              + TpccTables.ORDERS
              + " WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?");

  public final SQLStmt setCarrier =
      new SQLStmt(
          "UPDATE "
              + TpccTables.ORDERS
              + " SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?");

  public final SQLStmt deliverLines =
      new SQLStmt(
          "UPDATE "
              + TpccTables.ORDER_LINE
              + " SET ol_delivered = true WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?");

  public final SQLStmt total =
      new SQLStmt(
          "SELECT sum(ol_amount) AS total FROM "
              + TpccTables.ORDER_LINE
              + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?");

  public final SQLStmt charge =
      new SQLStmt(
          """
          UPDATE %s
             SET c_balance = c_balance + ?,
                 c_delivery_cnt = c_delivery_cnt + 1
           WHERE c_w_id = ?
             AND c_d_id = ?
             AND c_id = ?
          """
              .formatted(TpccTables.CUSTOMER));

  @Override
  public Object run(Connection conn, int warehouse, int district, Terminal terminal)
      throws SQLException {
    Integer order = oldest(conn, warehouse, district);
    if (order == null) {
      return null;
    }
    change(conn, takeOrder, warehouse, district, order);
    int customer = customerOf(conn, warehouse, district, order);
    change(conn, setCarrier, terminal.carrier(), warehouse, district, order);
    change(conn, deliverLines, warehouse, district, order);
    int amount;
    try (PreparedStatement select =
            this.getPreparedStatement(conn, total, warehouse, district, order);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new RuntimeException("No lines of order " + order);
      }
      amount = row.getInt("total");
    }
    change(conn, charge, amount, warehouse, district, customer);
    return order;
  }

  private Integer oldest(Connection conn, int warehouse, int district) throws SQLException {
    try (PreparedStatement select =
            this.getPreparedStatement(conn, oldestOrder, warehouse, district);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        return null;
      }
      return row.getInt("no_o_id");
    }
  }

  private int customerOf(Connection conn, int warehouse, int district, int order)
      throws SQLException {
    try (PreparedStatement select =
            this.getPreparedStatement(conn, buyer, warehouse, district, order);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new RuntimeException("No order " + order);
      }
      return row.getInt("o_c_id");
    }
  }

  private void change(Connection conn, SQLStmt statement, Object... parameters)
      throws SQLException {
    try (PreparedStatement update = this.getPreparedStatement(conn, statement, parameters)) {
      update.executeUpdate();
    }
  }
}
