// Statements of stored procedures in MariaDB as applications write them, one generator each.
import { integer, nested, step, target, valued, where, write, type Body, type Table } from "./body";
import { MARIADB_WRITES } from "./mariadbWrites";

type Generator = (body: Body) => void;

/** Statements until there is no room. */
export function mariadbStatements(body: Body): void {
  while (body.room > 0) body.random.pick(GENERATORS)(body);
}

/** One statement at least, and some more at times; what they assign is not known afterwards. */
function block(body: Body): void {
  nested(body, () => {
    const rest = body.room;
    const taken = body.depth > 2 ? 1 : body.random.pick([1, 1, 2]);
    const before = new Set(body.assigned);
    body.room = taken;
    mariadbStatements(body);
    body.room = rest - taken;
    for (const name of [...body.assigned]) if (!before.has(name)) body.assigned.delete(name);
  });
}

function lock({ random, features }: Body): string {
  const strength = random.pick(["for update", "for update", "lock in share mode"]);
  const wait = random.pick(["", "", "", "", " skip locked"]);
  features.add(strength);
  if (wait !== "") features.add(wait.trim());
  return ` ${strength}${wait}`;
}

const read: Generator = (body) => {
  const { random } = body;
  const table = random.pick(body.tables);
  const condition = where(body, table);
  const order = /^(?:id|name) = \w+$/.test(condition) ? "" : ` order by ${keyOf(table)} limit 1`;
  const locking = random.chance(0.4) ? lock(body) : "";
  step(
    body,
    `select ${random.pick(table.counts)} into ${target(body)} from ${table.name} where ${condition}${order}${locking};`,
  );
};

const aggregate: Generator = (body) => {
  const table = body.random.pick(body.tables);
  body.features.add("aggregate");
  const column = body.random.pick(table.counts);
  const what = body.random.pick([
    "count(*)",
    "count(*)",
    `coalesce(sum(${column}), 0)`,
    `max(${column})`,
  ]);
  const locking = body.random.chance(0.3) ? lock(body).replace(" skip locked", "") : "";
  step(
    body,
    `select ${what} into ${target(body)} from ${table.name} where ${where(body, table)}${locking};`,
  );
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
  write(body, `if ${name} ${body.random.pick(["> 0", "< 2", "is null", "= q", ">= 1"])} then`);
  block(body);
  if (body.random.chance(0.25)) {
    write(body, "else");
    block(body);
  }
  write(body, "end if;");
};

const update: Generator = (body) => {
  const { random } = body;
  const table = random.pick(body.tables);
  const column = random.pick(table.counts);
  const value = random.pick([
    integer(body),
    integer(body),
    `${column} + 1`,
    `${column} - 1`,
    `greatest(${column} - 1, 0)`,
    `if(${column} > 1, ${column} - 1, 0)`,
  ]);
  const end = random.chance(0.08) ? ` order by ${keyOf(table)} limit 1` : "";
  step(
    body,
    `update ${table.name} set ${column} = ${table.name === "tag" || column !== "w" ? `coalesce(${value}, 0)` : value} where ${where(body, table)}${end};`,
  );
};

const insertion: Generator = (body) => {
  const { random } = body;
  const table = random.pick(body.tables);
  const [columns, values] = table.insert;
  const column = table.counts[0] ?? "n";
  const given = valued(body, random.chance(0.3) ? values.replace("ID", "P") : values);
  const [verb, end] = random.pick([
    ["insert into", ""],
    ["insert into", ""],
    ["insert ignore into", ""],
    ["replace into", ""],
    ["insert into", ` on duplicate key update ${column} = ${column} + 1`],
    ["insert into", ` on duplicate key update ${column} = values(${column})`],
  ] as const);
  body.features.add(end === "" ? verb.replace(" into", "") : "on duplicate key update");
  step(body, `${verb} ${table.name} (${columns}) values (${given})${end};`);
};

const deletion: Generator = (body) => {
  const table = body.random.pick(body.tables);
  body.features.add("delete");
  step(body, `delete from ${table.name} where ${where(body, table)};`);
};

const join: Generator = (body) => {
  if (!body.tables.some(({ name }) => name === "item")) {
    update(body);
    return;
  }
  body.features.add("update join");
  step(
    body,
    body.random.pick([
      "update acc a join item i on i.acc = a.id set a.v = a.v + i.n where i.id = q;",
      "update item i join acc a on a.id = i.acc set i.n = a.v where a.id = p;",
      "insert into item (id, acc, k, n) select p_id, a.id, q, a.v from acc a where a.id = p;",
      "update acc set v = (select coalesce(sum(n), 0) from item where acc = p) where id = p;",
    ]),
  );
};

const named: Generator = (body) => {
  body.features.add("named lock");
  const key = body.random.pick(["'l'", "concat('l', p)"]);
  const seconds = body.random.pick(["0", "5"]);
  write(
    body,
    body.random.pick([
      `do get_lock(${key}, ${seconds});`,
      `if get_lock(${key}, ${seconds}) = 0 then set x = 0; end if;`,
      `select get_lock(${key}, ${seconds}) into y;`,
    ]),
  );
  write(body, "/*bp*/");
  block(body);
  if (body.random.chance(0.4)) write(body, `do release_lock(${key});`);
};

const counted: Generator = (body) => {
  body.features.add("row count");
  const table = body.random.pick(body.tables);
  write(
    body,
    `update ${table.name} set ${table.counts[0] ?? "n"} = ${table.counts[0] ?? "n"} + 1 where ${where(body, table)};`,
  );
  step(body, `set ${target(body)} = row_count();`);
};

const withdrawal: Generator = (body) => {
  body.features.add("withdrawal");
  const locking = body.random.pick(["", " for update", " lock in share mode"]);
  step(body, `select v into x from acc where id = p${locking};`);
  body.assigned.add("x");
  write(body, "if x >= q then");
  nested(body, () => {
    step(
      body,
      body.random.pick([
        "update acc set v = x - q where id = p;",
        "update acc set v = v - q where id = p;",
        "update acc set v = x - q where id = p and v = x;",
      ]),
    );
  });
  write(body, "end if;");
};

const onCall: Generator = (body) => {
  body.features.add("on call");
  const locking = body.random.pick(["", "", " for update", " lock in share mode"]);
  step(body, `select count(*) into m from acc where done = 0${locking};`);
  body.assigned.add("m");
  write(body, "if m > 1 then");
  nested(body, () => {
    step(body, "update acc set done = 1 where id = p;");
  });
  write(body, "end if;");
};

function keyOf({ name }: Table): string {
  return name === "tag" ? "name" : "id";
}

const GENERATORS: readonly Generator[] = [
  ...[
    read,
    read,
    read,
    aggregate,
    aggregate,
    existence,
    existence,
    decision,
    update,
    update,
    update,
  ],
  ...[
    insertion,
    insertion,
    insertion,
    deletion,
    join,
    named,
    counted,
    withdrawal,
    withdrawal,
    onCall,
  ],
  ...MARIADB_WRITES,
];
