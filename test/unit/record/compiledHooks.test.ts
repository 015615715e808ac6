// Hooks of languages that are compiled: what Java's agent and Go's overlay make of a driver, run by the real tools.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { openHooks, withHooks } from "../../../server/src/record/hooks/hooks";
import { AGENT_SOURCES } from "../../../server/src/record/hooks/javaAgent";

const HOOKS = path.resolve(__dirname, "../../../server/hooks");
const SOURCES = path.resolve(__dirname, "../../../server/src/record/hooks/java/isolens");

test("the agent that is shipped is made of the sources that are here", () => {
  const digest = createHash("sha256");
  for (const name of readdirSync(SOURCES).sort())
    digest.update(readFileSync(path.join(SOURCES, name)));
  assert.equal(AGENT_SOURCES, digest.digest("hex"), "run npm run build:agent");
});

/** Lines that the last of these commands prints in a folder of these files, by their paths. */
function printed(
  context: TestContext,
  tool: readonly [string, string],
  files: Readonly<Record<string, string>>,
  commands: readonly (readonly [string, ...string[]])[],
): readonly string[] | undefined {
  if (spawnSync(tool[0], [tool[1]]).status !== 0) {
    context.diagnostic(`not run: ${tool[0]}`);
    return undefined;
  }
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "isolens hooks-")));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const said: string[] = [];
  const own = openHooks(process.env, root, (remark) => said.push(remark));
  const env = withHooks(process.env, { folder: HOOKS, root, own });
  let lines: readonly string[] = [];
  for (const [program, ...args] of commands) {
    const run = spawnSync(program, args, { cwd: root, env: { ...env }, encoding: "utf8" });
    assert.equal(run.status, 0, run.stdout + run.stderr + said.join("\n"));
    lines = run.stdout.trim().split("\n");
  }
  own.close();
  rmSync(root, { recursive: true });
  assert.deepEqual(said, []);
  return lines.map((line) =>
    line.replace(
      /\/\*isolens:([^;]*);([^;]*);(\d*)\*\//,
      (_, near: string, far: string) => ` ${near} ${far}`,
    ),
  );
}

/** A driver that says what it is given; its own overloads call each other. */
const DRIVER = `package org.postgresql.jdbc;
public class PgConnection {
  public long prepareStatement(String sql, long wide, double other, int[] columns, String last) {
    System.out.println(sql + " " + wide + " " + other + " " + columns.length + " " + last);
    return wide;
  }
  public Object prepareStatement(String sql) {
    try { return prepareStatement(sql, 7L, 1.5, new int[3], "x"); }
    finally { System.out.flush(); }
  }
  public Object prepareCall(String sql) { System.out.println(sql); return null; }
}`;
const SERVICE = `package shop;
import org.postgresql.jdbc.PgConnection;
public class Service {
  PgConnection connection = new PgConnection();
  void withdraw() {
    Runnable work = () -> connection.prepareStatement("SELECT 1;");
    work.run();
    connection.prepareStatement("SELECT 2 -- all");
    connection.prepareCall("{call close()}");
  }
}`;
/** A class that a framework makes of another: it sends what is left when the method has ended. */
const PROXY = `package shop;
public class Service$$Proxy$$0 extends Service {
  @Override void withdraw() {
    super.withdraw();
    connection.prepareStatement("UPDATE");
  }
}`;
const JAVA_TEST = `package shop;
public class ServiceTest {
  public static void main(String[] arguments) {
    new Service().connection.prepareStatement("DELETE");
    new Service$$Proxy$$0().withdraw();
  }
}`;

test("Java: an agent names the places of what is given to a driver", (context) => {
  const files = {
    "build/org/postgresql/jdbc/PgConnection.java": DRIVER,
    "src/main/java/shop/Service.java": SERVICE,
    "target/Service$$Proxy$$0.java": PROXY,
    "src/test/java/shop/ServiceTest.java": JAVA_TEST,
  };
  const lines = printed(context, ["javac", "-version"], files, [
    ["javac", "-d", "classes", ...Object.keys(files)],
    ["java", "-cp", "classes", "shop.ServiceTest"],
  ]);
  if (lines === undefined) return;
  const at = (line: number): string =>
    `src/main/java/shop/Service.java:${String(line)}:Service.withdraw`;
  assert.deepEqual(lines, [
    "DELETE src/test/java/shop/ServiceTest.java:4:ServiceTest.main  7 1.5 3 x",
    `SELECT 1 ${at(6)} ${at(7)}; 7 1.5 3 x`,
    "SELECT 2 -- all",
    ` ${at(8)} ${at(8)} 7 1.5 3 x`,
    "{call close()}",
    `UPDATE ${at(8)} ${at(8)} 7 1.5 3 x`,
  ]);
});

