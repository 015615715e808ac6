import java.nio.file.*;
import java.sql.*;
import org.flywaydb.core.Flyway;

/** Flyway: migrations, checks of them, repair, a failing one, and cleaning. */
public class FlywayMigrations {
  public static void main(String[] args) throws Exception {
    boolean isPostgres = args[0].equals("postgres");
    String url = Steps.url(args[0], args[1], "mariadb");
    Path folder = Files.createTempDirectory("isolens-flyway");
    Files.writeString(folder.resolve("V1__first.sql"), "create table fly (id int primary key, v varchar(10) not null default 'x');\ninsert into fly (id) values (1), (2);");
    Files.writeString(folder.resolve("V2__second.sql"), "alter table fly add column w int;\ncreate index fly_w on fly (w);\nupdate fly set w = id * 2;");
    Files.writeString(folder.resolve("R__view.sql"), (isPostgres ? "create or replace view" : "create or replace view") + " flown as select id, w from fly where w > 2;");
    Flyway flyway = Flyway.configure().dataSource(url, "app", "secret").locations("filesystem:" + folder).baselineOnMigrate(true).cleanDisabled(false).load();
    Steps.step("clean", () -> flyway.clean().schemasCleaned.size());
    Steps.step("migrate", () -> flyway.migrate().migrationsExecuted);
    Steps.step("migrate again", () -> flyway.migrate().migrationsExecuted);
    Steps.step("validate", () -> flyway.validateWithResult().validationSuccessful);
    Steps.step("info", () -> flyway.info().applied().length);
    Steps.step("rows", () -> {
      try (Connection c = DriverManager.getConnection(url, "app", "secret")) {
        return Steps.rows(c, "select * from flown order by id");
      }
    });
    Files.writeString(folder.resolve("V3__bad.sql"), "insert into fly (id) values (1);");
    Steps.step("failing", () -> flyway.migrate().migrationsExecuted);
    Steps.step("failed", () -> flyway.info().current().getState().toString());
    Files.delete(folder.resolve("V3__bad.sql"));
    Steps.step("repair", () -> flyway.repair().migrationsRemoved.size());
    Steps.step("after repair", () -> flyway.migrate().migrationsExecuted);
  }
}
