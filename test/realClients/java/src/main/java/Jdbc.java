import static java.util.Arrays.asList;

import java.sql.*;
import java.time.*;
import java.util.*;

/** Plain JDBC: pgjdbc or Connector/J. */
public class Jdbc {
  public static void main(String[] args) throws Exception {
    run(args, "mysql");
  }

  static void run(String[] args, String driver) throws Exception {
    String product = args[0], url = Steps.url(product, args[1], driver);
    boolean isPostgres = product.equals("postgres");
    try (Connection c = DriverManager.getConnection(url, "app", "secret")) {
      Steps.step("drop", () -> Steps.change(c, "drop table if exists jchild") + Steps.change(c, "drop table if exists jt"));
      Steps.step("create", () -> Steps.change(c, isPostgres
          ? "create table jt (id serial primary key, n numeric(10,2), ts timestamp, tz timestamptz, d date, t time, b bytea, s varchar(40) not null unique, f float8, bl boolean, u uuid, j jsonb, a int[])"
          : "create table jt (id int auto_increment primary key, n decimal(10,2), ts datetime(6), tz timestamp null, d date, t time, b blob, s varchar(40) not null unique, f double, bl tinyint(1), j json, key named (n))"));
      Steps.step("create child", () -> Steps.change(c, "create table jchild (id int primary key, parent int not null, constraint jref foreign key (parent) references jt (id) on delete cascade)"));
      if (isPostgres) Steps.step("index", () -> Steps.change(c, "create index jn on jt (n)"));
      Steps.step("insert", () -> {
        try (PreparedStatement s = c.prepareStatement("insert into jt (n, ts, d, t, b, s, f, bl) values (?,?,?,?,?,?,?,?)", Statement.RETURN_GENERATED_KEYS)) {
          s.setBigDecimal(1, new java.math.BigDecimal("1.50"));
          s.setObject(2, LocalDateTime.of(2024, 2, 29, 1, 2, 3, 456000));
          s.setObject(3, LocalDate.of(2024, 2, 29));
          s.setTime(4, Time.valueOf("12:34:56"));
          s.setBytes(5, new byte[] {0, (byte) 255, 65});
          s.setString(6, "h\u00e9\u4e16'");
          s.setDouble(7, 1.5);
          s.setBoolean(8, true);
          int count = s.executeUpdate();
          ResultSet keys = s.getGeneratedKeys();
          keys.next();
          return asList(count, keys.getInt(1));
        }
      });
      // Drivers change to binary results after some runs.
      for (int at = 0; at < 7; at++) Steps.step("select " + at, () -> Steps.rows(c, "select id, n, ts, d, t, b, s, f, bl from jt where s = ?", "h\u00e9\u4e16'"));
      Steps.step("dates by old classes", () -> {
        try (PreparedStatement s = c.prepareStatement("update jt set ts = ?, d = ? where id = 1")) {
          s.setTimestamp(1, Timestamp.valueOf("2024-03-01 00:00:00"));
          s.setDate(2, java.sql.Date.valueOf("2024-03-01"));
          return asList(s.executeUpdate(), Steps.rows(c, "select ts, d from jt where id = 1"));
        }
      });
      Steps.step("batch", () -> {
        try (PreparedStatement s = c.prepareStatement("insert into jt (s, n) values (?, ?)")) {
          for (int at = 0; at < 50; at++) {
            s.setString(1, "b" + at);
            s.setInt(2, at);
            s.addBatch();
          }
          return s.executeBatch().length;
        }
      });
      Steps.step("sum", () -> Steps.rows(c, "select count(*), sum(n), max(s) from jt"));
      Steps.step("fetch size", () -> {
        c.setAutoCommit(false);
        try (Statement s = c.createStatement()) {
          s.setFetchSize(7);
          int count = 0;
          ResultSet r = s.executeQuery("select id from jt order by id");
          while (r.next()) count++;
          return count;
        } finally {
          c.commit();
          c.setAutoCommit(true);
        }
      });
      Steps.step("updatable", () -> {
        try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
          ResultSet r = s.executeQuery("select id, n from jt where id = 2");
          r.next();
          r.updateInt(2, 77);
          r.updateRow();
          return Steps.rows(c, "select n from jt where id = 2");
        }
      });
      Steps.step("savepoint", () -> {
        c.setAutoCommit(false);
        try {
          Savepoint point = c.setSavepoint();
          try {
            Steps.change(c, "insert into jt (id, s) values (1, 'again')");
          } catch (SQLException duplicate) {
            c.rollback(point);
          }
          int count = Steps.change(c, "update jt set n = 3 where id = 3");
          c.commit();
          return count;
        } finally {
          c.setAutoCommit(true);
        }
      });
      for (int level : new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
        Steps.step("level " + level, () -> {
          c.setTransactionIsolation(level);
          return c.getTransactionIsolation();
        });
      Steps.step("read only", () -> {
        c.setReadOnly(true);
        c.setAutoCommit(false);
        try {
          return Steps.change(c, "update jt set n = 1 where id = 1");
        } finally {
          c.rollback();
          c.setAutoCommit(true);
          c.setReadOnly(false);
        }
      });
      Steps.step("duplicate", () -> Steps.change(c, "insert into jt (id, s) values (1, 'z')"));
      Steps.step("no parent", () -> Steps.change(c, "insert into jchild values (1, 999)"));
      Steps.step("not null", () -> Steps.change(c, "insert into jt (s) values (null)"));
      Steps.step("syntax", () -> Steps.change(c, "selec 1"));
      Steps.step("no table", () -> Steps.rows(c, "select * from nothing"));
      DatabaseMetaData m = c.getMetaData();
      String catalog = isPostgres ? null : "app", schema = isPostgres ? "public" : null;
      Steps.step("tables", () -> Steps.listed(m.getTables(catalog, schema, "j%", new String[] {"TABLE"}), "TABLE_NAME", "TABLE_TYPE"));
      Steps.step("columns", () -> Steps.listed(m.getColumns(catalog, schema, "jt", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "NULLABLE", "IS_AUTOINCREMENT"));
      Steps.step("primary keys", () -> Steps.listed(m.getPrimaryKeys(catalog, schema, "jt"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"));
      Steps.step("imported keys", () -> Steps.listed(m.getImportedKeys(catalog, schema, "jchild"), "PKTABLE_NAME", "PKCOLUMN_NAME", "FKCOLUMN_NAME", "DELETE_RULE", "FK_NAME"));
      Steps.step("exported keys", () -> Steps.listed(m.getExportedKeys(catalog, schema, "jt"), "FKTABLE_NAME", "FKCOLUMN_NAME"));
      Steps.step("indexes", () -> Steps.listed(m.getIndexInfo(catalog, schema, "jt", false, false), "INDEX_NAME", "NON_UNIQUE", "ORDINAL_POSITION", "COLUMN_NAME", "ASC_OR_DESC"));
      Steps.step("best row", () -> Steps.listed(m.getBestRowIdentifier(catalog, schema, "jt", DatabaseMetaData.bestRowSession, false), "COLUMN_NAME"));
      Steps.step("schemas", () -> Steps.listed(m.getSchemas(), "TABLE_SCHEM").contains(List.of("public")));
      Steps.step("catalogs", () -> Steps.listed(m.getCatalogs(), "TABLE_CAT").contains(List.of("app")));
      Steps.step("type info", () -> Steps.listed(m.getTypeInfo(), "TYPE_NAME").size() > 10);
      Steps.step("functions", () -> m.getFunctions(catalog, schema, "nothing%").next());
      Steps.step("procedures", () -> m.getProcedures(catalog, schema, "nothing%").next());
      Steps.step("result columns", () -> {
        try (PreparedStatement s = c.prepareStatement("select id, n, s, bl from jt where id = ?")) {
          ResultSetMetaData d = s.getMetaData();
          List<String> all = new ArrayList<>();
          for (int at = 1; at <= d.getColumnCount(); at++) all.add(d.getColumnName(at) + " " + d.getColumnTypeName(at) + " " + d.getPrecision(at) + " " + d.isNullable(at));
          return all;
        }
      });
      Steps.step("query timeout", () -> {
        try (Connection other = DriverManager.getConnection(url, "app", "secret"); Statement s = other.createStatement()) {
          c.setAutoCommit(false);
          Steps.change(c, "update jt set n = 1 where id = 1");
          s.setQueryTimeout(1);
          return s.executeUpdate("update jt set n = 2 where id = 1");
        } finally {
          c.rollback();
          c.setAutoCommit(true);
        }
      });
      Steps.step("several results", () -> {
        try (Statement s = c.createStatement()) {
          return asList(s.execute(isPostgres ? "select 1; select 2" : "select 1"), s.getResultSet().next(), s.getMoreResults());
        }
      });
      if (isPostgres) postgres(c);
      else mysql(c);
    }
  }

  private static void postgres(Connection c) {
    Steps.step("array and json", () -> {
      try (PreparedStatement s = c.prepareStatement("update jt set a = ?, j = ?::jsonb, u = ? where id = 1")) {
        s.setArray(1, c.createArrayOf("int4", new Object[] {1, null}));
        s.setString(2, "{\"x\": 1}");
        s.setObject(3, new UUID(1, 2));
        s.executeUpdate();
        return Steps.rows(c, "select a, j, u from jt where id = 1");
      }
    });
    Steps.step("in by array", () -> Steps.rows(c, "select count(*) from jt where id = any (?)", new int[] {1, 2}));
    Steps.step("copy", () -> {
      var copies = c.unwrap(org.postgresql.PGConnection.class).getCopyAPI();
      return copies.copyIn("copy jt (s, n) from stdin with csv", new java.io.StringReader("c1,1\nc2,2\n"));
    });
    Steps.step("call", () -> {
      Steps.change(c, "create or replace function jf(x int) returns int language sql as 'select x + 1'");
      try (CallableStatement s = c.prepareCall("{? = call jf(?)}")) {
        s.registerOutParameter(1, Types.INTEGER);
        s.setInt(2, 4);
        s.execute();
        return s.getInt(1);
      }
    });
  }

  private static void mysql(Connection c) {
    Steps.step("upsert", () -> Steps.change(c, "insert into jt (s, n) values ('b1', 5) on duplicate key update n = values(n)"));
    Steps.step("show create table", () -> Steps.rows(c, "show create table jchild"));
    Steps.step("no variable", () -> Steps.rows(c, "select @@nothing_like_it"));
    Steps.step("call", () -> {
      Steps.change(c, "drop procedure if exists jp");
      Steps.change(c, "create procedure jp(in x int, out y int) begin set y = x + 1; end");
      try (CallableStatement s = c.prepareCall("{call jp(?, ?)}")) {
        s.setInt(1, 4);
        s.registerOutParameter(2, Types.INTEGER);
        s.execute();
        return s.getInt(2);
      }
    });
  }
}