/** A worker that gets what is to be done, and hands it to a function for each kind of work. */
const WORKER = `package shop;
import org.postgresql.jdbc.PgConnection;
public class Worker {
  PgConnection connection = new PgConnection();
  interface Work { void of(PgConnection connection); }
  static class Open { void open(PgConnection c) { c.prepareCall("OPEN"); } }
  static class Pay { void pay(PgConnection c) { c.prepareCall("PAY"); } }
  static class Close { void close(PgConnection c) { c.prepareCall("CLOSE"); } }
  void loop() {
    Work[] works = { c -> new Open().open(c), new Pay()::pay, new Close()::close, c -> new Open().open(c) };
    for (Work work : works) done(work);
  }
  void done(Work work) {
    work.of(connection);
  }
}`;
test("Java: what a worker hands its work to is the entry point, once it is seen to be many functions", (context) => {
  const files = {
    "build/org/postgresql/jdbc/PgConnection.java": DRIVER,
    "src/main/java/shop/Worker.java": WORKER,
    "src/test/java/shop/WorkerTest.java":
      "package shop; class WorkerTest { public static void main(String[] a) { new Worker().loop(); } }",
  };
  const lines = printed(context, ["javac", "-version"], files, [
    ["javac", "-d", "classes", ...Object.keys(files)],
    ["java", "-cp", "classes", "shop.WorkerTest"],
  ]);
  if (lines === undefined) return;
  assert.deepEqual(
    lines.map((line) => line.replaceAll("src/main/java/shop/Worker.java:", "")),
    [
      "OPEN 6:Worker.open 11:Worker.loop",
      "PAY 7:Worker.pay 11:Worker.loop",
      "CLOSE 8:Worker.close 8:Worker.close",
      "OPEN 6:Worker.open 10:Worker.loop",
    ],
  );
});

const FAKE = `package driver
import ("database/sql"; "database/sql/driver"; "fmt")
type kind struct{}
type conn struct{}
type stmt struct{ text string }
func init() { sql.Register("said", kind{}) }
func (kind) Open(string) (driver.Conn, error) { return conn{}, nil }
func (conn) Prepare(text string) (driver.Stmt, error) { return stmt{text}, nil }
func (conn) Close() error { return nil }
func (conn) Begin() (driver.Tx, error) { return conn{}, nil }
func (conn) Commit() error { return nil }
func (conn) Rollback() error { return nil }
func (stmt) Close() error { return nil }
func (stmt) NumInput() int { return 0 }
func (s stmt) Exec([]driver.Value) (driver.Result, error) { fmt.Println(s.text); return driver.RowsAffected(1), nil }
func (s stmt) Query([]driver.Value) (driver.Rows, error) { return nil, fmt.Errorf("no rows") }
`;
const PGX = `package pgx
import ("context"; "fmt")
type QueuedQuery struct { SQL string }
type Batch struct { QueuedQueries []*QueuedQuery }
type kept struct { SQL string }
type Conn struct { preparedStatements map[string]*kept }
func New() *Conn { return &Conn{map[string]*kept{"name": {"SELECT 4"}}} }
func (c *Conn) Exec(ctx context.Context, sql string, arguments ...any) (int, error) {
	fmt.Println(sql)
	return 0, nil
}
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (int, error) {
	fmt.Println(sql)
	return 0, nil
}
func (c *Conn) SendBatch(ctx context.Context, b *Batch) (br int) {
	for _, each := range b.QueuedQueries { fmt.Println(each.SQL) }
	return 0
}
`;
const STORE = `package store
import ("context"; "database/sql"; "net/http"; "github.com/jackc/pgx/v5")
type Store struct { DB *sql.DB; Kept *sql.Stmt }
func (s *Store) Withdraw() {
	s.DB.Exec("SELECT 1")
	tx, _ := s.DB.Begin()
	func() { tx.Exec("SELECT 2") }()
	tx.Stmt(s.Kept).Exec()
	tx.Commit()
	s.Kept.Exec()
}
func Book(ctx context.Context, c *pgx.Conn) {
	c.Exec(ctx, "name")
	c.SendBatch(ctx, &pgx.Batch{[]*pgx.QueuedQuery{{"INSERT 1"}, {"INSERT 1"}}})
}
func Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}
`;
const GO_TEST = `package store
import ("context"; "database/sql"; "net/http"; "testing"; "github.com/jackc/pgx/v5"; _ "example/driver")
func TestStore(t *testing.T) {
	db, _ := sql.Open("said", "")
	kept, _ := db.Prepare("SELECT 3")
	db.Exec("DELETE")
	(&Store{db, kept}).Withdraw()
	book := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { Book(context.Background(), pgx.New()) })
	Around(book).ServeHTTP(nil, nil)
}
`;
const GO_MODULE = `module example

go 1.21

require github.com/jackc/pgx/v5 v5.7.2

replace github.com/jackc/pgx/v5 => ./.pgx
`;
test("Go: copies of database/sql and pgx name the places of statements", (context) => {
  const lines = printed(
    context,
    ["go", "version"],
    {
      "go.mod": GO_MODULE,
      ".pgx/go.mod": "module github.com/jackc/pgx/v5\n\ngo 1.19\n",
      ".pgx/conn.go": PGX,
      "driver/driver.go": FAKE,
      "store/store.go": STORE,
      "store/store_test.go": GO_TEST,
    },
    [["go", "test", "-vet=off", "-v", "./store"]],
  );
  if (lines === undefined) return;
  const at = (line: number, name = "Store.Withdraw"): string => {
    const place = `store/store.go:${String(line)}:${name}`;
    return `${place} ${place}`;
  };
  assert.deepEqual(
    lines.filter((line) => /^(?:SELECT|INSERT|DELETE)/.test(line)),
    [
      "DELETE store/store_test.go:6:TestStore ",
      `SELECT 1 ${at(5)}`,
      `SELECT 2 ${at(7)}`,
      `SELECT 3 ${at(8)}`,
      `SELECT 3 ${at(10)}`,
      `SELECT 4 ${at(13, "Book")}`,
      `INSERT 1 ${at(14, "Book")}`,
      `INSERT 1 ${at(14, "Book")}`,
    ],
  );
});
