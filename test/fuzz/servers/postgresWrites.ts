// Writes of PL/pgSQL beyond a plain UPDATE or INSERT: MERGE, keys that change, limits, upserts by one of several keys, chains of
// RETURNING, cursors and texts that are put together.
import { integer, nested, step, target, valued, write, type Body } from "./body";

type Generator = (body: Body) => void;

function has({ tables }: Body, name: string): boolean {
  return tables.some((table) => table.name === name);
}

/** True if the accounts have a second unique column. */
function hasCode({ tables }: Body): boolean {
  return tables[0]?.unique.includes("code") === true;
}

const merge: Generator = (body) => {
  const { random, features } = body;
  features.add("merge");
  const matched = random.pick([
    "when matched then update set v = a.v + d.v",
    "when matched then update set v = d.v",
    "when matched and a.v > 0 then update set v = a.v - 1 when matched then delete",
    "when matched and a.v > 0 then update set v = d.v",
    "when matched then do nothing",
    "when matched and a.v = 0 then delete",
    "",
  ]);
  const fresh = random.pick([
    "when not matched then insert (id, v, grp) values (d.id, d.v, 1)",
    "when not matched then insert (id, v, grp) values (d.id, d.v, 1)",
    "when not matched and d.v > 1 then insert (id, v, grp) values (d.id, d.v, 2)",
    ...(matched === "" ? [] : [""]),
  ]);
  const source = random.pick([
    `(select ${valued(body, "P")} as id, ${integer(body)} as v)`,
    `(values (p, q), (p_id, 1)) `,
  ]);
  const name = source.startsWith("(values") ? "d (id, v)" : "d";
  step(
    body,
    random.pick([
      `merge into acc a using ${source} ${name} on a.id = d.id ${matched} ${fresh};`,
      ...(has(body, "item")
        ? [
            "merge into item i using (select id, v from acc where id = p) a on i.acc = a.id and i.k = q when matched then update set n = i.n + a.v when not matched then insert (id, acc, k, n) values (p_id, a.id, q, a.v);",
            "merge into acc a using (select acc, sum(n) as n from item group by acc) d on a.id = d.acc when matched then update set v = d.n;",
          ]
        : []),
      ...(has(body, "tag")
        ? [
            "merge into tag t using (select s as name) d on t.name = d.name when matched then update set n = t.n + 1 when not matched then insert (name, n) values (d.name, 1);",
          ]
        : []),
    ]),
  );
};

const keyChange: Generator = (body) => {
  body.features.add("key change");
  step(
    body,
    body.random.pick([
      "update acc set id = p_id where id = p;",
      "update acc set id = id + 10 where id = q;",
      "update acc set id = p_id where id = p and not exists (select 1 from acc where id = p_id);",
      ...(has(body, "item") ? ["update item set acc = q where acc = p;"] : []),
    ]),
  );
};

const limited: Generator = (body) => {
  const { random, features } = body;
  features.add("update limit");
  const order = random.pick(["id", "v desc, id", "id desc"]);
  const wait = random.pick([
    "",
    "",
    " for update",
    " for update skip locked",
    " for no key update",
  ]);
  const rows = `(select id from acc where ${valued(body, random.pick(["grp = P", "v > 0", "not done"]))} order by ${order} limit ${random.pick(["1", "1", "2", "q"])}${wait})`;
  step(
    body,
    random.pick([
      `update acc set v = v - 1 where id in ${rows};`,
      `update acc set done = true, v = v + 1 where id in ${rows} and not done;`,
      `delete from acc where id in ${rows};`,
      `with t as ${rows} update acc set v = ${integer(body)} from t where acc.id = t.id;`,
    ]),
  );
};

const severalKeys: Generator = (body) => {
  const { random, features } = body;
  const isCoded = hasCode(body);
  features.add(isCoded ? "upsert of several keys" : "upsert where");
  const id = random.pick(["p_id", "p_id", "p"]);
  const [columns, values, key] = isCoded
    ? ([`id, v, grp, code`, `${id}, q, 1, p`, random.pick(["code", "code", "id"])] as const)
    : ([`id, v, grp`, `p, q, 1`, "id"] as const);
  const action = random.pick([
    `on conflict (${key}) do update set v = acc.v + 1`,
    `on conflict (${key}) do update set v = excluded.v where acc.v < excluded.v`,
    `on conflict (${key}) do update set v = acc.v + excluded.v where not acc.done`,
    `on conflict (${key}) do update set grp = excluded.grp, v = excluded.v`,
    `on conflict (${key}) do nothing`,
    "on conflict do nothing",
  ]);
  const returning = random.chance(0.3) ? ` returning v into ${target(body)}` : "";
  step(body, `insert into acc (${columns}) values (${values}) ${action}${returning};`);
};

const rowsAtOnce: Generator = (body) => {
  const { random, features } = body;
  features.add("rows at once");
  step(
    body,
    random.pick([
      `insert into acc (id, v, grp) values (p_id, q, p), (p_id + 100, 1, q)${random.pick(["", " on conflict do nothing"])};`,
      `insert into acc (id, v, grp) values (p, 1, 1), (q, 2, 1) on conflict do nothing;`,
      `insert into acc (id, v, grp) select p_id, q, p where not exists (select 1 from acc where grp = p and v > q);`,
      `insert into acc (id, v, grp) select id + 100 + p_id, v, q from acc where grp = p;`,
      ...(has(body, "item")
        ? [
            "insert into item (id, acc, k, n) values (p_id, p, q, 1), (p_id + 100, q, p, 2);",
            "insert into item (id, acc, k, n) select p_id + a.id * 100, a.id, q, a.v from acc a where a.grp = p;",
          ]
        : []),
    ]),
  );
};

