package shop;

import java.util.Map;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A shop has so many tokens at the most. */
@Service
public class TokenService {

  private static final int MOST = 3;

  private final NamedParameterJdbcTemplate jdbc;
  private final PlatformTransactionManager transactions;

  public TokenService(NamedParameterJdbcTemplate jdbc, PlatformTransactionManager transactions) {
    this.jdbc = jdbc;
    this.transactions = transactions;
  }

  @Transactional
  public void create(long shop, String name) {
    if (countOf(shop) >= MOST) {
      throw new IllegalStateException("A shop has " + MOST + " tokens at the most");
    }
    insert(shop, name);
  }

  @Transactional
  public void createLocked(long shop, String name) {
    jdbc.queryForObject(
        "SELECT name FROM shops WHERE id = :shop FOR UPDATE", Map.of("shop", shop), String.class);
    if (countOf(shop) < MOST) {
      insert(shop, name);
    }
  }

  public void createSerializable(long shop, String name) {
    TransactionTemplate template = new TransactionTemplate(transactions);
    template.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
    template.executeWithoutResult(
        status -> {
          if (countOf(shop) >= MOST) {
            throw new IllegalStateException("A shop has " + MOST + " tokens at the most");
          }
          insert(shop, name);
        });
  }

  private int countOf(long shop) {
    Integer count =
        jdbc.queryForObject(
            "SELECT count(*) FROM tokens WHERE shop_id = :shop", Map.of("shop", shop), Integer.class);
    return count == null ? 0 : count;
  }

  private void insert(long shop, String name) {
    jdbc.update(
        """
        INSERT INTO tokens (shop_id, name)
        VALUES (:shop, :name)
        """,
        new MapSqlParameterSource("shop", shop).addValue("name", name));
  }
}
