// Bodies of PL/pgSQL with the rows that they leave in `out`: what FOUND and ROW_COUNT say, what generated columns are.

export interface RoutineCase {
  readonly title: string;
  /** Definitions; `t` has the rows (1, 10) and (2, NULL) in its first two columns. */
  readonly tables: readonly string[];
  readonly declarations?: string;
  readonly body: string;
  /** The numbers in `out`, in order. */
  readonly gives: string;
}

export const OUT = "CREATE TABLE out (k int PRIMARY KEY, v int)";

const PLAIN = ["CREATE TABLE t (id int PRIMARY KEY, a int)"];
const GENERATED = [
  "CREATE TABLE t (id int PRIMARY KEY, a int, g int GENERATED ALWAYS AS (a - id) STORED)",
];
const CHANGES_NONE = [
  ...PLAIN,
  "CREATE FUNCTION h() RETURNS int LANGUAGE plpgsql AS $h$ BEGIN UPDATE t SET a = 0 WHERE id = 99; RETURN 1; END $h$",
];

const put = (value: string, k = 1): string => `INSERT INTO out VALUES (${String(k)}, (${value}));`;
const FOUND = put("CASE WHEN FOUND THEN 1 ELSE 0 END");
const HIT = "UPDATE t SET a = 1 WHERE id = 1;";
const MISS = "UPDATE t SET a = 1 WHERE id = 99;";
const COUNTED = "GET DIAGNOSTICS n = ROW_COUNT; INSERT INTO out VALUES (2, n);";

const COMMENT = "EXECUTE 'COMMENT ON TABLE t IS NULL';";

const onInsert = (body: string): readonly string[] => [
  ...GENERATED,
  `CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS $t$ BEGIN ${body} RETURN NEW; END $t$`,
  "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW WHEN (NEW.id > 2) EXECUTE FUNCTION tf()",
];

function told(
  title: string,
  body: string,
  gives: string,
  tables: readonly string[] = PLAIN,
): RoutineCase {
  return { title, tables, declarations: "n int; x int; r record;", body, gives };
}

export const TOLD: readonly RoutineCase[] = [
  told("EXECUTE leaves FOUND", `${HIT} EXECUTE 'UPDATE t SET a = 2 WHERE id = 99'; ${FOUND}`, "1"),
  told("EXECUTE sets ROW_COUNT", `EXECUTE 'UPDATE t SET a = 2'; ${COUNTED}`, "2"),
  told(
    "EXECUTE INTO leaves FOUND",
    `${HIT} EXECUTE 'SELECT a FROM t WHERE id = 9' INTO x; ${FOUND}`,
    "1",
  ),
  told("of several texts the last counts", `EXECUTE 'UPDATE t SET a = 1; ${HIT}'; ${COUNTED}`, "1"),
  told("a comment counts nothing", `${HIT} ${COMMENT} ${COUNTED}`, "0"),
  told("and leaves FOUND", `${HIT} ${COMMENT} ${FOUND}`, "1"),
  told("NOTIFY counts nothing", `${HIT} NOTIFY x; ${COUNTED}`, "0"),
  told(
    "a loop with rounds sets FOUND",
    `FOR r IN EXECUTE 'SELECT a FROM t WHERE id = 1' LOOP ${MISS} END LOOP; ${FOUND}`,
    "1",
  ),
  told(
    "a loop without rounds clears FOUND",
    `${HIT} FOR r IN SELECT a FROM t WHERE id = 9 LOOP NULL; END LOOP; ${FOUND}`,
    "0",
  ),
  told("a routine has its own FOUND", `${HIT} x := h(); ${FOUND}`, "1", CHANGES_NONE),
  told("and its own ROW_COUNT", `UPDATE t SET a = 1; x := h(); ${COUNTED}`, "2", CHANGES_NONE),
];

export const COMPUTED: readonly RoutineCase[] = [
  told(
    "read",
    put("SELECT g FROM t WHERE id = 1") + put("SELECT count(g) FROM t", 2),
    "9, 1",
    GENERATED,
  ),
  told(
    "read by its own change",
    `UPDATE t SET a = g WHERE id = 1; ${put("SELECT g FROM t WHERE id = 1")}`,
    "8",
    GENERATED,
  ),
  told(
    "returned as it is then",
    `UPDATE t SET a = 100 WHERE id = 1 RETURNING g INTO x; ${put("x")}`,
    "99",
    GENERATED,
  ),
  told(
    "of an inserted row",
    `INSERT INTO t VALUES (7, 9, DEFAULT) RETURNING g INTO x; ${put("x")}`,
    "2",
    GENERATED,
  ),
  told(
    "of the row that was proposed",
    `INSERT INTO t (id, a) VALUES (1, 6) ON CONFLICT (id) DO UPDATE SET a = excluded.g + t.g; ${put("SELECT a FROM t WHERE id = 1")}`,
    "14",
    GENERATED,
  ),
  told(
    "BEFORE triggers do not see it",
    `INSERT INTO t (id, a) VALUES (5, 1); ${put("SELECT a FROM t WHERE id = 5")}`,
    "55",
    onInsert("NEW.a := coalesce(NEW.g, 55);"),
  ),
  told(
    "BEFORE triggers do not set it",
    `INSERT INTO t (id, a) VALUES (5, 1); ${put("SELECT g FROM t WHERE id = 5")}`,
    "3",
    onInsert("NEW.g := 1; NEW.a := 8;"),
  ),
];

/** The function that the case runs. */
export function routineText({ declarations = "", body }: RoutineCase): string {
  return `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ DECLARE ${declarations} BEGIN ${body} END $$`;
}
