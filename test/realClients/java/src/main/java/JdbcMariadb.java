/** Plain JDBC with MariaDB's connector. */
public class JdbcMariadb {
  public static void main(String[] args) throws Exception {
    Jdbc.run(args, "mariadb");
  }
}
