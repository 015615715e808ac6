// Random transactions over one small table, as lists of statements: their text for the search, the same for a real
// server, and smaller programs that are like a given one.
import type { Choose } from "./productsHarness";

/** One statement with what it gives to a register, or a ROLLBACK. `:x1` in the text is a register read before. */
export interface RandomStatement {
  readonly sql: string;
  readonly into?: string;
  readonly as?: "value of v, -1 if no row" | "number of rows" | "affected rows";
  /** The statement runs only if this holds. */
  readonly when?: Condition;
}

export interface Condition {
  readonly register: string;
  readonly below: number;
}

/** Transactions by place; one that stands alone is meant to run twice at once. */
export type RandomTransactions = readonly (readonly RandomStatement[])[];

const TABLE = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n";
const REGISTERS = ["x1", "x2", "x3"] as const;

/** Two transactions as a rule, sometimes one or three: inserts, deletes, scans, locks, guards and rollbacks. */
export function randomTransactions(choose: Choose): RandomTransactions {
  const count = choose([2, 2, 2, 2, 2, 2, 1, 3]);
  return Array.from({ length: count }, () => {
    const length = count === 3 ? choose([1, 2]) : choose([1, 2, 2, 3, 3]);
    const known: string[] = [];
    return Array.from({ length }, (_, at) => randomStatement(choose, at, known));
  });
}

/** The transactions as routines a, b, c that return the last register they read; `key`: what the values of v are. */
export function routinesText(transactions: RandomTransactions, key?: ValueKey): string {
  const unique =
    key === undefined
      ? ""
      : `ALTER TABLE t ADD UNIQUE (v) DEFERRABLE INITIALLY ${key.toUpperCase()};\n`;
  return TABLE + unique + transactions.map(routineText).join("");
}

/** The values of v are a key that is DEFERRABLE, and INITIALLY that. */
export type ValueKey = "immediate" | "deferred";

/** Programs with one statement, guard or constant less, the most radical first. */
export function smallerThan(transactions: RandomTransactions): readonly RandomTransactions[] {
  const withTransaction = (at: number, statements: readonly RandomStatement[]) =>
    transactions.map((each, index) => (index === at ? statements : each));
  return [
    ...(transactions.length > 2
      ? transactions.map((_, at) => transactions.filter((__, index) => index !== at))
      : []),
    ...transactions.flatMap((statements, at) =>
      statements.length < 2
        ? []
        : statements.map((_, gone) =>
            withTransaction(
              at,
              statements.filter((__, index) => index !== gone),
            ),
          ),
    ),
    ...transactions.flatMap((statements, at) =>
      statements.flatMap((statement, place) =>
        simplerThan(statement).map((simpler) =>
          withTransaction(
            at,
            statements.map((each, index) => (index === place ? simpler : each)),
          ),
        ),
      ),
    ),
  ];
}

function simplerThan(statement: RandomStatement): readonly RandomStatement[] {
  const { when, ...unguarded } = statement;
  const { into, as, ...silent } = statement;
  const isRead = statement.sql.startsWith("SELECT");
  return [
    ...(when === undefined || statement.sql === "ROLLBACK" ? [] : [unguarded]),
    ...(into === undefined || as === undefined || isRead ? [] : [silent]),
    ...[
      statement.sql.replace(/ FOR (UPDATE|SHARE)$/, ""),
      statement.sql.replace(/:x\d/, "1"),
      statement.sql.replace(/ AND v >= \d/, ""),
    ]
      .filter((sql) => sql !== statement.sql)
      .map((sql) => ({ ...statement, sql })),
  ];
}

function randomStatement(choose: Choose, at: number, known: string[]): RandomStatement {
  const register = REGISTERS[at] ?? "x1";
  const when = randomGuard(choose, known);
  if (when !== undefined && choose([1, 2, 3, 4, 5]) === 1) return { sql: "ROLLBACK", when };
  const guarded = when === undefined ? {} : { when };
  const reads = choose(["read", "write", "write"]) === "read";
  const statement = reads ? randomRead(choose) : randomWrite(choose, known);
  const asked = statement.as !== undefined && (reads || choose([1, 2, 3]) === 1);
  if (!asked) return { sql: statement.sql, ...guarded };
  known.push(register);
  return { ...statement, into: register, ...guarded };
}

