// A generated test for pytest and the client psycopg.
import { quoteName } from "../replay/literal";
import { failureOf, headOf } from "./comments";
import { GATE, rowsOf, STANDING } from "./gateSql";
import type { PlannedSession, TestPlan } from "./plan";

/** The test as a file. It needs the packages pytest and psycopg, and a server in DATABASE_URL or PGHOST, .... */
export function pythonTest(plan: TestPlan): string {
  return [
    ...headOf(plan).map((line) => `# ${line}`.trimEnd()),
    "#",
    "# Run: DATABASE_URL=postgres://user@host/database pytest THIS_FILE",
    "import itertools",
    "import json",
    "import os",
    "import re",
    "import threading",
    "import time",
    "from pathlib import Path",
    "",
    "import psycopg",
    "",
    "# Where the SQL files are, seen from this file.",
    `FOLDER = ${text(plan.folder)}`,
    "",
    "# Tables and routines: files to load (None), or what they define.",
    "DEFINITIONS = [",
    ...plan.definitions.map(
      ({ file, text: copy }) => `    (${text(file)}, ${text(copy ?? null)}),`,
    ),
    "]",
    "",
    "# Where sessions stop inside of routines: place, file, routine, which one, and how the statement begins.",
    "ANCHORS = [",
    ...plan.anchors.map(
      ({ place, file, routine, text: begins, occurrence }) =>
        `    (${String(place)}, ${text(file)}, ${text(routine)}, ${String(occurrence)},\n     ${text(begins)}),`,
    ),
    "]",
    "",
    `LEVEL = ${text(plan.sessions[0]?.level ?? "")}`,
    "",
    "# Scripts have :name for values, and psql's \\gset, \\set, \\if, \\elif, \\else, \\endif.",
    "SESSIONS = {",
    ...plan.sessions.flatMap((session) => sessionLines(session, plan)),
    "}",
    "",
    "# Who goes on to which place; 0 is where a session begins.",
    "SCHEDULE = [",
    ...plan.schedule.map(
      ({ session, place, text: what }) =>
        `    (${text(session)}, ${typeof place === "number" ? String(place) : text(place)}),  # ${what}`,
    ),
    "]",
    "",
    "FIRST_ROWS = [",
    ...plan.initial.map((sql) => `    ${text(sql)},`),
    "]",
    "",
    "# What is compared; columns that the server makes up are left out.",
    "TABLES = [",
    ...plan.tables.map(({ name, without }) => `    (${text(quoteName(name))}, ${text(without)}),`),
    "]",
    "",
    `FAILURE = ${text(failureOf(plan))}`,
    HARNESS.replace("@NAME", () => `test_${plan.title.toLowerCase().replace(/\W+/g, "_")}`)
      .replace("@GATE", () => `"""${GATE}"""`)
      .replace(
        "@STANDING",
        () => `"""${STANDING("%(pid)s", "%(run)s").replace(/%(?!\()/g, "%%")}"""`,
      )
      .replace("@ROWS", () => `"""${rowsOf("@TABLE", "%s")}"""`),
  ].join("\n");
}

function sessionLines(
  { name, transaction, from, level, values, script }: PlannedSession,
  plan: TestPlan,
): readonly string[] {
  return [
    `    ${text(name)}: {  # ${transaction}, ${from}`,
    `        "level": ${level === plan.sessions[0]?.level ? "LEVEL" : text(level)},`,
    `        "values": ${text(values)},`,
    '        "script": [',
    ...script.map((line) => `            ${text(line)},`),
    "        ],",
    "    },",
  ];
}

/** Any plain value as a Python expression; JSON's strings are valid in Python. */
function text(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  if (typeof value === "object") {
    const fields = Object.entries(value).map(([name, each]) => `${text(name)}: ${text(each)}`);
    return `{${fields.join(", ")}}`;
  }
  return JSON.stringify(value);
}

