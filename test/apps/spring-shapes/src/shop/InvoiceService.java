package shop;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** The next number is the largest one and one. */
@Service
@Transactional
public class InvoiceService {

  private static final String LAST = "SELECT coalesce(max(number), 0) FROM invoices WHERE shop_id = ?";

  private static final String INSERT = "INSERT INTO invoices (shop_id, number) VALUES (?, ?)";

  private final JdbcTemplate jdbc;

  public InvoiceService(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  public int issue(long shop) {
    Integer last = jdbc.queryForObject(LAST, Integer.class, shop);
    int number = last + 1;
    jdbc.update(INSERT, shop, number);
    return number;
  }

  public int issueLocked(long shop) {
    jdbc.queryForObject("SELECT id FROM shops WHERE id = ? FOR UPDATE", Long.class, shop);
    Integer last = jdbc.queryForObject(LAST, Integer.class, shop);
    jdbc.update(INSERT, shop, last + 1);
    return last + 1;
  }

  @Transactional(isolation = Isolation.SERIALIZABLE)
  public int issueSerializable(long shop) {
    Integer last = jdbc.queryForObject(LAST, Integer.class, shop);
    jdbc.update(INSERT, shop, last + 1);
    return last + 1;
  }

  /** Receipts have a key that no number is in twice. */
  public int issueReceipt(long shop) {
    Integer last =
        jdbc.queryForObject(
            "SELECT coalesce(max(number), 0) FROM receipts WHERE shop_id = ?", Integer.class, shop);
    jdbc.update("INSERT INTO receipts (shop_id, number) VALUES (?, ?)", shop, last + 1);
    return last + 1;
  }
}
