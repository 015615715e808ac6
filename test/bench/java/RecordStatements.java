package shop;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManagerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * Runs the methods of Programs as the comments above them say, and prints the statements that went to the driver, one
 * JSON object a line: a part of recordStatements.ts, which starts it.
 */
@Configuration
@EnableTransactionManagement
@EnableJpaRepositories(basePackageClasses = RecordStatements.class, considerNestedRepositories = true)
public class RecordStatements {
  static final List<String> LOG = new ArrayList<>();
  static final Map<Object, Integer> CONNECTIONS = new IdentityHashMap<>();
  static final String URL = System.getenv("JDBC_URL");

  @Bean
  DataSource dataSource() {
    return new AbstractDataSource() {
      @Override
      public Connection getConnection() throws java.sql.SQLException {
        return watched(DriverManager.getConnection(URL));
      }

      @Override
      public Connection getConnection(String user, String password) throws java.sql.SQLException {
        return getConnection();
      }
    };
  }

  @Bean
  LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
    LocalContainerEntityManagerFactoryBean made = new LocalContainerEntityManagerFactoryBean();
    made.setDataSource(source);
    made.setPackagesToScan("shop");
    made.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    return made;
  }

  @Bean
  JpaTransactionManager transactionManager(EntityManagerFactory factory) {
    return new JpaTransactionManager(factory);
  }

  @Bean
  Programs programs(Accounts accounts, Counters counters, Orders orders) {
    return new Programs(accounts, counters, orders);
  }

  /** `on` numbers connections of a run; a transaction begins at the first statement without autocommit. */
  static Connection watched(Connection inner) {
    boolean[] isOpen = {false};
    return (Connection) Proxy.newProxyInstance(
        RecordStatements.class.getClassLoader(),
        new Class<?>[] {Connection.class},
        (self, method, args) -> {
          switch (method.getName()) {
            case "commit", "rollback" -> {
              if (args == null && isOpen[0]) {
                keep(inner, method.getName().toUpperCase(), List.of());
                isOpen[0] = false;
              }
            }
            case "setTransactionIsolation" -> {
              if ((Integer) args[0] == Connection.TRANSACTION_SERIALIZABLE) {
                keep(inner, "BEGIN ISOLATION LEVEL SERIALIZABLE", List.of());
                isOpen[0] = true;
              }
            }
            default -> {}
          }
          Object result = called(inner, method, args);
          if (!(result instanceof PreparedStatement statement)) return result;
          return watched(statement, inner, (String) args[0], isOpen);
        });
  }

  static PreparedStatement watched(PreparedStatement inner, Connection on, String sql, boolean[] isOpen) {
    Map<Integer, Object> values = new TreeMap<>();
    return (PreparedStatement) Proxy.newProxyInstance(
        RecordStatements.class.getClassLoader(),
        new Class<?>[] {PreparedStatement.class},
        (self, method, args) -> {
          String name = method.getName();
          if (name.equals("setNull")) values.put((Integer) args[0], null);
          else if (name.startsWith("set") && args != null && args.length >= 2 && args[0] instanceof Integer at) values.put(at, args[1]);
          else if (name.equals("addBatch") || (name.startsWith("execute") && !name.equals("executeBatch"))) {
            if (!on.getAutoCommit() && !isOpen[0]) {
              keep(on, "BEGIN", List.of());
              isOpen[0] = true;
            }
            keep(on, numbered(sql), new ArrayList<>(values.values()));
          }
          return called(inner, method, args);
        });
  }

  static Object called(Object self, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(self, args);
    } catch (InvocationTargetException problem) {
      throw problem.getCause();
    }
  }

  static String numbered(String sql) {
    StringBuilder made = new StringBuilder();
    int number = 0;
    for (String part : sql.split("\\?", -1)) made.append(number++ == 0 ? "" : "$" + (number - 1)).append(part);
    return made.toString();
  }

  static void keep(Object on, String text, List<Object> values) {
    int number = CONNECTIONS.computeIfAbsent(on, each -> CONNECTIONS.size() + 1);
    LOG.add("{\"on\":" + number + ",\"text\":" + json(text) + (values.isEmpty() ? "" : ",\"values\":" + json(values)) + "}");
  }

  public static void main(String[] args) throws Exception {
    String source = Files.readString(Path.of(args[0]));
    String reset = Files.readString(Path.of(args[1]));
    Connection admin = DriverManager.getConnection(URL);
    admin.createStatement().execute(reset);
    List<String> lines = new ArrayList<>();
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(RecordStatements.class)) {
      Programs programs = context.getBean(Programs.class);
      Map<String, String> initial = rows(admin);
      List<String> waiting = new ArrayList<>();
      for (String line : source.split("\n")) {
        Matcher run = Pattern.compile("^\\s*// run\\b(.*)$").matcher(line);
        if (run.find()) waiting.add(run.group(1).trim());
        Matcher method = Pattern.compile("^  public [\\w<>]+ (\\w+)\\(").matcher(line);
        if (!method.find()) continue;
        for (String given : waiting) {
          admin.createStatement().execute(reset);
          LOG.clear();
          CONNECTIONS.clear();
          String outcome = outcome(programs, method.group(1), given);
          List<String> left = new ArrayList<>();
          rows(admin).forEach((table, now) -> {
            if (!now.equals(initial.get(table))) left.add(json(table) + ":" + now);
          });
          lines.add("{\"name\":" + json(method.group(1)) + ",\"arguments\":[" + given + "],\"statements\":[" + String.join(",", LOG) + "]" + outcome + ",\"rows\":{" + String.join(",", left) + "}}");
        }
        waiting.clear();
      }
    }
    Files.writeString(Path.of(args[2]), "[" + String.join(",\n", lines) + "]");
  }

  static String outcome(Programs programs, String name, String given) throws Exception {
    Method method = Arrays.stream(Programs.class.getDeclaredMethods()).filter(each -> each.getName().equals(name)).findFirst().orElseThrow();
    String[] texts = given.isEmpty() ? new String[0] : given.split(",\\s*");
    Object[] values = new Object[texts.length];
    for (int at = 0; at < texts.length; at++) values[at] = texts[at].startsWith("\"") ? (Object) texts[at].substring(1, texts[at].length() - 1) : Integer.valueOf(texts[at]);
    method.setAccessible(true);
    try {
      Object result = method.invoke(programs, values);
      return method.getReturnType() == void.class ? "" : ",\"returned\":" + json(result);
    } catch (InvocationTargetException problem) {
      return ",\"thrown\":" + json(String.valueOf(problem.getCause().getMessage()));
    }
  }

  static Map<String, String> rows(Connection admin) throws Exception {
    Map<String, String> found = new LinkedHashMap<>();
    for (String table : List.of("accounts", "orders", "lines")) {
      List<String> all = new ArrayList<>();
      try (ResultSet result = admin.createStatement().executeQuery("SELECT * FROM " + table + " ORDER BY 1, 2")) {
        while (result.next()) {
          List<String> fields = new ArrayList<>();
          for (int at = 1; at <= result.getMetaData().getColumnCount(); at++) fields.add(json(result.getMetaData().getColumnName(at)) + ":" + json(result.getObject(at)));
          all.add("{" + String.join(",", fields) + "}");
        }
      }
      found.put(table, "[" + String.join(",", all) + "]");
    }
    return found;
  }

  static String json(Object value) {
    if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
    if (value instanceof List<?> list) return "[" + String.join(",", list.stream().map(RecordStatements::json).toList()) + "]";
    return "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }
}
