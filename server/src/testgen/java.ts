// A generated test for JUnit 5 and PostgreSQL's JDBC driver.
import { quoteName } from "../replay/literal";
import { failureOf, headOf } from "./comments";
import { GATE, rowsOf, STANDING } from "./gateSql";
import type { PlannedSession, TestPlan } from "./plan";

/** The test as a class named after the file. It needs JUnit 5, PostgreSQL's JDBC driver and Java 17 or newer. */
export function javaTest(plan: TestPlan, fileName?: string): string {
  return [
    ...headOf(plan).map((line) => `// ${line}`.trimEnd()),
    "//",
    "// The server is the one of JDBC_URL, as jdbc:postgresql://host/database?user=me. FOLDER is seen from where tests are run.",
    IMPORTS,
    "",
    `class ${className(plan, fileName)} {`,
    "    /** Places that are no line of a script and no anchor: before BEGIN, before the next try, before COMMIT. */",
    "    static final int BEGIN = 0, AGAIN = 9998, COMMIT = 9999;",
    "",
    "    /** Where the SQL files are. */",
    `    static final String FOLDER = ${text(plan.folder)};`,
    "",
    "    /** Tables and routines: files to load (null), or what they define. */",
    "    static final List<Definition> DEFINITIONS = List.of(",
    listed(
      plan.definitions.map(
        ({ file, text: copy }) =>
          `new Definition(${text(file)}, ${copy === undefined ? "null" : block(copy)})`,
      ),
    ),
    "",
    "    /** Where sessions stop inside of routines: before the statement that begins so. */",
    "    static final List<Anchor> ANCHORS = List.of(",
    listed(
      plan.anchors.map(
        ({ place, file, routine, text: begins, occurrence }) =>
          `new Anchor(${String(place)}, ${text(file)}, ${text(routine)}, ${String(occurrence)}, ${text(begins)})`,
      ),
    ),
    "",
    `    static final String LEVEL = ${text(plan.sessions[0]?.level ?? "")};`,
    "",
    "    /** Statements with :name for values, and psql's \\gset, \\set, \\if, \\elif, \\else, \\endif. */",
    "    static final List<Session> SESSIONS = List.of(",
    listed(plan.sessions.map((session) => sessionText(session, plan))),
    "",
    "    /** Who goes on to which place; 0 is where a session begins, COMMIT where it ends. */",
    "    static final List<Turn> SCHEDULE = List.of(",
    listed(
      plan.schedule.map(
        ({ session, place, text: what }) =>
          `/* ${what.replaceAll("*/", "* /").replaceAll("\\", "/")} */ new Turn(${text(session)}, ${typeof place === "number" ? String(place) : "COMMIT"})`,
      ),
    ),
    "",
    "    static final List<String> FIRST_ROWS = List.of(",
    listed(plan.initial.map(text)),
    "",
    "    /** Columns that are compared; columns that the server makes up are left out. */",
    "    static final List<Table> TABLES = List.of(",
    listed(
      plan.tables.map(
        ({ name, without }) =>
          `new Table(${text(quoteName(name))}, ${text(`{${without.join(",")}}`)})`,
      ),
    ),
    "",
    `    static final String FAILURE = ${text(failureOf(plan))};`,
    HARNESS.replace("@NAME", () => methodName(plan))
      .replace("@GATE", () => block(GATE))
      .replace("@STANDING", () => block(STANDING("@PID", "@RUN")))
      .replace("@ROWS", () => block(rowsOf("@TABLE", "'@WITHOUT'"))),
  ].join("\n");
}

/** The class name required by the file, or one from the anomaly. */
function className({ title }: TestPlan, fileName?: string): string {
  const own = fileName?.replace(/\.java$/, "");
  if (own !== undefined && /^[A-Za-z_]\w*$/.test(own)) return own;
  return `${words(title).map(capital).join("")}Test`;
}

function methodName({ title }: TestPlan): string {
  const [first = "anomaly", ...rest] = words(title);
  return first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capital).join("");
}

