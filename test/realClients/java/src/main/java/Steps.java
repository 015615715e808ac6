import java.math.BigDecimal;
import java.sql.*;
import java.util.*;

/** Steps whose results are printed one a line, so that those of two servers can be compared. Arguments: PRODUCT PORT. */
final class Steps {
  interface Run {
    Object go() throws Throwable;
  }

  static void step(String name, Run run) {
    String text;
    try {
      text = plain(run.go());
    } catch (Throwable thrown) {
      text = "error " + code(thrown);
      if (System.getenv("ISOLENS_CLIENTS_VERBOSE") != null) System.err.println(name + " " + root(thrown));
    }
    System.out.println(name + "\t" + text.replace("\n", "\\n"));
  }

  private static Throwable root(Throwable thrown) {
    Throwable at = thrown;
    while (at.getCause() != null && at.getCause() != at && !(at instanceof SQLException)) at = at.getCause();
    return at;
  }

  static String code(Throwable thrown) {
    Throwable at = root(thrown);
    return at instanceof SQLException sql
        ? at.getClass().getSimpleName() + " " + sql.getSQLState() + " " + sql.getErrorCode()
        : at.getClass().getSimpleName();
  }

  static String plain(Object value) throws SQLException {
    if (value == null) return "null";
    if (value instanceof byte[] bytes) return "hex " + HexFormat.of().formatHex(bytes);
    if (value instanceof java.sql.Array array) return plain(Arrays.asList((Object[]) array.getArray()));
    if (value instanceof Collection<?> all) {
      List<String> texts = new ArrayList<>();
      for (Object each : all) texts.add(plain(each));
      return texts.toString();
    }
    if (value instanceof BigDecimal number) return number.toPlainString();
    return value.toString();
  }

  static List<List<Object>> rows(ResultSet result) throws SQLException {
    List<List<Object>> all = new ArrayList<>();
    int width = result.getMetaData().getColumnCount();
    while (result.next()) {
      List<Object> row = new ArrayList<>();
      for (int at = 1; at <= width; at++) row.add(result.getObject(at));
      all.add(row);
    }
    return all;
  }

  static List<List<Object>> rows(Connection c, String sql, Object... values) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      for (int at = 0; at < values.length; at++) s.setObject(at + 1, values[at]);
      return rows(s.executeQuery());
    }
  }

  static int change(Connection c, String sql, Object... values) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      for (int at = 0; at < values.length; at++) s.setObject(at + 1, values[at]);
      return s.executeUpdate();
    }
  }

  /** Some columns of what DatabaseMetaData lists. */
  static List<List<String>> listed(ResultSet result, String... columns) throws SQLException {
    List<List<String>> all = new ArrayList<>();
    while (result.next()) {
      List<String> row = new ArrayList<>();
      for (String column : columns) row.add(result.getString(column));
      all.add(row);
    }
    return all;
  }

  static String url(String product, String port, String driver) {
    return product.equals("postgres")
        ? "jdbc:postgresql://127.0.0.1:" + port + "/app"
        : "jdbc:" + driver + "://127.0.0.1:" + port + "/app?allowPublicKeyRetrieval=true&useSSL=false&allowLoadLocalInfile=true";
  }
}
