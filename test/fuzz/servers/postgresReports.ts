// Reads of PL/pgSQL beyond a row or a sum: windows, groups, offsets, unions, outer joins, filters and questions within questions.
import { step, target, valued, write, type Body } from "./body";

type Generator = (body: Body) => void;

function hasItems({ tables }: Body): boolean {
  return tables.some(({ name }) => name === "item");
}

/** A statement that reads one of these into a variable, written INTO. */
function reading(body: Body, feature: string, texts: readonly string[]): void {
  body.features.add(feature);
  const text = valued(body, body.random.pick(texts));
  step(body, text.replace("INTO", `into ${target(body)}`));
}

const window: Generator = (body) => {
  if (body.random.chance(0.3)) {
    body.features.add("window");
    step(
      body,
      body.random.pick([
        "update acc set v = t.r from (select id, row_number() over (order by v, id) as r from acc where grp = p) t where t.id = acc.id;",
        "delete from acc where id in (select t.id from (select id, row_number() over (partition by grp order by id) as r from acc) t where t.r > 2);",
        "update acc set grp = q where id in (select t.id from (select id, rank() over (order by v desc) as r from acc) t where t.r = 1);",
      ]),
    );
    return;
  }
  reading(body, "window", [
    "select t.r INTO from (select id, row_number() over (order by v desc, id) as r from acc where grp = P) t where t.id = Q;",
    "select max(t.c) INTO from (select count(*) over (partition by grp) as c from acc) t;",
    "select t.total INTO from (select id, sum(v) over (order by id) as total from acc) t where t.id = P;",
    "select t.id INTO from (select id, rank() over (partition by grp order by v desc, id) as r from acc) t where t.r = 1 order by t.id limit 1;",
    "select t.v INTO from (select id, lag(v) over (order by id) as v from acc) t where t.id = P;",
  ]);
};

const groups: Generator = (body) => {
  reading(body, "groups", [
    "select grp INTO from acc group by grp having sum(v) > Q order by grp limit 1;",
    "select count(*) INTO from (select grp from acc group by grp having count(*) > 1) t;",
    "select count(distinct grp) INTO from acc where v > Q;",
    "select max(t.total) INTO from (select grp, sum(v) as total from acc group by grp) t;",
  ]);
};

const ranked: Generator = (body) => {
  reading(body, "offset", [
    "select id INTO from acc order by v desc, id limit 1 offset 1;",
    "select v INTO from acc where grp = P order by v desc, id limit 1;",
    "select distinct on (grp) id INTO from acc order by grp, v desc, id limit 1;",
    "select id INTO from acc where not done order by v, id limit 1 offset 1 for update;",
  ]);
};

const joined: Generator = (body) => {
  if (!hasItems(body)) return groups(body);
  reading(body, "join", [
    "select count(i.id) INTO from acc a left join item i on i.acc = a.id where a.grp = P;",
    "select coalesce(sum(i.n), 0) INTO from acc a left join item i on i.acc = a.id where a.id = P;",
    "select a.v INTO from acc a join item i on i.acc = a.id where i.id = Q for update of a;",
    "select a.v INTO from acc a join item i on i.acc = a.id where i.id = Q;",
    "select i.n INTO from acc a left join item i on i.acc = a.id and i.k = Q where a.id = P order by i.id limit 1;",
    "select count(*) INTO from acc where id in (select acc from item where k = Q);",
    "select count(*) INTO from acc a where not exists (select 1 from item i where i.acc = a.id);",
  ]);
};

const union: Generator = (body) => {
  reading(body, "union", [
    "select count(*) INTO from (select id from acc where grp = P union select id from acc where v > Q) t;",
    "select count(*) INTO from (select grp from acc where v > 0 except select grp from acc where done) t;",
    ...(hasItems(body)
      ? [
          "select coalesce(sum(t.v), 0) INTO from (select v from acc where id = P union all select n from item where acc = P) t;",
        ]
      : []),
  ]);
};

const filtered: Generator = (body) => {
  reading(body, "filter", [
    "select count(*) filter (where v > Q) INTO from acc where grp = P;",
    "select sum(case when done then 0 else v end) INTO from acc;",
    "select coalesce(array_length(array_agg(id), 1), 0) INTO from acc where grp = P;",
    "select (case when bool_or(done) then 1 else 0 end) INTO from acc where grp = P;",
  ]);
};

const inner: Generator = (body) => {
  const { features, random } = body;
  features.add("query as value");
  if (random.chance(0.4)) {
    write(body, `if (select count(*) from acc where grp = p) < q then`);
    write(body, "/*bp*/");
    step(body, "  update acc set v = v + 1 where id = p;");
    write(body, "end if;");
    write(body, "/*bp*/");
    return;
  }
  if (random.chance(0.3)) {
    step(body, "select count(*), sum(v) into x, y from acc where grp = p;");
    body.assigned.add("x").add("y");
    return;
  }
  const name = target(body);
  step(
    body,
    random.pick([
      `${name} := (select v from acc where id = p);`,
      `${name} := coalesce((select max(v) from acc), 0) + 1;`,
    ]),
  );
};

/** With the weights that they have among all statements. */
export const POSTGRES_REPORTS: readonly (readonly [weight: number, Generator])[] = [
  [1, window],
  [1, groups],
  [1, ranked],
  [1, joined],
  [1, union],
  [1, filtered],
  [1, inner],
];
