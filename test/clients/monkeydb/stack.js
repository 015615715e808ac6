// A stack as Treiber's, whose reads and compare-and-swaps are transactions of their own: no element is popped twice.
export const schema = `
  create table head (id int primary key, top int);
  create table node (element int primary key, below int)`;
export const initial = {
  head: [{ id: 1, top: 2 }],
  node: [
    { element: 1, below: null },
    { element: 2, below: 1 },
  ],
};

/** Times that an operation tries again before it gives up, so that every run ends. */
const TRIES = 3;

async function topOf(db) {
  const { rows } = await db.query("select top from head where id = 1");
  return rows[0].top;
}

async function swap(db, expected, wanted) {
  await db.query("begin");
  const same = (await topOf(db)) === expected;
  if (same) await db.query("update head set top = $1 where id = 1", [wanted]);
  await db.query("commit");
  return same;
}

async function push(db, element) {
  for (let tried = 0; tried < TRIES; tried++) {
    const top = await topOf(db);
    await db.query(
      "insert into node values ($1, $2) on conflict (element) do update set below = excluded.below",
      [element, top],
    );
    if (await swap(db, top, element)) return null;
  }
  return null;
}

async function pop(db) {
  for (let tried = 0; tried < TRIES; tried++) {
    const top = await topOf(db);
    if (top === null) return null;
    const { rows } = await db.query("select below from node where element = $1", [top]);
    if (rows.length > 0 && (await swap(db, top, rows[0].below))) return top;
  }
  return null;
}

const pushing = (element) => async (db) => push(db, element);

export const sessions = [
  [pushing(3), pop, pop],
  [pushing(4), pop, pop],
  [pushing(5), pop, pop],
];

export const assert = [
  (end) => {
    const popped = ["s1[1]", "s1[2]", "s2[1]", "s2[2]", "s3[1]", "s3[2]"]
      .map((name) => end.result(name))
      .filter((element) => element !== null);
    return new Set(popped).size === popped.length;
  },
];
