package tpcc.procedures;

import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import tpcc.TpccTables;

/** A customer orders items. */
public class NewOrder extends TpccProcedure {

  public final SQLStmt getCustomer =
      new SQLStmt(
          "SELECT c_discount FROM "
              + TpccTables.CUSTOMER
              + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");

  public final SQLStmt getWarehouse =
      new SQLStmt("SELECT w_tax FROM " + TpccTables.WAREHOUSE + " WHERE w_id = ?");

  public final SQLStmt getDistrict =
      new SQLStmt(
          """
          SELECT d_next_o_id, d_tax
            FROM %s
           WHERE d_w_id = ? AND d_id = ? FOR UPDATE
          """
              .formatted(TpccTables.DISTRICT));

  public final SQLStmt nextOrder =
      new SQLStmt(
          """
          UPDATE %s
             SET d_next_o_id = d_next_o_id + 1
           WHERE d_w_id = ?
             AND d_id = ?
          """
              .formatted(TpccTables.DISTRICT));

  public final SQLStmt addOrder =
      new SQLStmt(
          "INSERT INTO "
              + TpccTables.ORDERS
              + " (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt) VALUES (?, ?, ?, ?, ?)");

  public final SQLStmt addNewOrder =
      new SQLStmt(
          "INSERT INTO " + TpccTables.NEW_ORDER + " (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)");

  public final SQLStmt getItem =
      new SQLStmt("SELECT i_price, i_name FROM " + TpccTables.ITEM + " WHERE i_id = ?");

  public final SQLStmt getStock =
      new SQLStmt(
          "SELECT s_quantity FROM "
              + TpccTables.STOCK
              + " WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE");

  public final SQLStmt setStock =
      new SQLStmt(
          """
          UPDATE %s
             SET s_quantity = ?,
                 s_ytd = s_ytd + ?,
                 s_order_cnt = s_order_cnt + 1
           WHERE s_w_id = ?
             AND s_i_id = ?
          """
              .formatted(TpccTables.STOCK));

  public final SQLStmt addLine =
      new SQLStmt(
          """
          INSERT INTO %s
           (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
           VALUES (?,?,?,?,?,?,?,?)
          """
              .formatted(TpccTables.ORDER_LINE));

  @Override
  public Object run(Connection conn, int warehouse, int district, Terminal terminal)
      throws SQLException {
    return order(
        conn, warehouse, district, terminal.customer(), terminal.items(), terminal.quantities());
  }

  private int order(
      Connection conn, int warehouse, int district, int customer, int[] items, int[] quantities)
      throws SQLException {
    int discount = find(conn, getCustomer, warehouse, district, customer);
    int tax = find(conn, getWarehouse, warehouse);
    int total = 0;
    int order = takeNumber(conn, warehouse, district);
    try (PreparedStatement insert = this.getPreparedStatement(conn, addOrder)) {
      insert.setInt(1, warehouse);
      insert.setInt(2, district);
      insert.setInt(3, order);
      insert.setInt(4, customer);
      insert.setInt(5, items.length);
      insert.executeUpdate();
    }
    try (PreparedStatement insert =
        this.getPreparedStatement(conn, addNewOrder, warehouse, district, order)) {
      insert.executeUpdate();
    }
    try (PreparedStatement stock = this.getPreparedStatement(conn, setStock);
        PreparedStatement lines = this.getPreparedStatement(conn, addLine)) {
      for (int number = 1; number <= items.length; number++) {
        int item = items[number - 1];
        int quantity = quantities[number - 1];
        int price = find(conn, getItem, item);
        int inStock = find(conn, getStock, warehouse, item);
        if (inStock - quantity >= 10) {
          inStock -= quantity;
        } else {
          inStock += 91 - quantity;
        }
        stock.setInt(1, inStock);
        stock.setInt(2, quantity);
        stock.setInt(3, warehouse);
        stock.setInt(4, item);
        stock.executeUpdate();

        lines.setInt(1, warehouse);
        lines.setInt(2, district);
        lines.setInt(3, order);
        lines.setInt(4, number);
        lines.setInt(5, item);
        lines.setInt(6, warehouse);
        lines.setInt(7, quantity);
        lines.setInt(8, quantity * price);
        lines.addBatch();
        total += quantity * price;
      }
      lines.executeBatch();
      lines.clearBatch();
    }
    return total * (100 - discount) / 100 * (100 + tax) / 100;
  }

  private int takeNumber(Connection conn, int warehouse, int district) throws SQLException {
    int number = find(conn, getDistrict, warehouse, district);
    try (PreparedStatement update =
        this.getPreparedStatement(conn, nextOrder, warehouse, district)) {
      if (update.executeUpdate() == 0) {
        throw new RuntimeException("No district " + district);
      }
    }
    return number;
  }

  /** The first column of the only row. */
  private int find(Connection conn, SQLStmt query, Object... keys) throws SQLException {
    try (PreparedStatement select = this.getPreparedStatement(conn, query, keys);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new UserAbortException("Nothing is found");
      }
      return row.getInt(1);
    }
  }
}
