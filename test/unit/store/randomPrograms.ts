// Small random programs over two tables, the same for the same seed.
import { setEntry } from "../../../server/src/protocol/dictionary";
import type { Row } from "../../../server/src/protocol/witness";
import type { Scenario } from "./outcomes";
import { rowsOf, table } from "./programs";

export interface Flavour {
  /** Inserts, deletes and upserts. */
  readonly rows: boolean;
  readonly locks: boolean;
  readonly rollbacks: boolean;
  readonly transactions: number;
}

/** A scenario of transactions with one to three statements. */
export function randomScenario(seed: number, flavour: Flavour): Scenario {
  const random = generator(seed);
  const scripts: Record<string, string> = {};
  for (let index = 1; index <= flavour.transactions; index += 1) {
    const count = 1 + Math.floor(random() * 3);
    const statements = Array.from({ length: count }, (_, at) => statement(random, flavour, at));
    if (flavour.rollbacks && random() < 0.2) statements.push("ROLLBACK;");
    setEntry(scripts, `P${index}`, statements.join("\n"));
  }
  const initial = (): readonly Row[] =>
    rowsOf({ 1: pick(random, [0, 1, 2]), 2: pick(random, [1, 3]) });
  return {
    tables: [table("t", { id: "int", v: "int" }), table("u", { id: "int", v: "int" })],
    initial: { t: initial(), u: initial() },
    scripts,
  };
}

type Random = () => number;

function statement(random: Random, flavour: Flavour, at: number): string {
  const name = pick(random, ["t", "u"]);
  const other = name === "t" ? "u" : "t";
  const id = pick(random, [1, 2]);
  const value = pick(random, [1, 2, 3]);
  const row = pick(random, [3, 4]);
  const condition = pick(random, [
    `id = ${id}`,
    `id = ${id} AND v < ${value}`,
    `v >= ${value}`,
    `v = ${value}`,
  ]);
  const lock = flavour.locks ? pick(random, ["", " FOR UPDATE", " FOR SHARE"]) : "";
  const plain = [
    () => `SELECT v FROM ${name} WHERE ${condition}${lock};`,
    () => `SELECT id, v FROM ${name} WHERE ${condition} ORDER BY id${lock};`,
    () =>
      `SELECT v AS x${at} FROM ${name} WHERE id = ${id}${lock} \\gset\nUPDATE ${name} SET v = :x${at} + ${value} WHERE id = ${id};`,
    () =>
      `SELECT v AS x${at} FROM ${name} WHERE id = ${id}${lock} \\gset\nUPDATE ${other} SET v = :x${at} WHERE id = ${id};`,
    () => `UPDATE ${name} SET v = ${value} WHERE ${condition};`,
    () => `UPDATE ${name} SET v = v + ${value} WHERE ${condition};`,
    () => `UPDATE ${name} SET v = v + (SELECT sum(v) FROM ${other}) WHERE ${condition};`,
    () =>
      `UPDATE ${name} SET v = ${name}.v + ${other}.v FROM ${other} WHERE ${name}.id = ${other}.id;`,
    () => `SELECT count(*) AS n FROM ${name} WHERE ${condition};`,
    () => `SELECT t.v, u.v AS w FROM t JOIN u ON t.id = u.id WHERE t.v >= ${value};`,
  ];
  const rows = [
    () => `INSERT INTO ${name} (id, v) VALUES (${row}, ${value});`,
    () => `DELETE FROM ${name} WHERE ${condition};`,
    () =>
      `INSERT INTO ${name} (id, v) VALUES (${row}, ${value}) ON CONFLICT (id) DO UPDATE SET v = ${name}.v + 1;`,
    () => `INSERT INTO ${name} (id, v) VALUES (${id}, ${value}) ON CONFLICT DO NOTHING;`,
    () =>
      `INSERT INTO ${name} (id, v) SELECT ${row}, ${value} WHERE NOT EXISTS (SELECT 1 FROM ${name} WHERE v = ${value});`,
  ];
  return pick(random, flavour.rows ? [...plain, ...rows] : plain)();
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** Mulberry32: small, and good enough to vary programs. */
function generator(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
