// Statements of PL/pgSQL as applications write them, one generator each; a body is a random row of them.
import { integer, nested, step, target, valued, where, write, type Body, type Table } from "./body";
import { POSTGRES_REPORTS } from "./postgresReports";
import { POSTGRES_WRITES } from "./postgresWrites";

type Generator = (body: Body) => void;

/** Statements until there is no room. */
export function statements(body: Body): void {
  while (body.room > 0) {
    const [, generate] = weighted(body);
    generate(body);
  }
}

/** One statement at least, and some more at times. */
function block(body: Body): void {
  nested(body, () => {
    const rest = body.room;
    body.room = body.depth > 2 ? 1 : body.random.pick([1, 1, 2]);
    const taken = body.room;
    const before = new Set(body.assigned);
    statements(body);
    body.room = rest - taken;
    // A variable that a branch assigns is not known after it.
    for (const name of [...body.assigned]) if (!before.has(name)) body.assigned.delete(name);
  });
}

function lock(body: Body): string {
  const { random, features } = body;
  const strength = random.pick([
    "for update",
    "for update",
    "for no key update",
    "for share",
    "for key share",
  ]);
  const wait = random.pick(["", "", "", " nowait", " skip locked"]);
  features.add(strength);
  if (wait !== "") features.add(wait.trim());
  return ` ${strength}${wait}`;
}

const read: Generator = (body) => {
  const { random } = body;
  const table = random.pick(body.tables);
  const column = random.pick(table.counts);
  const condition = where(body, table);
  const order = /\b(?:id|name) = /.test(condition) ? "" : " order by 1 limit 1";
  const locking = random.chance(0.35) ? lock(body) : "";
  step(
    body,
    `select ${column} into ${target(body)} from ${table.name} where ${condition}${order}${locking};`,
  );
  if (random.chance(0.3)) {
    body.features.add("not found");
    write(
      body,
      `if not found then ${random.pick(["return -1;", "raise exception 'gone';", "x := 0;"])} end if;`,
    );
    body.assigned.add("x");
  }
};

const aggregate: Generator = (body) => {
  const table = body.random.pick(body.tables);
  body.features.add("aggregate");
  const column = body.random.pick(table.counts);
  const what = body.random.pick([
    "count(*)",
    "count(*)",
    `coalesce(sum(${column}), 0)`,
    `sum(${column})`,
    `max(${column})`,
    `coalesce(min(${column}), 0)`,
  ]);
  step(body, `select ${what} into ${target(body)} from ${table.name} where ${where(body, table)};`);
};

const perform: Generator = (body) => {
  const table = body.random.pick(body.tables);
  body.features.add("perform lock");
  step(body, `perform 1 from ${table.name} where ${where(body, table)}${lock(body)};`);
};

const existence: Generator = (body) => {
  const table = body.random.pick(body.tables);
  body.features.add("exists");
  write(
    body,
    `if ${body.random.pick(["", "not ", "not "])}exists (select 1 from ${table.name} where ${where(body, table)}) then`,
  );
  write(body, "/*bp*/");
  block(body);
  // The question is a statement of its own also where nothing follows in its branch.
  write(body, "end if;");
  write(body, "/*bp*/");
};

const decision: Generator = (body) => {
  const name = body.random.pick([...body.assigned, "q"]);
  write(
    body,
    `if ${name} ${body.random.pick(["> 0", "< 2", "is null", "= q", ">= 1", "is not null"])} then`,
  );
  block(body);
  if (body.random.chance(0.25)) {
    write(body, "else");
    block(body);
  }
  write(body, "end if;");
};

function assignment(body: Body, table: Table): string {
  const column = body.random.pick(table.counts);
  const own = body.random.pick([`${column} + 1`, `${column} - 1`, `${column} + q`]);
  const derived = body.random.pick([
    integer(body),
    integer(body),
    own,
    own,
    `(select count(*) from ${body.random.pick(body.tables).name})`,
    `greatest(${column} - 1, 0)`,
    `case when ${column} > 1 then ${column} - 1 else 0 end`,
  ]);
  return `${column} = ${derived}`;
}

