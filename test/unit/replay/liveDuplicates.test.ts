// PostgreSQL's SERIALIZABLE and an insertion that fails since its key is taken, and whose failure is handled: the searches of
// who took the key, and nothing else. On a server that is started, and as `check` tells it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFor } from "../../support/liveServers";
import { analyse, sql, verdicts } from "../truth/analyse";

const TABLES = `CREATE TABLE seat (k int PRIMARY KEY, n int NOT NULL);
CREATE TABLE log (id int PRIMARY KEY);`;

const SEARCH = "PERFORM 1 FROM seat WHERE k = p;";

const TAKES = `BEGIN INSERT INTO seat VALUES (p, 1);
  EXCEPTION WHEN unique_violation THEN INSERT INTO log VALUES (i); END;`;

interface Case {
  readonly other: string;
  readonly server: "goes on" | "refuses";
  /** The finding of `check`; "open" where only a large table lets it happen. */
  readonly check: "finds" | "nothing" | "open";
}

const INSERT = "INSERT INTO seat VALUES (p, 2);";

const CASES: readonly Case[] = [
  { other: INSERT, server: "goes on", check: "finds" },
  { other: `${SEARCH} ${INSERT}`, server: "refuses", check: "nothing" },
  { other: `UPDATE seat SET n = 3 WHERE k = p; ${INSERT}`, server: "refuses", check: "nothing" },
  { other: `${INSERT} ${SEARCH}`, server: "refuses", check: "nothing" },
  { other: `PERFORM 1 FROM seat WHERE k = p + 1; ${INSERT}`, server: "refuses", check: "open" },
  { other: `PERFORM count(*) FROM seat; ${INSERT}`, server: "refuses", check: "open" },
];

const routine = (name: string, parameters: string, body: string): string =>
  `CREATE FUNCTION ${name}(${parameters}) RETURNS void LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;`;

test("a handled duplicate is told where the server goes on", async () => {
  for (const { other, check } of CASES) {
    const text = `${TABLES}
${routine("f", "p int, i int", `${SEARCH} IF FOUND THEN RETURN; END IF; ${TAKES}`)}
${routine("g", "p int", other)}`;
    const report = await analyse([sql(text)], "postgres:serializable", 2);
    const found = report.anomalies.filter(({ status }) => status === "confirmed");
    assert.deepEqual(verdicts({ ...report, anomalies: found }), check === "finds" ? ["f+g state"] : [], text); // prettier-ignore
    assert.equal(
      report.verdict,
      { finds: "anomaly", nothing: "safe", open: "unknown" }[check],
      text,
    );
  }
});

test("what is committed before a snapshot meets a key at every level with snapshots", async () => {
  const text = `${TABLES}
${routine("f", "p int, i int", `${SEARCH} IF FOUND THEN RETURN; END IF; ${TAKES}`)}
${routine("g", "p int", INSERT)}`;
  const report = await analyse([sql(text)], "postgres:repeatable-read", 2);
  assert.deepEqual(verdicts(report), ["f+f state", "f+g state"]);
});

test("PostgreSQL refuses a handled duplicate where the other one searched", async (context) => {
  const temporary = await serverFor("postgres", context);
  if (temporary === undefined) return;
  const sessions = [await temporary.server.open(), await temporary.server.open()] as const;
  const [one, two] = sessions;
  const must = async (session: typeof one, text: string): Promise<void> => {
    const result = await session.execute(text);
    assert.ok(result.ok, text);
  };
  try {
    for (const each of TABLES.split("\n")) await must(one, each);
    await must(one, routine("search", "p int", SEARCH));
    await must(one, routine("takes", "p int, i int", TAKES));
    for (const { other, server } of CASES) {
      await must(one, "TRUNCATE seat, log");
      await must(one, `${routine("g", "p int", other)}`.replace("FUNCTION", "OR REPLACE FUNCTION"));
      for (const session of sessions) await must(session, "BEGIN ISOLATION LEVEL SERIALIZABLE");
      await must(one, "SELECT search(1)");
      await must(two, "SELECT g(1)");
      await must(two, "COMMIT");
      const result = await one.execute("SELECT takes(1, 1)");
      assert.equal(
        result.ok ? "goes on" : result.code,
        server === "refuses" ? "40001" : server,
        other,
      );
      await one.execute("COMMIT");
    }
  } finally {
    for (const session of sessions) await session.close();
    await temporary.stop();
  }
});