const deletionUsing: Generator = (body) => {
  body.features.add("delete using");
  step(
    body,
    body.random.pick([
      "delete from acc a using acc b where a.grp = b.grp and a.id > b.id and a.v = b.v;",
      ...(has(body, "item")
        ? [
            "delete from item using acc a where a.id = item.acc and a.v < q;",
            "delete from acc where id = q and not exists (select 1 from item where item.acc = acc.id);",
            "delete from item where acc not in (select id from acc);",
            "update acc set done = true where id = p and exists (select 1 from item where item.acc = acc.id and n > 0);",
          ]
        : []),
    ]),
  );
};

const chain: Generator = (body) => {
  const { random, features } = body;
  features.add("returning chain");
  step(
    body,
    random.pick([
      `with u as (update acc set v = v - 1 where id = p and v > 0 returning id) update acc set v = v + 1 where id = q and exists (select 1 from u);`,
      `with d as (delete from acc where id = p returning v, grp) insert into acc (id, v, grp) select p_id, v, grp from d;`,
      `with d as (delete from acc where grp = p and v < q returning v) update acc set v = v + (select coalesce(sum(v), 0) from d) where id = 3;`,
      `with i as (insert into acc (id, v, grp) values (p, q, 1) on conflict (id) do nothing returning id) select count(*) into ${target(body)} from i;`,
      `with t as (select id, v from acc where id = p for update), u as (update acc set v = t.v + 1 from t where acc.id = t.id returning acc.v) select v into ${target(body)} from u;`,
      `with u as (update acc set v = v + 1 where id = p returning v) select max(v) into ${target(body)} from u;`,
      ...(has(body, "item")
        ? [
            "with d as (delete from item where acc = p returning k, n), i as (insert into item (id, acc, k, n) select p_id, q, min(k), sum(n) from d having count(*) > 0 returning n) update acc set v = v + (select coalesce(sum(n), 0) from i) where id = q;",
            "with i as (insert into item (id, acc, k, n) values (p_id, p, q, 1) on conflict do nothing returning acc) update acc set v = v + 1 where id in (select acc from i);",
            `with d as (delete from item where acc = p and n > 0 returning n) select coalesce(sum(n), 0) into ${target(body)} from d;`,
          ]
        : []),
    ]),
  );
};

const cursor: Generator = (body) => {
  const { random, features } = body;
  features.add("cursor");
  const locking = random.pick([" for update", ""]);
  write(
    body,
    `declare c cursor for select id, v from acc where ${valued(body, random.pick(["grp = P", "v > 0", "id = P"]))} order by id${locking};`,
  );
  write(body, "begin");
  nested(body, () => {
    write(body, "for r in c loop");
    nested(body, () => {
      step(
        body,
        locking === ""
          ? "update acc set v = r.v - 1 where id = r.id;"
          : random.pick([
              "update acc set v = r.v - 1 where current of c;",
              "update acc set v = v + q where current of c;",
              "delete from acc where current of c;",
            ]),
      );
    });
    write(body, "end loop;");
    write(body, "/*bp*/");
  });
  write(body, "end;");
};

const dynamic: Generator = (body) => {
  body.features.add("execute");
  step(
    body,
    body.random.pick([
      "execute format('update %I set v = v + 1 where id = $1', 'acc') using p;",
      "execute 'update acc set v = $2 where id = $1' using p, q;",
      `execute 'select v from acc where id = $1' into ${target(body)} using p;`,
      `execute 'select count(*) from acc where grp = $1' into ${target(body)} using q;`,
    ]),
  );
};

const rounds: Generator = (body) => {
  body.features.add("loop of numbers");
  write(body, "for i in 1..2 loop");
  nested(body, () => {
    step(
      body,
      body.random.pick([
        "update acc set v = v - 1 where id = i;",
        "update acc set v = i where id = p;",
        "update acc set v = v + i where id = p and v < 5;",
      ]),
    );
  });
  write(body, "end loop;");
};

const strict: Generator = (body) => {
  body.features.add("strict");
  write(body, "begin");
  step(body, "  select v into strict x from acc where id = p;");
  write(body, "exception when no_data_found then");
  write(body, "  /*bp*/");
  step(
    body,
    body.random.pick([
      "  insert into acc (id, v, grp) values (p, q, 1);",
      "  x := 0;",
      "  return -4;",
    ]),
  );
  write(body, "end;");
};

const documents: Generator = (body) => {
  if (!has(body, "doc")) return limited(body);
  body.features.add("json and arrays");
  step(
    body,
    body.random.pick([
      "update doc set data = jsonb_set(data, '{n}', to_jsonb(q)) where id = p;",
      "update doc set data = data || jsonb_build_object('n', (data->>'n')::int + 1) where id = p;",
      `select (data->>'n')::int into ${target(body)} from doc where id = p;`,
      "update doc set marks = array_append(marks, q) where id = p and not (q = any (marks));",
      `select coalesce(array_length(marks, 1), 0) into ${target(body)} from doc where id = p;`,
      "update doc set marks = array_remove(marks, q) where id = p;",
    ]),
  );
};

/** With the weights that they have among all statements. */
export const POSTGRES_WRITES: readonly (readonly [weight: number, Generator])[] = [
  [2, merge],
  [1, keyChange],
  [2, limited],
  [2, severalKeys],
  [1, rowsAtOnce],
  [1, deletionUsing],
  [2, chain],
  [1, cursor],
  [1, dynamic],
  [1, rounds],
  [1, strict],
  [1, documents],
];
