package shop;

import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A shop keeps an owner. */
@Service
public class MemberService {

  private final JdbcTemplate jdbc;

  public MemberService(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @Transactional
  public void leave(long shop, long member) {
    Integer owners =
        jdbc.queryForObject(
            "SELECT count(*) FROM members WHERE shop_id = ? AND role = 'owner'",
            Integer.class,
            shop);
    if (owners <= 1) {
      throw new IllegalStateException("The last owner stays");
    }
    jdbc.update("DELETE FROM members WHERE id = ? AND shop_id = ?", member, shop);
  }

  @Transactional
  public void leaveLocked(long shop, long member) {
    jdbc.queryForObject("SELECT id FROM shops WHERE id = ? FOR UPDATE", Long.class, shop);
    List<Long> owners =
        jdbc.queryForList(
            "SELECT id FROM members WHERE shop_id = ? AND role = 'owner'", Long.class, shop);
    if (owners.size() <= 1) {
      throw new IllegalStateException("The last owner stays");
    }
    jdbc.update("DELETE FROM members WHERE id = ? AND shop_id = ?", member, shop);
  }
}
