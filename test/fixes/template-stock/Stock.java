import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Stock is read, compared and written back. */
@Service
public class Stock {

  private final JdbcTemplate jdbc;

  public Stock(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @Transactional
  public void take(int id, int amount) {
    int stock = jdbc.queryForObject("SELECT stock FROM item WHERE id = ?", Integer.class, id);
    if (stock < amount) {
      throw new IllegalStateException("sold out");
    }
    jdbc.update("UPDATE item SET stock = ? WHERE id = ?", stock - amount, id);
  }
}