const update: Generator = (body) => {
  const table = body.random.pick(body.tables);
  const condition = where(body, table);
  const isSingle = /^(?:id|name) = /.test(condition);
  const isReturning = isSingle && body.random.chance(0.25);
  if (isReturning) body.features.add("returning");
  const returning = isReturning
    ? ` returning ${body.random.pick(table.counts)} into ${target(body)}`
    : "";
  const more = table.name === "acc" && body.random.chance(0.15) ? ", done = true" : "";
  step(
    body,
    `update ${table.name} set ${assignment(body, table)}${more} where ${condition}${returning};`,
  );
  if (body.random.chance(0.15)) {
    body.features.add("not found");
    write(body, "if not found then");
    block(body);
    write(body, "end if;");
  }
};

const insertion: Generator = (body) => {
  const { random } = body;
  const table = random.pick(body.tables);
  const [columns, values] = table.insert;
  const key = table.name === "tag" ? "name" : "id";
  const column = table.counts[0] ?? "n";
  const conflict = random.pick([
    "",
    "",
    " on conflict do nothing",
    ` on conflict (${random.pick([key, ...table.unique])}) do nothing`,
    ` on conflict (${random.pick([key, ...table.unique])}) do update set ${column} = ${table.name}.${column} + 1`,
    ` on conflict (${random.pick([key, ...table.unique])}) do update set ${column} = excluded.${column}`,
  ]);
  if (conflict !== "")
    body.features.add(
      conflict.includes("update") ? "on conflict do update" : "on conflict do nothing",
    );
  body.features.add("insert");
  const given = random.chance(0.3) ? values.replace("ID", "P") : values;
  step(body, `insert into ${table.name} (${columns}) values (${valued(body, given)})${conflict};`);
  if (conflict !== "" && random.chance(0.2)) {
    write(body, "if not found then");
    block(body);
    write(body, "end if;");
  }
};

const copy: Generator = (body) => {
  const items = body.tables.find(({ name }) => name === "item");
  if (!items) return update(body);
  body.features.add("insert select");
  step(
    body,
    `insert into item (id, acc, k, n) select p_id, a.id, q, a.v from acc a where ${valued(body, "a.id = P")};`,
  );
};

const deletion: Generator = (body) => {
  const table = body.random.pick(body.tables);
  body.features.add("delete");
  step(body, `delete from ${table.name} where ${where(body, table)};`);
};

const updateFrom: Generator = (body) => {
  if (!body.tables.some(({ name }) => name === "item")) return update(body);
  body.features.add("update from");
  step(
    body,
    body.random.pick([
      "update acc set v = acc.v + i.n from item i where i.acc = acc.id and i.id = q;",
      "update item set n = a.v from acc a where a.id = item.acc and a.id = p;",
    ]),
  );
};

const cte: Generator = (body) => {
  const hasItems = body.tables.some(({ name }) => name === "item");
  body.features.add("cte");
  step(
    body,
    body.random.pick([
      `with t as (select id, v from acc where grp = p order by id limit 1) update acc set v = t.v - 1 from t where acc.id = t.id;`,
      `with t as (select sum(v) as s from acc where grp = p) update acc set v = t.s from t where id = q;`,
      ...(hasItems
        ? [
            "with d as (delete from item where acc = p returning n) update acc set v = v + (select coalesce(sum(n), 0) from d) where id = p;",
            `with u as (update acc set v = v - 1 where id = p and v > 0 returning id) insert into item (id, acc, k, n) select p_id, u.id, q, 1 from u;`,
          ]
        : []),
    ]),
  );
};

