package shop;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

/** Items in the database. */
@Repository
class JdbcItemRepository implements ItemRepository {

  private static final String SELECT = "SELECT id, on_hand, version FROM items WHERE id = ?";

  private final JdbcTemplate jdbc;

  JdbcItemRepository(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @Override
  public Optional<Item> find(long id) {
    return jdbc.query(SELECT, this::read, id).stream().findFirst();
  }

  @Override
  public Optional<Item> findLocked(long id) {
    return jdbc.query(SELECT + " FOR UPDATE", this::read, id).stream().findFirst();
  }

  @Override
  public void save(Item item) {
    jdbc.update("UPDATE items SET on_hand = ? WHERE id = ?", item.onHand(), item.id());
  }

  @Override
  public void add(long id, int amount) {
    jdbc.update("UPDATE items SET on_hand = on_hand + ? WHERE id = ?", amount, id);
  }

  @Override
  public boolean saveVersion(Item item) {
    return jdbc.update(
            "UPDATE items SET on_hand = ?, version = version + 1 WHERE id = ? AND version = ?",
            item.onHand(),
            item.id(),
            item.version())
        == 1;
  }

  private Item read(ResultSet row, int index) throws SQLException {
    return new Item(row.getLong("id"), row.getInt("on_hand"), row.getInt("version"));
  }
}