function words(title: string): readonly string[] {
  return title.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function sessionText(
  { name, transaction, from, level, values, script }: PlannedSession,
  plan: TestPlan,
): string {
  const pairs = Object.entries(values).map(
    ([key, value]) => `Map.entry(${text(key)}, ${text(value)})`,
  );
  const used = level === plan.sessions[0]?.level ? "LEVEL" : text(level);
  const lines = script.map((line) => `\n                ${text(line)}`).join(",");
  return `/* ${transaction}, ${from} */ new Session(${text(name)}, ${used}, Map.ofEntries(${pairs.join(", ")}), List.of(${lines}))`;
}

/** The arguments of `List.of(`. */
function listed(items: readonly string[]): string {
  if (items.length === 0) return "    );";
  return `${items.map((item) => `            ${item}`).join(",\n")});`;
}

/** A plain value; NULL is an empty Optional, since maps hold no null. */
function text(value: unknown): string {
  if (value === null) return "Optional.empty()";
  if (typeof value === "number" && Number.isInteger(value)) return `${String(value)}L`;
  return JSON.stringify(value);
}

/** A text block with a long text. */
function block(sql: string): string {
  const escaped = sql.replaceAll("\\", "\\\\").replaceAll('"""', '\\"""');
  return `"""\n${escaped.endsWith('"') ? `${escaped.slice(0, -1)}\\"` : escaped}"""`;
}

const IMPORTS = `import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
import org.junit.jupiter.api.Test;`;

const HARNESS = String.raw`
    // From here on nothing is particular to this anomaly.

    record Definition(String file, String text) {}

    record Anchor(int place, String file, String routine, int occurrence, String text) {}

    record Session(String name, String level, Map<String, Object> values, List<String> script) {}

    record Turn(String session, int place) {}

    record Table(String name, String without) {}

    /** Result of a session, or why it was rolled back. */
    record Ended(boolean committed, String result) {}

    record Outcome(Map<String, List<String>> tables, Map<String, Ended> sessions) {
        /** A session that was rolled back and one that did not run are the same. */
        List<Object> compared() {
            Map<String, String> given = new TreeMap<>();
            sessions.forEach((name, end) -> {
                if (end.committed()) given.put(name, end.result());
            });
            return List.of(tables, given);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            tables.forEach((name, rows) -> text.append("\n    ").append(name).append(": ").append(String.join(" ", rows)));
            sessions.forEach((name, end) -> text.append("\n    ").append(name)
                    .append(end.committed() ? " committed " : " was rolled back: ").append(end.result()));
            return text.toString();
        }
    }

    static final int MOST_TRIES = 100;
    /** Random ids and times of today: no two runs give the same. */
    static final String MADE_UP = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|" + java.time.LocalDate.now() + "[T ][0-9:.+Z-]+";
    static final String SCHEMA = "isolens_test_" + ProcessHandle.current().pid();

    static Connection connect() throws SQLException {
        String url = System.getenv().getOrDefault("JDBC_URL", "jdbc:postgresql://127.0.0.1/postgres?user=postgres");
        Connection connection = DriverManager.getConnection(url);
        execute(connection, "SET search_path = " + SCHEMA + ", public");
        return connection;
    }

    /** The rows of the answer, by their columns; transactions begin and end by statements. */
    /** The number of rows that the thread's last statement changed. */
    static final ThreadLocal<Integer> CHANGED = ThreadLocal.withInitial(() -> 0);

    static List<Map<String, Object>> execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            List<Map<String, Object>> rows = new ArrayList<>();
            boolean isQuery = statement.execute(sql);
            CHANGED.set(isQuery ? 0 : statement.getUpdateCount());
            if (!isQuery) return rows;
            ResultSet result = statement.getResultSet();
            while (result.next()) {
                Map<String, Object> row = new LinkedHashMap<>();
                for (int at = 1; at <= result.getMetaData().getColumnCount(); at++)
                    row.put(result.getMetaData().getColumnLabel(at), result.getObject(at));
                rows.add(row);
            }
            return rows;
        }
    }

    static Object value(Connection connection, String sql) throws SQLException {
        return execute(connection, sql).get(0).values().iterator().next();
    }

    /** The file's text with gates before the statements where sessions stop. */
    static String withGates(String file, String sql) {
        TreeMap<Integer, Integer> places = new TreeMap<>(Comparator.reverseOrder());
        for (Anchor anchor : ANCHORS) {
            int flags = Pattern.CASE_INSENSITIVE;
            Matcher header = Pattern.compile("\\b(?:function|procedure)\\s+\"?" + Pattern.quote(anchor.routine()) + "\"?\\s*\\(", flags)
                    .matcher(sql);
            if (!anchor.file().equals(file) || !header.find()) continue;
            String body = sql.substring(header.start());
            Matcher next = Pattern.compile("\\bcreate\\s+(?:or\\s+replace\\s+)?(?:function|procedure)\\b", flags).matcher(body);
            List<String> words = Arrays.stream(anchor.text().split("\\s+")).map(Pattern::quote).toList();
            Matcher found = Pattern.compile(String.join("\\s+", words)).matcher(body.substring(0, next.find() ? next.start() : body.length()));
            // A statement that is no longer there needs no gate.
            List<Integer> starts = found.results().map(MatchResult::start).toList();
            if (starts.size() >= anchor.occurrence())
                places.put(header.start() + starts.get(anchor.occurrence() - 1), anchor.place());
        }
        StringBuilder text = new StringBuilder(sql);
        places.forEach((at, place) -> text.insert(at, "PERFORM isolens_gate(" + place + "); "));
        return text.toString();
    }

    static void define(Connection connection) throws Exception {
        execute(connection, "CREATE SCHEMA " + SCHEMA);
        execute(connection, "SET check_function_bodies = off");
        execute(connection, @GATE);
        for (Definition each : DEFINITIONS) {
            String text = each.text() != null ? each.text() : Files.readString(Path.of(FOLDER, each.file()));
            execute(connection, withGates(each.file(), text));
        }
    }

    static Outcome outcome(Connection connection, Map<String, Ended> ended) throws SQLException {
        Map<String, List<String>> tables = new TreeMap<>();
        for (Table table : TABLES) {
            String sql = @ROWS.replace("@TABLE", table.name()).replace("@WITHOUT", table.without());
            List<String> rows = new ArrayList<>();
            for (Map<String, Object> row : execute(connection, sql)) rows.add(String.valueOf(row.get("row")));
            tables.put(table.name(), rows);
        }
        return new Outcome(tables, new TreeMap<>(ended));
    }

    /** A value as SQL has it. */
    static String literal(Object value) {
        if (value == null || value instanceof Optional) return "NULL";
        if (value instanceof Boolean) return value.toString();
        if (value instanceof Number) return value.toString().startsWith("-") ? "(" + value + ")" : value.toString();
        return "'" + value.toString().replace("'", "''") + "'";
    }

    static String bind(String line, Map<String, Object> values) {
        return Pattern.compile("(?<![:\\w]):([A-Za-z_]\\w*)").matcher(line).replaceAll(found ->
                Matcher.quoteReplacement(values.containsKey(found.group(1)) ? literal(values.get(found.group(1))) : found.group()));
    }

    /** Runs the lines of a script in the transaction that is open; false if it rolls itself back. */
    static boolean runScript(Connection connection, Session session, List<String> returned) throws SQLException {
        Map<String, Object> values = new HashMap<>(session.values());
        // The state of each \if that is open: whether its lines run, and whether one of its branches did.
        List<boolean[]> branches = new ArrayList<>();
        boolean isFirst = true;
        for (int index = 0; index < session.script().size(); index++) {
            String line = session.script().get(index);
            Matcher meta = Pattern.compile("^\\\\(\\w+)\\s*(.*)$", Pattern.DOTALL).matcher(line);
            String command = meta.find() ? meta.group(1) : "";
            String rest = command.isEmpty() ? "" : meta.group(2);
            boolean isOn = branches.stream().allMatch(branch -> branch[0]);
            switch (command) {
                case "if" -> {
                    boolean runs = isOn && isTrue(connection, bind(rest, values));
                    branches.add(new boolean[] {runs, runs});
                }
                case "elif", "else" -> {
                    boolean[] branch = branches.get(branches.size() - 1);
                    boolean isOuterOn = branches.stream().limit(branches.size() - 1).allMatch(each -> each[0]);
                    branch[0] = isOuterOn && !branch[1] && (command.equals("else") || isTrue(connection, bind(rest, values)));
                    branch[1] |= branch[0];
                }
                case "endif" -> branches.remove(branches.size() - 1);
                case "set" -> {
                    String[] parts = rest.split("\\s+", 2);
                    String expression = parts.length < 2 ? "''" : parts[1];
                    if (isOn) values.put(parts[0], expression.matches("[A-Za-z_]\\w*") ? expression
                            : value(connection, "SELECT (" + bind(expression, values) + ")"));
                }
                default -> {
                    if (!isOn) continue;
                    if (line.equals("COMMIT")) return true;
                    if (line.equals("ROLLBACK")) return false;
                    if (!isFirst) execute(connection, "SELECT isolens_gate(" + (index + 1) + ")");
                    isFirst = false;
                    Matcher kept = Pattern.compile("^(.*?)\\s*\\\\gset\\s*(\\S*)$", Pattern.DOTALL).matcher(line);
                    boolean isKept = kept.find();
                    List<Map<String, Object>> rows = execute(connection, bind(isKept ? kept.group(1) : line, values));
                    values.put("ROW_COUNT", rows.isEmpty() ? CHANGED.get() : rows.size());
                    if (!isKept) rows.forEach(row -> returned.add(row.toString().replaceAll(MADE_UP, "made up")));
                    else if (!rows.isEmpty()) rows.get(0).forEach((name, each) -> values.put(kept.group(2) + name, each));
                }
            }
        }
        return true;
    }

    static boolean isTrue(Connection connection, String condition) throws SQLException {
        Object value = value(connection, "SELECT (" + condition + ")");
        return value instanceof Number number ? number.doubleValue() != 0 : Boolean.TRUE.equals(value);
    }

    /** Runs a session to its end; what the server rolls back because of others is tried again. */
    static Ended run(Connection connection, Session session) throws SQLException {
        for (int tries = 1; ; tries++) {
            List<String> returned = new ArrayList<>();
            try {
                execute(connection, "SELECT isolens_gate(" + (tries == 1 ? BEGIN : AGAIN) + ")");
                if (tries > 1) execute(connection, "SET isolens.run = ''");
                execute(connection, "BEGIN ISOLATION LEVEL " + session.level());
                boolean commits = runScript(connection, session, returned);
                execute(connection, "SELECT isolens_gate(" + COMMIT + ")");
                execute(connection, commits ? "COMMIT" : "ROLLBACK");
                return new Ended(commits, commits ? String.join(" ", returned) : "it rolls itself back");
            } catch (SQLException error) {
                if (error.getSQLState() == null || error.getSQLState().startsWith("08")) throw error;
                execute(connection, "ROLLBACK");
                boolean isRetried = Set.of("40001", "40P01").contains(error.getSQLState());
                if (!isRetried || tries == MOST_TRIES)
                    return new Ended(false, error.getSQLState() + " " + error.getMessage().lines().findFirst().orElse(""));
            }
        }
    }

    /** The sessions that run at the same time, and the controller that stops them and lets them go. */
    static class Together {
        final Connection admin;
        final Object runId;
        final Map<String, Future<Ended>> runs = new LinkedHashMap<>();
        final Map<String, Object> pids = new HashMap<>();

        Together(Connection admin) throws SQLException {
            this.admin = admin;
            this.runId = value(admin, "SELECT pg_backend_pid()");
        }

        static int number(String session) {
            return 1 + SESSIONS.stream().map(Session::name).toList().indexOf(session);
        }

        void lock(String what, String session, int place) throws SQLException {
            execute(admin, "SELECT pg_advisory_" + what + "(" + runId + ", " + (number(session) * 10000 + place) + ")");
        }

        /** Waits until the session has ended, waits for another one, or stands at a gate, whose place is returned. */
        Integer settle(String session) throws Exception {
            for (int asked = 0; asked < 6000; asked++) {
                if (runs.get(session).isDone()) return null;
                String sql = @STANDING.replace("@PID", pids.get(session).toString()).replace("@RUN", runId.toString());
                Map<String, Object> standing = execute(admin, sql).get(0);
                if (standing.get("gate") != null) return ((Number) standing.get("gate")).intValue();
                if (Boolean.TRUE.equals(standing.get("waits"))) return null;
                Thread.sleep(5);
            }
            throw new AssertionError(session + " neither goes on nor waits for anyone");
        }

        Integer release(String session, int place) throws Exception {
            lock("unlock", session, place);
            // Held again, for the next time that the session comes here.
            lock("lock", session, place);
            return settle(session);
        }

        /** All sessions in the order of the schedule, as far as the server lets them. */
        Outcome play() throws Exception {
            for (String sql : FIRST_ROWS) execute(admin, sql);
            ExecutorService threads = Executors.newCachedThreadPool();
            List<Connection> connections = new ArrayList<>();
            try {
                for (Session session : SESSIONS) {
                    Connection connection = connect();
                    connections.add(connection);
                    Set<Integer> places = new TreeSet<>(List.of(BEGIN, AGAIN, COMMIT));
                    for (Anchor anchor : ANCHORS) places.add(anchor.place());
                    for (int line = 1; line <= session.script().size(); line++) places.add(line);
                    for (int place : places) lock("lock", session.name(), place);
                    pids.put(session.name(), value(connection, "SELECT pg_backend_pid()"));
                    execute(connection, "SET isolens.run = '" + runId + "'");
                    execute(connection, "SET isolens.session = '" + number(session.name()) + "'");
                    runs.put(session.name(), threads.submit(() -> run(connection, session)));
                }
                for (Turn turn : SCHEDULE) {
                    Integer at = settle(turn.session());
                    if (at != null && at == BEGIN) at = release(turn.session(), BEGIN);
                    if (turn.place() == COMMIT) {
                        while (at != null && at != AGAIN) at = release(turn.session(), at);
                    } else if (at != null && at == turn.place()) release(turn.session(), at);
                }
                execute(admin, "SELECT pg_advisory_unlock_all()");
                Map<String, Ended> ended = new LinkedHashMap<>();
                for (var each : runs.entrySet()) ended.put(each.getKey(), each.getValue().get(60, TimeUnit.SECONDS));
                return outcome(admin, ended);
            } finally {
                execute(admin, "SELECT pg_advisory_unlock_all()");
                for (Connection connection : connections) connection.close();
                threads.shutdownNow();
            }
        }
    }

    /** The sessions one after the other. */
    static Outcome inOrder(Connection admin, List<String> order) throws SQLException {
        for (String sql : FIRST_ROWS) execute(admin, sql);
        Map<String, Ended> ended = new LinkedHashMap<>();
        for (String name : order)
            for (Session session : SESSIONS) if (session.name().equals(name)) ended.put(name, run(admin, session));
        return outcome(admin, ended);
    }

    static List<List<String>> orders(List<String> names) {
        if (names.isEmpty()) return List.of(List.of());
        List<List<String>> all = new ArrayList<>();
        for (String name : names) {
            List<String> others = names.stream().filter(each -> !each.equals(name)).toList();
            for (List<String> rest : orders(others)) {
                List<String> order = new ArrayList<>(List.of(name));
                order.addAll(rest);
                all.add(order);
            }
        }
        return all;
    }

    @Test
    void @NAME() throws Exception {
        try (Connection admin = connect()) {
            try {
                define(admin);
                Outcome concurrent = new Together(admin).play();
                List<String> names = SESSIONS.stream().map(Session::name).toList();
                List<String> committed = names.stream().filter(name -> concurrent.sessions().get(name).committed()).toList();
                Set<List<String>> orders = new LinkedHashSet<>(orders(names));
                orders.addAll(orders(committed));
                StringBuilder message = new StringBuilder(FAILURE + "\n  at the same time:" + concurrent);
                boolean isSerial = false;
                for (List<String> order : orders) {
                    Outcome serial = inOrder(admin, order);
                    isSerial |= serial.compared().equals(concurrent.compared());
                    message.append("\n  ").append(String.join(", then ", order)).append(":").append(serial);
                }
                assertTrue(isSerial, message.toString());
            } finally {
                execute(admin, "DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE");
            }
        }
    }
}
`;
