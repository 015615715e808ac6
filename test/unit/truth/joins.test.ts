// Joins, aggregates over them, subqueries that depend on the row at hand: what PostgreSQL and the papers' levels let
// through, and what they do not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

interface Expected {
  /** Verdicts by level; all is confirmed, and nothing is left open. */
  readonly [level: string]: readonly string[];
}

const RC = "postgres:read-committed";
const RR = "postgres:repeatable-read";

function check(name: string, text: string, expected: Expected, most = 2): void {
  test(name, async () => {
    for (const [level, wanted] of Object.entries(expected)) {
      const report = await analyse([sql(text)], level, most);
      assert.deepEqual(
        report.unknown.map((each) => each.reason),
        [],
        level,
      );
      assert.deepEqual(verdicts(report), wanted, level);
      for (const each of report.anomalies) assert.equal(each.status, "confirmed", level);
    }
  });
}

const SHOP = `
CREATE TABLE line (ord integer, n integer, item integer NOT NULL, qty integer NOT NULL, PRIMARY KEY (ord, n));
CREATE TABLE item (id integer PRIMARY KEY, stock integer NOT NULL, price integer NOT NULL);
CREATE TABLE ord (id integer PRIMARY KEY, total integer NOT NULL);
`;

check(
  "distinct items in a join, after a read of an earlier statement",
  `${SHOP}
CREATE FUNCTION sell(o integer, l integer, i integer, q integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ord SET total = total + 1 WHERE id = o;
  UPDATE item SET stock = stock - q WHERE id = i;
  INSERT INTO line VALUES (o, l, i, q);
END $$;
CREATE FUNCTION short(o integer, few integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE x integer; c bigint;
BEGIN
  SELECT total INTO x FROM ord WHERE id = o;
  SELECT count(DISTINCT item.id) INTO c FROM line JOIN item ON item.id = line.item
    WHERE line.ord = o AND item.stock < few;
  RETURN c + 1000 * x;
END $$;`,
  {
    [RC]: ["sell+short value"],
    [RR]: [],
    "read-atomic": ["sell+sell state"],
    "snapshot-isolation": [],
  },
);

check(
  "a sum over a join guards a write",
  `${SHOP}
CREATE FUNCTION add(o integer, l integer, i integer, q integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE worth integer;
BEGIN
  SELECT sum(line.qty * 2) INTO worth FROM line JOIN item ON item.id = line.item
    WHERE line.ord = o AND item.price > 5;
  IF coalesce(worth, 0) + q * 2 <= 10 THEN
    INSERT INTO line VALUES (o, l, i, q);
  END IF;
END $$;`,
  { [RC]: ["add+add state"], [RR]: ["add+add state"], "snapshot-isolation": ["add+add state"] },
);

check(
  "NOT EXISTS that depends on the row at hand",
  `${SHOP}
CREATE FUNCTION use(o integer, l integer, i integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM item WHERE id = i;
  IF FOUND THEN
    INSERT INTO line VALUES (o, l, i, 1);
  END IF;
END $$;
CREATE FUNCTION clean(p integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM item WHERE price = p AND NOT EXISTS (SELECT * FROM line WHERE line.item = item.id);
END $$;`,
  { [RC]: ["clean+use state"], [RR]: ["clean+use state"], serializable: [] },
);

check(
  "a total that is computed from the rows of another table",
  `${SHOP}
CREATE FUNCTION add(o integer, l integer, i integer, q integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO line VALUES (o, l, i, q);
END $$;
CREATE FUNCTION total(o integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c integer;
BEGIN
  SELECT (SELECT count(*) FROM line WHERE line.ord = ord.id) INTO c FROM ord WHERE id = o;
  UPDATE ord SET total = c WHERE id = o;
END $$;
CREATE FUNCTION at_once(o integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ord SET total = (SELECT count(*) FROM line WHERE line.ord = ord.id) WHERE id = o;
END $$;`,
  {
    [RC]: ["add+total+total unused"],
    [RR]: [],
    "snapshot-isolation": [],
  },
  3,
);

check(
  "a join by a full key is as exact as a read",
  `${SHOP}
CREATE FUNCTION price(o integer, l integer) RETURNS integer LANGUAGE sql AS $$
  SELECT item.price FROM ord JOIN line ON line.ord = ord.id JOIN item ON item.id = line.item
    WHERE ord.id = o AND line.qty > l $$;
CREATE FUNCTION change(i integer, p integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE item SET price = p WHERE id = i;
END $$;
CREATE FUNCTION order_more(o integer, l integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE line SET qty = qty + 1 WHERE ord = o AND n = l;
END $$;`,
  { [RC]: [], [RR]: [], "snapshot-isolation": [] },
);

