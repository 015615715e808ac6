// Statements of procedures in MariaDB beyond a plain UPDATE or INSERT: keys that change, limits, upserts by one of several keys,
// several tables at once, cursors, windows and groups.
import { integer, nested, step, target, valued, write, type Body } from "./body";

type Generator = (body: Body) => void;

function has({ tables }: Body, name: string): boolean {
  return tables.some((table) => table.name === name);
}

const keyChange: Generator = (body) => {
  body.features.add("key change");
  step(
    body,
    body.random.pick([
      "update acc set id = p_id where id = p;",
      "update acc set id = id + 10 where id = q;",
      "update ignore acc set id = q where id = p;",
      ...(has(body, "item") ? ["update item set acc = q where acc = p;"] : []),
    ]),
  );
};

const limited: Generator = (body) => {
  body.features.add("update limit");
  const order = body.random.pick(["", " order by id", " order by v desc, id", " order by id desc"]);
  const rows = `where ${valued(body, body.random.pick(["grp = P", "v > 0", "done = 0"]))}${order} limit ${body.random.pick(["1", "1", "2"])}`;
  step(
    body,
    body.random.pick([
      `update acc set v = v - 1 ${rows};`,
      `update acc set done = 1 ${rows};`,
      `update acc set v = ${integer(body)} ${rows};`,
      `delete from acc ${rows};`,
      ...(has(body, "item") ? ["delete from item where acc = p order by id limit 1;"] : []),
    ]),
  );
};

const severalKeys: Generator = (body) => {
  const { random, features } = body;
  const isCoded = body.tables[0]?.unique.includes("code") === true;
  features.add(isCoded ? "upsert of several keys" : "upsert");
  const id = random.pick(["p_id", "p_id", "p"]);
  const [columns, values] = isCoded
    ? ["id, v, grp, code", `${id}, q, 1, p`]
    : ["id, v, grp", "p, q, 1"];
  const [verb, end] = random.pick([
    ["insert into", " on duplicate key update v = v + 1"],
    ["insert into", " on duplicate key update v = greatest(v, values(v))"],
    ["insert into", " on duplicate key update grp = values(grp), v = v + values(v)"],
    ["insert into", " on duplicate key update v = if(done = 0, values(v), v)"],
    ["insert ignore into", ""],
    ["replace into", ""],
  ] as const);
  step(body, `${verb} acc (${columns}) values (${values})${end};`);
};

const rowsAtOnce: Generator = (body) => {
  body.features.add("rows at once");
  step(
    body,
    body.random.pick([
      "insert into acc (id, v, grp) values (p_id, q, p), (p_id + 100, 1, q);",
      "insert ignore into acc (id, v, grp) values (p, 1, 1), (q, 2, 1);",
      "insert into acc (id, v, grp) values (p, 1, 1), (p_id, 2, 1) on duplicate key update v = v + 1;",
      "insert into acc (id, v, grp) select p_id, q, p from dual where not exists (select 1 from acc where grp = p and v > q);",
      "insert into acc (id, v, grp) select id + 100 + p_id, v, q from acc where grp = p;",
      ...(has(body, "item")
        ? [
            "insert into item (id, acc, k, n) select p_id + a.id * 100, a.id, q, a.v from acc a where a.grp = p;",
            "insert into item (id, acc, k, n) select id, id, q, v from acc where grp = p on duplicate key update n = n + values(n);",
          ]
        : []),
      ...(has(body, "tag")
        ? [
            "insert into tag (name, n) select s, count(*) from acc where grp = p on duplicate key update n = values(n);",
          ]
        : []),
    ]),
  );
};

const severalTables: Generator = (body) => {
  if (!has(body, "item")) return limited(body);
  body.features.add("several tables");
  step(
    body,
    body.random.pick([
      "delete a, i from acc a join item i on i.acc = a.id where a.id = p;",
      "delete i from item i join acc a on a.id = i.acc where a.v < q;",
      "update acc a join item i on i.acc = a.id set a.v = a.v - 1, i.n = i.n + 1 where i.id = q;",
      "delete from acc where id = q and not exists (select 1 from item where item.acc = acc.id);",
      "update acc a left join item i on i.acc = a.id set a.done = 1 where i.id is null and a.grp = p;",
    ]),
  );
};

