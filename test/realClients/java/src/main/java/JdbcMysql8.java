/** Plain JDBC with Connector/J 8, which stands before the newer one in the class path. */
public class JdbcMysql8 {
  public static void main(String[] args) throws Exception {
    Steps.step("version", () -> com.mysql.cj.jdbc.Driver.class.getPackage().getImplementationVersion().startsWith("8."));
    Jdbc.run(args, "mysql");
  }
}
