import java.io.StringWriter;
import java.nio.file.*;
import java.sql.*;
import liquibase.*;
import liquibase.database.*;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.DirectoryResourceAccessor;

/** Liquibase: changes in YAML and SQL, status, tags, roll-backs, checks, snapshots, dropping all. */
public class LiquibaseChanges {
  static final String CHANGES = """
      databaseChangeLog:
        - changeSet:
            id: 1
            author: a
            changes:
              - createTable:
                  tableName: lb_owner
                  columns:
                    - column: { name: id, type: bigint, autoIncrement: true, constraints: { primaryKey: true } }
                    - column: { name: name, type: varchar(40), constraints: { nullable: false, unique: true, uniqueConstraintName: lb_owner_name } }
                    - column: { name: balance, type: 'decimal(10,2)', defaultValueNumeric: 0 }
                    - column: { name: made, type: timestamp, defaultValueComputed: CURRENT_TIMESTAMP }
                    - column: { name: flag, type: boolean, defaultValueBoolean: true }
              - createTable:
                  tableName: lb_entry
                  columns:
                    - column: { name: id, type: int, constraints: { primaryKey: true, primaryKeyName: lb_entry_pk } }
                    - column: { name: owner, type: bigint }
              - addForeignKeyConstraint: { baseTableName: lb_entry, baseColumnNames: owner, referencedTableName: lb_owner, referencedColumnNames: id, constraintName: lb_entry_owner, onDelete: CASCADE }
              - createIndex: { tableName: lb_owner, indexName: lb_owner_balance, columns: [ { column: { name: balance } } ] }
        - changeSet:
            id: 2
            author: a
            changes:
              - tagDatabase: { tag: one }
        - changeSet:
            id: 3
            author: a
            changes:
              - addColumn: { tableName: lb_owner, columns: [ { column: { name: note, type: varchar(20), value: none } } ] }
              - addNotNullConstraint: { tableName: lb_owner, columnName: note, columnDataType: varchar(20), defaultNullValue: none }
              - insert: { tableName: lb_owner, columns: [ { column: { name: name, value: ann } }, { column: { name: note, value: x } } ] }
              - createView: { viewName: lb_shown, selectQuery: select name from lb_owner }
            rollback:
              - dropView: { viewName: lb_shown }
              - dropColumn: { tableName: lb_owner, columnName: note }
        - changeSet:
            id: 4
            author: a
            preConditions:
              - onFail: MARK_RAN
              - tableExists: { tableName: nothing }
            changes:
              - dropTable: { tableName: nothing }
        - changeSet:
            id: 5
            author: a
            changes:
              - renameColumn: { tableName: lb_owner, oldColumnName: note, newColumnName: remark, columnDataType: varchar(20) }
              - modifyDataType: { tableName: lb_owner, columnName: remark, newDataType: varchar(30) }
              - renameTable: { oldTableName: lb_entry, newTableName: lb_item }
      """;

  public static void main(String[] args) throws Exception {
    java.util.logging.LogManager.getLogManager().reset();
    String url = Steps.url(args[0], args[1], "mariadb");
    Path folder = Files.createTempDirectory("isolens-liquibase");
    Files.writeString(folder.resolve("changes.yaml"), CHANGES);
    try (Connection c = DriverManager.getConnection(url, "app", "secret"); Connection other = DriverManager.getConnection(url, "app", "secret")) {
      Database database = DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(c));
      Liquibase runner = new Liquibase("changes.yaml", new DirectoryResourceAccessor(folder), database);
      Steps.step("status", () -> runner.listUnrunChangeSets(new Contexts(), new LabelExpression()).size());
      Steps.step("update", () -> { runner.update(new Contexts()); return Steps.rows(other, "select name, remark, flag from lb_owner"); });
      Steps.step("update again", () -> { runner.update(new Contexts()); return runner.listUnrunChangeSets(new Contexts(), new LabelExpression()).size(); });
      Steps.step("changes", () -> Steps.rows(other, args[0].equals("postgres") ? "select id, exectype, tag from databasechangelog order by orderexecuted" : "select ID, EXECTYPE, TAG from DATABASECHANGELOG order by ORDEREXECUTED"));
      Steps.step("lock", () -> { var locks = runner.listLocks(); return locks.length; });
      Steps.step("validate", () -> { runner.validate(); return "ok"; });
      Steps.step("sql", () -> { StringWriter out = new StringWriter(); runner.rollback(1, "", out); return out.toString().contains("lb_item"); });
      Steps.step("rollback one", () -> { runner.rollback(1, ""); return runner.listUnrunChangeSets(new Contexts(), new LabelExpression()).size(); });
      Steps.step("rollback to tag", () -> { runner.rollback("one", ""); return Steps.rows(other, "select count(*) from lb_owner"); });
      Steps.step("snapshot", () -> {
        var snapshot = liquibase.snapshot.SnapshotGeneratorFactory.getInstance().createSnapshot(database.getDefaultSchema(), database, new liquibase.snapshot.SnapshotControl(database));
        java.util.Set<String> all = new java.util.TreeSet<>();
        for (var table : snapshot.get(liquibase.structure.core.Table.class))
          if (table.getName().startsWith("lb_"))
            for (var column : table.getColumns()) all.add(table.getName() + "." + column.getName() + " " + column.getType().getTypeName() + " " + column.isNullable());
        for (var key : snapshot.get(liquibase.structure.core.ForeignKey.class)) all.add(key.getName() + " " + key.getDeleteRule());
        for (var index : snapshot.get(liquibase.structure.core.Index.class)) if (index.getName().startsWith("lb_")) all.add(index.getName() + " " + index.isUnique());
        return all;
      });
      Steps.step("forward", () -> { runner.update(new Contexts()); return Steps.rows(other, "select count(*) from lb_shown"); });
      Files.writeString(folder.resolve("changes.yaml"), CHANGES.replace("lb_owner_balance", "lb_owner_other"));
      Steps.step("changed", () -> { new Liquibase("changes.yaml", new DirectoryResourceAccessor(folder), database).validate(); return "ok"; });
      Steps.step("drop all", () -> { runner.dropAll(); return runner.listUnrunChangeSets(new Contexts(), new LabelExpression()).size(); });
    }
    System.exit(0);
  }
}
