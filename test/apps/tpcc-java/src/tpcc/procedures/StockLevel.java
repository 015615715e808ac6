package tpcc.procedures;

import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import tpcc.TpccTables;

/** How many items of the last twenty orders run short. */
public class StockLevel extends TpccProcedure {

  public final SQLStmt nextOrder =
      new SQLStmt(
          "SELECT d_next_o_id FROM " + TpccTables.DISTRICT + " WHERE d_w_id = ? AND d_id = ?");

  public final SQLStmt count =
      new SQLStmt(
          """
          SELECT COUNT(DISTINCT s_i_id) AS stock_count
            FROM %s JOIN %s ON s_w_id = ? AND s_i_id = ol_i_id
           WHERE ol_w_id = ?
             AND ol_d_id = ?
             AND ol_o_id < ?
             AND ol_o_id >= ?
             AND s_quantity < ?
          """
              .formatted(TpccTables.ORDER_LINE, TpccTables.STOCK));

  @Override
  public Object run(Connection conn, int warehouse, int district, Terminal terminal)
      throws SQLException {
    return level(conn, warehouse, district, terminal.threshold());
  }

  public int level(Connection conn, int warehouse, int district, int threshold)
      throws SQLException {
    int next;
    try (PreparedStatement select =
            this.getPreparedStatement(conn, nextOrder, warehouse, district);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new RuntimeException("No district " + district);
      }
      next = row.getInt("d_next_o_id");
    }
    try (PreparedStatement select = this.getPreparedStatement(conn, count)) {
      select.setInt(1, warehouse);
      select.setInt(2, warehouse);
      select.setInt(3, district);
      select.setInt(4, next);
      select.setInt(5, next - 20);
      select.setInt(6, threshold);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new RuntimeException("No count");
        }
        return row.getInt("stock_count");
      }
    }
  }
}
