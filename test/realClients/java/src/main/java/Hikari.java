import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.*;
import java.util.concurrent.*;

/** HikariCP: levels, checks of connections, many threads. */
public class Hikari {
  public static void main(String[] args) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Steps.url(args[0], args[1], "mysql"));
    config.setUsername("app");
    config.setPassword("secret");
    config.setMaximumPoolSize(8);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setAutoCommit(false);
    config.setConnectionInitSql("select 1");
    try (HikariDataSource pool = new HikariDataSource(config)) {
      Steps.step("level", () -> {
        try (Connection c = pool.getConnection()) {
          return Arrays.asList(c.getTransactionIsolation(), c.isValid(1), c.getAutoCommit());
        }
      });
      Steps.step("create", () -> {
        try (Connection c = pool.getConnection()) {
          Steps.change(c, "drop table if exists hk");
          Steps.change(c, "create table hk (id int primary key, v int)");
          Steps.change(c, "insert into hk values (1, 0)");
          c.commit();
          return "ok";
        }
      });
      Steps.step("threads", () -> {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        List<Future<Integer>> all = new ArrayList<>();
        for (int at = 0; at < 100; at++)
          all.add(threads.submit(() -> {
            try (Connection c = pool.getConnection()) {
              int count = Steps.change(c, "update hk set v = v + 1 where id = 1");
              c.commit();
              return count;
            }
          }));
        for (Future<Integer> each : all) each.get();
        threads.shutdown();
        try (Connection c = pool.getConnection()) {
          return Steps.rows(c, "select v from hk");
        }
      });
      Steps.step("given back open", () -> {
        try (Connection c = pool.getConnection()) {
          Steps.change(c, "update hk set v = -1");
        }
        try (Connection c = pool.getConnection()) {
          return Steps.rows(c, "select v from hk");
        }
      });
    }
  }
}