function randomGuard(choose: Choose, known: readonly string[]): Condition | undefined {
  const [first, ...others] = known;
  if (first === undefined || choose([1, 2, 3]) !== 1) return undefined;
  return { register: choose([first, ...others]), below: choose([1, 2, 5, 7]) };
}

function randomRead(choose: Choose): RandomStatement {
  const key = choose(["1", "2", "2", "3"]);
  const lock = choose(["", "", "", " FOR UPDATE", " FOR SHARE"]);
  const constant = choose(["1", "2", "5"]);
  return choose<RandomStatement>([
    { sql: `SELECT v FROM t WHERE id = ${key}${lock}`, as: "value of v, -1 if no row" },
    { sql: `SELECT v FROM t WHERE id = ${key}${lock}`, as: "value of v, -1 if no row" },
    { sql: `SELECT id, v FROM t WHERE v >= ${constant}${lock}`, as: "number of rows" },
    {
      sql: `SELECT count(*) AS v FROM t WHERE v >= ${constant}`,
      as: "value of v, -1 if no row",
    },
    { sql: `SELECT coalesce(sum(v), 0) AS v FROM t`, as: "value of v, -1 if no row" },
    {
      sql: `SELECT coalesce(max(v), 0) AS v FROM t WHERE v <= 6`,
      as: "value of v, -1 if no row",
    },
  ]);
}

function randomWrite(choose: Choose, known: readonly string[]): RandomStatement {
  const key = choose(["1", "2", "2", "3"]);
  const constant = choose(["1", "2", "5"]);
  const [first, ...others] = known;
  const value =
    first === undefined || choose([1, 2, 3]) === 1 ? constant : `:${choose([first, ...others])}`;
  const sql = choose([
    `UPDATE t SET v = v + ${value} WHERE id = ${key}`,
    `UPDATE t SET v = ${value} + 1 WHERE id = ${key}`,
    `UPDATE t SET v = ${value} WHERE id = ${key} AND v >= ${constant}`,
    `UPDATE t SET v = v - ${constant} WHERE id = ${key} AND v >= ${constant}`,
    `UPDATE t SET v = v + 10 WHERE v >= ${constant}`,
    `UPDATE t SET v = ${value} WHERE v = ${constant}`,
    `INSERT INTO t (id, v) VALUES (3, ${value})`,
    `INSERT INTO t (id, v) VALUES (${key}, ${value}) ON CONFLICT (id) DO UPDATE SET v = t.v + 1`,
    `INSERT INTO t (id, v) VALUES (${key}, ${value}) ON CONFLICT DO NOTHING`,
    `DELETE FROM t WHERE id = ${key}`,
    `DELETE FROM t WHERE v = ${constant}`,
    `DELETE FROM t WHERE id = ${key} AND v >= ${constant}`,
  ]);
  return { sql, as: "affected rows" };
}

function routineText(statements: readonly RandomStatement[], at: number): string {
  const registers = statements.flatMap((each) => each.into ?? []);
  return `CREATE FUNCTION ${"abc"[at] ?? "a"}() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE x1 integer := 0; x2 integer := 0; x3 integer := 0;
BEGIN
${statements.map((each) => `  ${guardedText(each)}\n`).join("")}  RETURN ${registers.at(-1) ?? "0"};
END $$;\n`;
}

function guardedText(statement: RandomStatement): string {
  const { when } = statement;
  const text = statementText(statement);
  return when === undefined ? text : `IF ${when.register} < ${when.below} THEN ${text} END IF;`;
}

function statementText({ sql, into, as }: RandomStatement): string {
  const text = sql.replace(/:(x\d)/g, "$1");
  if (sql === "ROLLBACK") return "RAISE EXCEPTION 'refused';";
  const isRead = sql.startsWith("SELECT");
  if (into === undefined) return `${isRead ? text.replace(/^SELECT/, "PERFORM") : text};`;
  if (as === "value of v, -1 if no row")
    return `${text.replace(" FROM ", ` INTO ${into} FROM `)}; ${into} := coalesce(${into}, -1);`;
  return `${isRead ? text.replace(/^SELECT/, "PERFORM") : text}; GET DIAGNOSTICS ${into} = ROW_COUNT;`;
}
