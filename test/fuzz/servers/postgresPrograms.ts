// Random programs for PostgreSQL: functions in PL/pgSQL and transactions of an application over a few tables.
import type { Body } from "./body";
import { postgresSchema } from "./postgresTables";
import { idiom } from "./postgresIdioms";
import { statements } from "./postgresStatements";
import { programComments, type Call, type FuzzProgram } from "./program";
import { randomOf, type Random } from "./random";

const LEVELS = [
  "postgres:read-committed",
  "postgres:read-committed",
  "postgres:read-committed",
  "postgres:repeatable-read",
  "postgres:serializable",
] as const;

/** The program of this number. */
export function postgresProgram(seed: number): FuzzProgram {
  const random = randomOf(seed);
  const features = new Set<string>();
  const { tables, extras } = postgresSchema(random, features);
  const count = random.pick([1, 2, 2]);
  const names = ["f", "g"].slice(0, count);
  const routines = names.map((name) => {
    const body: Body = {
      random,
      tables,
      features,
      lines: [],
      assigned: new Set(),
      room: random.pick([2, 3, 3, 4]),
      depth: 0,
    };
    if (random.chance(0.12)) return script(body, name);
    if (random.chance(0.3)) idiom(body);
    else statements(body);
    return [
      `create function ${name}(p int, q int, s text, p_id int) returns int language plpgsql as $$`,
      "declare x int; y int; m int; r record;",
      "begin",
      ...body.lines,
      `  return ${[...body.assigned].at(-1) ?? "0"};`,
      "end $$;",
    ].join("\n");
  });
  const level = random.pick(LEVELS);
  const runs = Array.from({ length: 3 }, () => {
    const size = random.chance(0.1) ? 3 : 2;
    return Array.from({ length: size }, (_, at) =>
      callOf(random, random.pick(names), at, routines),
    );
  });
  const init = tables.flatMap(({ rows }) => (random.chance(0.15) ? rows.slice(0, 1) : rows));
  const program = { level, init: consistent(init), runs, features: [...features].sort() };
  const text = [
    ...programComments(program),
    ...tables.map(({ definition }) => definition),
    ...extras,
    ...routines,
    "",
  ].join("\n");
  return { text, ...program };
}

/** Rows of items only where their account is. */
function consistent(rows: readonly string[]): readonly string[] {
  return rows.some((row) => row.startsWith("insert into acc")) ? rows : [];
}

function callOf(random: Random, name: string, at: number, routines: readonly string[]): Call {
  const values = {
    p: random.chance(0.05) ? "null" : random.pick(["1", "1", "1", "2", "3", "9"]),
    q: random.chance(0.05) ? "null" : random.pick(["1", "1", "2", "3"]),
    s: random.pick(["'a'", "'a'", "'b'"]),
    p_id: random.chance(0.15) ? "20" : String(20 + at),
  };
  const isScript = routines.some((text) => text.startsWith(`-- @transaction ${name}\n`));
  return {
    name,
    args: Object.entries(values).map(([key, value]) =>
      isScript ? { name: key, value } : { value },
    ),
  };
}

/** A transaction that an application sends: no variables, savepoints at times. */
function script(body: Body, name: string): string {
  const { random, features } = body;
  features.add("client transaction");
  const item = body.tables.some((table) => table.name === "item");
  const choices = [
    "SELECT v FROM acc WHERE id = :p;",
    "SELECT v FROM acc WHERE id = :p FOR UPDATE;",
    "SELECT count(*) FROM acc WHERE grp = :p;",
    "UPDATE acc SET v = v + 1 WHERE id = :p;",
    "UPDATE acc SET v = :q WHERE id = :p;",
    "UPDATE acc SET v = v - 1 WHERE grp = :p AND v > 0;",
    "INSERT INTO acc (id, v, grp) VALUES (:p_id, :q, :p);",
    "UPDATE acc SET done = true WHERE id = :q;",
    "DELETE FROM acc WHERE id = :q AND v = 0;",
    ...(item
      ? [
          "INSERT INTO item (id, acc, k, n) VALUES (:p_id, :p, :q, 1);",
          "SELECT sum(n) FROM item WHERE acc = :p;",
          "DELETE FROM item WHERE acc = :p;",
          "UPDATE item SET n = n + 1 WHERE acc = :p AND k = :q;",
        ]
      : []),
  ];
  const lines = Array.from({ length: random.pick([2, 3, 3]) }, () => random.pick(choices));
  if (random.chance(0.3)) {
    features.add("savepoint");
    const at = random.below(lines.length);
    lines.splice(at, 0, "SAVEPOINT a;");
    lines.push(random.pick(["ROLLBACK TO a;", "RELEASE a;"]));
    if (random.chance(0.5)) lines.push(random.pick(choices));
  }
  return [`-- @transaction ${name}`, "BEGIN;", ...lines, "COMMIT;"].join("\n");
}