const cursor: Generator = (body) => {
  const { random, features } = body;
  features.add("cursor");
  const locking = random.pick([" for update", "", ""]);
  write(body, "begin");
  nested(body, () => {
    write(body, "declare gone int default 0;");
    write(
      body,
      `declare c cursor for select id from acc where ${valued(body, random.pick(["grp = P", "v > 0", "done = 0"]))} order by id${locking};`,
    );
    write(body, "declare continue handler for not found set gone = 1;");
    write(body, "open c;");
    write(body, "all_rows: loop");
    nested(body, () => {
      write(body, "fetch c into x;");
      write(body, "if gone = 1 then leave all_rows; end if;");
      step(
        body,
        random.pick([
          "update acc set v = v - 1 where id = x;",
          "update acc set done = 1 where id = x and v > 1;",
        ]),
      );
    });
    write(body, "end loop;");
    // Others come between the cursor that has found nothing more and what follows.
    write(body, "close c;");
    write(body, "/*bp*/");
  });
  write(body, "end;");
};

const rounds: Generator = (body) => {
  body.features.add("while");
  write(body, "set m = 1;");
  write(body, "while m <= 2 do");
  nested(body, () => {
    step(
      body,
      body.random.pick([
        "update acc set v = v - 1 where id = m;",
        "update acc set v = v + m where id = p and v < 5;",
      ]),
    );
    write(body, "set m = m + 1;");
  });
  write(body, "end while;");
};

const refusal: Generator = (body) => {
  const name = body.random.pick([...body.assigned, "q"]);
  body.features.add("signal");
  write(
    body,
    `if ${name} ${body.random.pick(["is null", "<= 0", "> 3"])} then signal sqlstate '45000' set message_text = 'refused'; end if;`,
  );
  body.room -= 0.5;
};

const report: Generator = (body) => {
  const { random, features } = body;
  const [feature, text] = random.pick([
    [
      "window",
      "select t.r INTO from (select id, row_number() over (order by v desc, id) as r from acc where grp = P) t where t.id = Q",
    ],
    [
      "window",
      "select max(t.c) INTO from (select count(*) over (partition by grp) as c from acc) t",
    ],
    ["groups", "select grp INTO from acc group by grp having sum(v) > Q order by grp limit 1"],
    ["groups", "select count(distinct grp) INTO from acc where v > Q"],
    ["offset", "select id INTO from acc order by v desc, id limit 1 offset 1"],
    [
      "union",
      "select count(*) INTO from (select id from acc where grp = P union select id from acc where v > Q) t",
    ],
    ["query as value", "set INTO = (select v from acc where id = P)"],
    ["query as value", "set INTO = coalesce((select max(v) from acc), 0) + 1"],
    ...(has(body, "item")
      ? ([
          [
            "join",
            "select count(i.id) INTO from acc a left join item i on i.acc = a.id where a.grp = P",
          ],
          [
            "join",
            "select a.v INTO from acc a join item i on i.acc = a.id where i.id = Q for update",
          ],
          ["join", "select count(*) INTO from acc where id in (select acc from item where k = Q)"],
        ] as const)
      : []),
  ] as const);
  features.add(feature);
  const given = valued(body, text);
  const name = target(body);
  step(body, `${given.replace("INTO", text.startsWith("set") ? name : `into ${name}`)};`);
};

/** Each as often as it stands here. */
export const MARIADB_WRITES: readonly Generator[] = [
  keyChange,
  limited,
  limited,
  severalKeys,
  severalKeys,
  rowsAtOnce,
  severalTables,
  cursor,
  rounds,
  refusal,
  report,
  report,
  report,
];