const handler: Generator = (body) => {
  const kind = body.random.pick([
    "unique_violation",
    "unique_violation",
    "lock_not_available",
    "check_violation",
    "foreign_key_violation",
    "others",
  ]);
  body.features.add(`handler ${kind}`);
  write(body, "begin");
  if (kind === "unique_violation" || kind === "foreign_key_violation")
    nested(body, () => {
      insertion(body);
    });
  else block(body);
  write(body, `exception when ${kind} then`);
  // Others come between the statement that failed and what its handler does.
  write(body, "/*bp*/");
  const before = new Set(body.assigned);
  nested(body, () => {
    if (body.random.chance(0.4)) write(body, body.random.pick(["null;", "return -2;"]));
    else update(body);
  });
  for (const name of [...body.assigned]) if (!before.has(name)) body.assigned.delete(name);
  write(body, "end;");
};

const advisory: Generator = (body) => {
  const key = body.random.pick(["p", "1", "q"]);
  if (body.random.chance(0.4)) {
    body.features.add("try advisory");
    write(body, `if not pg_try_advisory_xact_lock(${key}) then return -3; end if;`);
    write(body, "/*bp*/");
  } else {
    body.features.add("advisory lock");
    step(body, `perform pg_advisory_xact_lock(${key});`);
  }
};

const tableLock: Generator = (body) => {
  const { random, features, tables } = body;
  const mode = random.pick([
    "row exclusive",
    "share update exclusive",
    "share",
    "share row exclusive",
    "exclusive",
    "access exclusive",
  ]);
  features.add(`lock table ${mode}`);
  step(body, `lock table ${random.pick(tables).name} in ${mode} mode;`);
};

const loop: Generator = (body) => {
  const { random } = body;
  const table = random.pick(body.tables.filter(({ name }) => name !== "tag"));
  body.features.add("loop over rows");
  const column = table.counts[0] ?? "n";
  const locking = random.chance(0.3) ? lock(body) : "";
  write(
    body,
    `for r in select id, ${column} as c from ${table.name} where ${where(body, table)} order by id${locking} loop`,
  );
  nested(body, () => {
    step(
      body,
      random.pick([
        `update ${table.name} set ${column} = r.c + 1 where id = r.id;`,
        `update ${table.name} set ${column} = ${column} - 1 where id = r.id;`,
        "y := coalesce(y, 0) + r.c;",
      ]),
    );
  });
  write(body, "end loop;");
  write(body, "/*bp*/");
};

const refusal: Generator = (body) => {
  const name = body.random.pick([...body.assigned, "q"]);
  body.features.add("raise");
  write(
    body,
    `if ${name} ${body.random.pick(["is null", "<= 0", "> 3"])} then raise exception 'refused'; end if;`,
  );
  body.room -= 0.5;
};

const counted: Generator = (body) => {
  update(body);
  body.features.add("row count");
  write(body, `get diagnostics ${target(body)} = row_count;`);
};

const take: Generator = (body) => {
  body.features.add("queue");
  const wait = body.random.pick([" for update skip locked", " for update", ""]);
  if (wait.includes("skip")) body.features.add("skip locked");
  step(
    body,
    body.random.pick([
      `update acc set done = true where id = (select id from acc where not done order by id limit 1${wait}) returning id into ${target(body)};`,
      `delete from acc where id = (select id from acc where grp = p order by id limit 1${wait}) returning id into ${target(body)};`,
    ]),
  );
};

const WEIGHTS: readonly (readonly [weight: number, Generator])[] = [
  [5, read],
  [3, aggregate],
  [2, perform],
  [3, existence],
  [3, decision],
  [6, update],
  [5, insertion],
  [1, copy],
  [1, deletion],
  [1, updateFrom],
  [1, cte],
  [2, handler],
  [1, advisory],
  [1, tableLock],
  [1, loop],
  [1, refusal],
  [1, counted],
  [1, take],
  ...POSTGRES_WRITES,
  ...POSTGRES_REPORTS,
];

function weighted(body: Body): readonly [weight: number, Generator] {
  const sum = WEIGHTS.reduce((all, [weight]) => all + weight, 0);
  let left = body.random.below(sum);
  const found = WEIGHTS.find(([weight]) => {
    left -= weight;
    return left < 0;
  });
  return found ?? [1, update];
}
