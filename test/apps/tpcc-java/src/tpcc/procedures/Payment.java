package tpcc.procedures;

import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import tpcc.Customer;
import tpcc.TpccTables;

/** A customer pays. */
public class Payment extends TpccProcedure {

  public final SQLStmt payWarehouse =
      new SQLStmt("UPDATE " + TpccTables.WAREHOUSE + " SET w_ytd = w_ytd + ? WHERE w_id = ?");

  public final SQLStmt payDistrict =
      new SQLStmt(
          """
          UPDATE %s
             SET d_ytd = d_ytd + ?
           WHERE d_w_id = ?
             AND d_id = ?
          """
              .formatted(TpccTables.DISTRICT));

  public final SQLStmt getCustomer =
      new SQLStmt(
          """
          SELECT c_balance, c_ytd_payment, c_payment_cnt
            FROM %s
           WHERE c_w_id = ?
             AND c_d_id = ?
             AND c_id = ?
          """
              .formatted(TpccTables.CUSTOMER));

  public final SQLStmt setCustomer =
      new SQLStmt(
          """
          UPDATE %s
             SET c_balance = ?,
                 c_ytd_payment = ?,
                 c_payment_cnt = ?
           WHERE c_w_id = ?
             AND c_d_id = ?
             AND c_id = ?
          """
              .formatted(TpccTables.CUSTOMER));

  public final SQLStmt addHistory =
      new SQLStmt(
          "INSERT INTO "
              + TpccTables.HISTORY
              + " (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES (?, ?, ?, ?)");

  @Override
  public Object run(Connection conn, int warehouse, int district, Terminal terminal)
      throws SQLException {
    int amount = terminal.amount();
    if (amount <= 0) {
      throw new UserAbortException("The amount must be positive");
    }
    updateWarehouse(conn, warehouse, amount);
    updateDistrict(conn, warehouse, district, amount);
    int homeWarehouse = terminal.customerWarehouse();
    int homeDistrict = terminal.customerDistrict();
    Customer customer = customer(conn, homeWarehouse, homeDistrict, terminal.customer());
    customer.balance -= amount;
    customer.paid += amount;
    customer.payments += 1;
    save(conn, homeWarehouse, homeDistrict, customer);
    try (PreparedStatement insert =
        this.getPreparedStatement(
            conn, addHistory, homeWarehouse, homeDistrict, customer.id, amount)) {
      insert.executeUpdate();
    }
    return customer.balance;
  }

  private void updateWarehouse(Connection conn, int warehouse, int amount) throws SQLException {
    try (PreparedStatement update = this.getPreparedStatement(conn, payWarehouse)) {
      update.setInt(1, amount);
      update.setInt(2, warehouse);
      int changed = update.executeUpdate();
      if (changed == 0) {
        throw new RuntimeException("No warehouse " + warehouse);
      }
    }
  }

  private void updateDistrict(Connection conn, int warehouse, int district, int amount)
      throws SQLException {
    try (PreparedStatement update = this.getPreparedStatement(conn, payDistrict)) {
      update.setInt(1, amount);
      update.setInt(2, warehouse);
      update.setInt(3, district);
      int changed = update.executeUpdate();
      if (changed == 0) {
        throw new RuntimeException("No district " + district);
      }
    }
  }

  private Customer customer(Connection conn, int warehouse, int district, int id)
      throws SQLException {
    try (PreparedStatement select = this.getPreparedStatement(conn, getCustomer)) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      select.setInt(3, id);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new RuntimeException("No customer " + id);
        }
        Customer customer = new Customer();
        customer.id = id;
        customer.balance = row.getInt("c_balance");
        customer.paid = row.getInt("c_ytd_payment");
        customer.payments = row.getInt("c_payment_cnt");
        return customer;
      }
    }
  }

  private void save(Connection conn, int warehouse, int district, Customer customer)
      throws SQLException {
    try (PreparedStatement update = this.getPreparedStatement(conn, setCustomer)) {
      update.setInt(1, customer.balance);
      update.setInt(2, customer.paid);
      update.setInt(3, customer.payments);
      update.setInt(4, warehouse);
      update.setInt(5, district);
      update.setInt(6, customer.id);
      update.executeUpdate();
    }
  }
}