const HARNESS = String.raw`
# From here on nothing is particular to this anomaly.

# Places that are no line of a script and no anchor: before BEGIN, before the next try, before COMMIT.
BEGIN, AGAIN, COMMIT = 0, 9998, 9999
SCHEMA = f"isolens_test_{os.getpid()}"
MOST_TRIES = 100
# Random ids and times of today: no two runs give the same.
MADE_UP = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|" + time.strftime("%Y-%m-%d") + "[T ][0-9:.+Z-]+"


def connect():
    # Without an encoding of its own the server gives texts as bytes.
    client = psycopg.connect(os.environ.get("DATABASE_URL", ""), autocommit=True, client_encoding="utf8")
    client.execute(f"SET search_path = {SCHEMA}, public")
    return client


def with_gates(file, sql):
    """The file's text with gates before the statements where sessions stop."""
    places = []
    for place, of, routine, occurrence, begins in ANCHORS:
        header = re.search(r'\b(?:function|procedure)\s+"?' + re.escape(routine) + r'"?\s*\(', sql, re.I)
        if of != file or header is None:
            continue
        body = sql[header.start():]
        following = re.search(r"\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\b", body, re.I)
        pattern = r"\s+".join(re.escape(word) for word in begins.split())
        matches = list(re.finditer(pattern, body[: following.start() if following else len(body)]))
        # A statement that is no longer there needs no gate.
        if len(matches) >= occurrence:
            places.append((header.start() + matches[occurrence - 1].start(), place))
    for at, place in sorted(places, reverse=True):
        sql = f"{sql[:at]}PERFORM isolens_gate({place}); {sql[at:]}"
    return sql


def define(client):
    client.execute(f"CREATE SCHEMA {SCHEMA}")
    client.execute("SET check_function_bodies = off")
    client.execute(@GATE)
    for file, copy in DEFINITIONS:
        text = copy if copy is not None else (Path(__file__).parent / FOLDER / file).read_text()
        client.execute(with_gates(file, text))


def outcome(client, ended):
    """Rows by table, and per session whether it committed and what it was given (or why it was rolled back)."""
    tables = {}
    for name, without in TABLES:
        rows = client.execute(@ROWS.replace("@TABLE", name), [without]).fetchall()
        tables[name] = [row for (row,) in rows]
    return tables, dict(ended)


def literal(value):
    """A value as SQL has it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) or not hasattr(value, "__add__") or hasattr(value, "isoformat"):
        return "'" + str(value).replace("'", "''") + "'"
    return f"({value})" if value < 0 else str(value)


def run_script(client, session, returned):
    """Runs the lines of a script in the transaction that is open; false if it rolls itself back."""
    values = dict(session["values"])

    def bind(line):
        def value(match):
            return literal(values[match[1]]) if match[1] in values else match[0]

        return re.sub(r"(?<![:\w]):([A-Za-z_]\w*)", value, line)

    def evaluate(expression):
        return client.execute(f"SELECT ({bind(expression)})").fetchone()[0]

    branches = []  # Of each \if that is open: whether its lines run, and whether one of its branches did.
    is_first = True
    for number, line in enumerate(session["script"], start=1):
        match = re.fullmatch(r"\\(\w+)\s*(.*)", line, re.S)
        command, rest = match.groups() if match else (None, "")
        is_on = all(runs for runs, _ in branches)
        is_outer_on = all(runs for runs, _ in branches[:-1])
        if command == "if":
            runs = is_on and bool(evaluate(rest))
            branches.append((runs, runs))
        elif command in ("elif", "else"):
            _, ran = branches[-1]
            runs = is_outer_on and not ran and (command == "else" or bool(evaluate(rest)))
            branches[-1] = (runs, ran or runs)
        elif command == "endif":
            branches.pop()
        elif not is_on:
            continue
        elif command == "set":
            name, _, expression = rest.partition(" ")
            expression = expression.strip()
            values[name] = expression if re.fullmatch(r"[A-Za-z_]\w*", expression) else evaluate(expression)
        elif line == "COMMIT":
            return True
        elif line == "ROLLBACK":
            return False
        else:
            if not is_first:
                client.execute(f"SELECT isolens_gate({number})")
            is_first = False
            sql, kept, prefix = re.fullmatch(r"(.*?)\s*(?:(\\gset)\s*(\S*))?", line, re.S).groups()
            cursor = client.execute(bind(sql))
            values["ROW_COUNT"] = cursor.rowcount
            names = [column.name for column in cursor.description or []]
            rows = [dict(zip(names, row)) for row in cursor.fetchall()] if names else []
            if kept:
                values.update({prefix + name: value for name, value in (rows or [{}])[0].items()})
            else:
                returned += [re.sub(MADE_UP, "made up", json.dumps(row, default=str)) for row in rows]
    return True


def run(client, session):
    """Runs a session to its end; what the server rolls back because of others is tried again."""
    for tries in itertools.count(1):
        returned = []
        try:
            client.execute(f"SELECT isolens_gate({BEGIN if tries == 1 else AGAIN})")
            if tries > 1:
                client.execute("SET isolens.run = ''")
            client.execute(f"BEGIN ISOLATION LEVEL {session['level']}")
            commits = run_script(client, session, returned)
            client.execute(f"SELECT isolens_gate({COMMIT})")
            client.execute("COMMIT" if commits else "ROLLBACK")
            return commits, " ".join(returned) if commits else "it rolls itself back"
        except psycopg.Error as error:
            if error.sqlstate is None:
                raise
            client.execute("ROLLBACK")
            if error.sqlstate not in ("40001", "40P01") or tries == MOST_TRIES:
                return False, f"{error.sqlstate} {error.diag.message_primary}"


def together(admin):
    """All sessions at the same time, in the order of the schedule as far as the server lets them."""
    for sql in FIRST_ROWS:
        admin.execute(sql)
    (run_id,) = admin.execute("SELECT pg_backend_pid()").fetchone()
    numbers = {name: 1 + at for at, name in enumerate(SESSIONS)}
    ended, failed, pids, threads, clients = {}, [], {}, [], []

    def lock(what, name, place):
        admin.execute(f"SELECT pg_advisory_{what}({run_id}, {numbers[name] * 10000 + place})")

    def play(name, client):
        try:
            ended[name] = run(client, SESSIONS[name])
        except BaseException as error:
            failed.append(error)

    def settle(name):
        """Waits until the session has ended, waits for another one, or stands at a gate, whose place is returned."""
        for _ in range(6000):
            if failed:
                raise failed[0]
            if name in ended:
                return None
            gate, waits = admin.execute(@STANDING, {"pid": pids[name], "run": run_id}).fetchone()
            if gate is not None or waits:
                return gate
            time.sleep(0.005)
        raise AssertionError(f"{name} neither goes on nor waits for anyone")

    def release(name, place):
        lock("unlock", name, place)
        lock("lock", name, place)  # Held again, for the next time that the session comes here.
        return settle(name)

    try:
        for name, session in SESSIONS.items():
            client = connect()
            clients.append(client)
            lines = range(1, len(session["script"]) + 1)
            for place in {BEGIN, AGAIN, COMMIT, *lines, *(anchor[0] for anchor in ANCHORS)}:
                lock("lock", name, place)
            (pids[name],) = client.execute("SELECT pg_backend_pid()").fetchone()
            client.execute(f"SET isolens.run = '{run_id}'")
            client.execute(f"SET isolens.session = '{numbers[name]}'")
            threads.append(threading.Thread(target=play, args=(name, client), daemon=True))
            threads[-1].start()
        for name, place in SCHEDULE:
            at = settle(name)
            if at == BEGIN:
                at = release(name, BEGIN)
            if place == "commit":
                while at is not None and at != AGAIN:
                    at = release(name, at)
            elif at == place:
                release(name, place)
    finally:
        admin.execute("SELECT pg_advisory_unlock_all()")
        for thread in threads:
            thread.join(60)
        for client in clients:
            client.close()
    if failed:
        raise failed[0]
    return outcome(admin, ended)


def in_order(admin, order):
    """The sessions one after the other."""
    for sql in FIRST_ROWS:
        admin.execute(sql)
    return outcome(admin, {name: run(admin, SESSIONS[name]) for name in order})


def compared(result):
    """A session that was rolled back and one that did not run are the same."""
    tables, sessions = result
    return tables, {name: given for name, (committed, given) in sessions.items() if committed}


def shown(result):
    tables, sessions = result
    lines = [f"    {table}: {' '.join(rows)}" for table, rows in tables.items()]
    for name, (committed, given) in sessions.items():
        lines.append(f"    {name} {'committed' if committed else 'was rolled back:'} {given}")
    return "\n".join(lines)


def @NAME():
    admin = connect()
    try:
        define(admin)
        concurrent = together(admin)
        committed = [name for name in SESSIONS if concurrent[1][name][0]]
        orders = {*itertools.permutations(SESSIONS), *itertools.permutations(committed)}
        serial = [(order, in_order(admin, order)) for order in sorted(orders)]
        message = "\n".join(
            [FAILURE, "  at the same time:", shown(concurrent)]
            + [f"  {', then '.join(order)}:\n{shown(result)}" for order, result in serial]
        )
        assert compared(concurrent) in [compared(result) for _, result in serial], message
    finally:
        admin.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        admin.close()
`;
