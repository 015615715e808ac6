package tpcc.procedures;

import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import tpcc.TpccTables;

/** The last order of a customer, with what has been delivered of it. */
public class OrderStatus extends TpccProcedure {

  public final SQLStmt getCustomer =
      new SQLStmt(
          "SELECT c_balance FROM "
              + TpccTables.CUSTOMER
              + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");

  public final SQLStmt lastOrder =
      new SQLStmt(
          """
          SELECT o_id, o_carrier_id
            FROM %s
           WHERE o_w_id = ?
             AND o_d_id = ?
             AND o_c_id = ?
           ORDER BY o_id DESC LIMIT 1
          """
              .formatted(TpccTables.ORDERS));

  public final SQLStmt lines =
      new SQLStmt(
          """
          SELECT ol_i_id, ol_delivered
            FROM %s
           WHERE ol_w_id = ?
             AND ol_d_id = ?
             AND ol_o_id = ?
          """
              .formatted(TpccTables.ORDER_LINE));

  @Override
  public Object run(Connection conn, int warehouse, int district, Terminal terminal)
      throws SQLException {
    return status(conn, warehouse, district, terminal.customer());
  }

  public List<Object> status(Connection conn, int warehouse, int district, int customer)
      throws SQLException {
    List<Object> answer = new ArrayList<>();
    try (PreparedStatement select =
            this.getPreparedStatement(conn, getCustomer, warehouse, district, customer);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new UserAbortException("No customer " + customer);
      }
      answer.add(row.getInt(1));
    }
    int order;
    try (PreparedStatement select =
            this.getPreparedStatement(conn, lastOrder, warehouse, district, customer);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        return answer;
      }
      order = row.getInt("o_id");
      answer.add(row.getObject("o_carrier_id"));
    }
    try (PreparedStatement select =
            this.getPreparedStatement(conn, lines, warehouse, district, order);
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        answer.add(row.getInt(1));
        answer.add(row.getBoolean(2));
      }
    }
    return answer;
  }
}