check(
  "a change with FROM changes every row that has a partner",
  `${SHOP}
CREATE FUNCTION take(o integer) RETURNS void LANGUAGE sql AS $$
  UPDATE item SET stock = stock - line.qty FROM line WHERE line.item = item.id AND line.ord = o $$;
CREATE FUNCTION two(a integer, b integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE x integer; y integer;
BEGIN
  SELECT stock INTO x FROM item WHERE id = a;
  SELECT stock INTO y FROM item WHERE id = b;
  RETURN x * 1000 + y;
END $$;`,
  { [RC]: ["take+two value"], [RR]: [], "snapshot-isolation": [] },
);

check(
  "rows in an order of two columns, behind others",
  `${SHOP}
CREATE FUNCTION second(p integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN
  SELECT id INTO x FROM item WHERE price = p ORDER BY stock DESC, id LIMIT 1 OFFSET 1;
  UPDATE item SET stock = stock + 10 WHERE id = x;
END $$;`,
  { [RC]: ["second+second state"], "snapshot-isolation": [] },
);

check(
  "queries in FROM, INTERSECT and EXCEPT",
  `${SHOP}
CREATE FUNCTION few(o integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE a bigint; b integer;
BEGIN
  SELECT sum(x.qty + x.price) INTO a
    FROM (SELECT line.qty, item.price, line.n FROM line JOIN item ON item.id = line.item WHERE line.ord = o) x
    WHERE x.n > 1;
  SELECT item INTO b FROM line WHERE ord = o EXCEPT SELECT id FROM item WHERE stock > 5;
  RETURN coalesce(a, 0) * 1000 + coalesce(b, 0);
END $$;
CREATE FUNCTION set_item(i integer, p integer) RETURNS void LANGUAGE sql AS $$
  UPDATE item SET price = p, stock = p WHERE id = i $$;`,
  { [RC]: ["few+set_item value"], [RR]: [], "snapshot-isolation": [] },
);

check(
  "a query gives NULLs where a partner is missing",
  `${SHOP}
CREATE FUNCTION copy(o integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN
  x := coalesce((SELECT ord.total FROM ord JOIN item ON item.id = ord.total WHERE ord.id = o), 0);
  UPDATE ord SET total = x WHERE id = o;
END $$;
CREATE FUNCTION drop_item(i integer) RETURNS void LANGUAGE sql AS $$ DELETE FROM item WHERE id = i $$;
CREATE FUNCTION total(o integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE x integer; y integer;
BEGIN
  SELECT total INTO x FROM ord WHERE id = o;
  SELECT total INTO y FROM ord WHERE id = o;
  RETURN x - y;
END $$;`,
  { [RC]: ["copy+copy unused", "copy+total value"], [RR]: [] },
);

check(
  "a limit on how many rows there are is passed by two at a time",
  `CREATE TABLE seat (id integer PRIMARY KEY, taken integer NOT NULL);
CREATE FUNCTION take(k integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN
  SELECT count(*) INTO x FROM seat;
  IF x < 4 THEN
    INSERT INTO seat VALUES (k, 1);
  END IF;
END $$;`,
  {
    [RC]: ["take+take state"],
    [RR]: ["take+take state"],
    "snapshot-isolation": ["take+take state"],
  },
);

check(
  "a limit is passed that takes many rows, of which all but a few are alike",
  `CREATE TABLE team (id integer PRIMARY KEY);
CREATE TABLE member (team integer NOT NULL REFERENCES team (id), person text NOT NULL UNIQUE, PRIMARY KEY (team, person));
CREATE FUNCTION join_team(t integer, p text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM member WHERE team = t) >= 50 THEN RAISE EXCEPTION 'full'; END IF;
  INSERT INTO member VALUES (t, p);
END $$;
CREATE FUNCTION join_locked(t integer, p text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM team WHERE id = t FOR UPDATE;
  IF (SELECT count(*) FROM member WHERE team = t) >= 50 THEN RAISE EXCEPTION 'full'; END IF;
  INSERT INTO member VALUES (t, p);
END $$;
CREATE FUNCTION leave(t integer, p text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN DELETE FROM member WHERE team = t AND person = p; END $$;`,
  {
    [RC]: [
      "join_locked+join_team state",
      "join_locked+leave unused",
      "join_team+join_team state",
      "join_team+leave unused",
    ],
    "postgres:serializable": [],
  },
);

check(
  "rows that statements tell apart are not taken to be alike",
  `CREATE TABLE seat (id integer PRIMARY KEY, taken integer NOT NULL);
CREATE FUNCTION take(k integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM seat WHERE id < 1000000) < 40 THEN INSERT INTO seat VALUES (k, 1); END IF;
END $$;`,
  { [RC]: ["take+take unused"] },
);

test("a statement of very many relations is given up with a reason", async () => {
  const joins = Array.from({ length: 1_200 }, (_, at) => `CROSS JOIN t t${String(at)}`).join(" ");
  const text = `create table t (id int primary key, v int);
-- @transaction a
BEGIN;
SELECT t.v FROM t ${joins};
UPDATE t SET v = 1 WHERE id = 1;
COMMIT;
`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.equal(report.verdict, "unknown");
  assert.match(report.unknown.map(({ reason }) => reason).join(), /too many rounds, rows/);
});
