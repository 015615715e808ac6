// Random programs for MariaDB: stored procedures with handlers, and transactions of an application with user variables.
import type { Body, Table } from "./body";
import { mariadbStatements } from "./mariadbStatements";
import { programComments, ROLLED_BACK, type Call, type FuzzProgram } from "./program";
import { randomOf, type Random } from "./random";

const LEVELS = [
  "mariadb:read-uncommitted",
  "mariadb:read-committed",
  "mariadb:read-committed",
  "mariadb:repeatable-read",
  "mariadb:repeatable-read",
  "mariadb:repeatable-read(snapshot-isolation=on)",
  "mariadb:serializable",
] as const;

/** The program of this number. */
export function mariadbProgram(seed: number): FuzzProgram {
  const random = randomOf(seed);
  const features = new Set<string>();
  const { tables, triggers } = schemaOf(random, features);
  const names = ["f", "g"].slice(0, random.pick([1, 2, 2]));
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
    return random.chance(0.3) ? script(body, name) : procedure(body, name);
  });
  const level = random.pick(LEVELS);
  const runs = Array.from({ length: 3 }, () =>
    Array.from({ length: random.chance(0.1) ? 3 : 2 }, (_, at) =>
      callOf(random, random.pick(names), at, routines),
    ),
  );
  const init = tables.flatMap(({ rows }) => rows);
  const program = { level, init, runs, features: [...features].sort() };
  const text = [
    "-- @isolens dialect mariadb",
    ...programComments(program),
    ...tables.map(({ definition }) => definition),
    "delimiter //",
    ...triggers.flatMap((trigger) => [`${trigger} //`]),
    ...routines.filter((text) => text.startsWith("create")).map((text) => `${text} //`),
    "delimiter ;",
    ...routines.filter((text) => !text.startsWith("create")),
    "",
  ].join("\n");
  return { text, ...program };
}

function schemaOf(
  random: Random,
  features: Set<string>,
): { readonly tables: readonly Table[]; readonly triggers: readonly string[] } {
  const maybe = (probability: number, feature: string): boolean => {
    const is = random.chance(probability);
    if (is) features.add(feature);
    return is;
  };
  const hasIndex = maybe(0.3, "secondary index");
  const hasNullable = maybe(0.3, "nullable column");
  const hasText = maybe(0.3, "text");
  const hasDay = maybe(0.15, "date");
  const isCoded = maybe(0.25, "second unique column");
  const isChecked = maybe(0.12, "check constraint");
  const tables: Table[] = [
    {
      name: "acc",
      definition: `create table acc (id int primary key, v int not null${isChecked ? " check (v >= 0)" : ""}, grp int not null default 1, done int not null default 0${hasNullable ? ", w int" : ""}${hasText ? ", note varchar(20) not null default ''" : ""}${hasDay ? ", day date not null default '2026-01-01'" : ""}${isCoded ? ", code int unique" : ""}${hasIndex ? ", key (grp)" : ""}) engine=innodb;`,
      counts: ["v", "v", ...(hasNullable ? ["w"] : [])],
      conditions: [
        ...[
          "id = P",
          "id = P",
          "id = P",
          "id = Q",
          "grp = P",
          "v > 0",
          "v >= Q",
          "done = 0",
          "id in (P, Q)",
        ],
        ...(hasNullable ? ["w is null", "w = Q"] : []),
        ...(hasText ? ["note = S", "note like concat(S, '%')"] : []),
        ...(hasDay ? ["day < '2026-01-03'"] : []),
        ...(isCoded ? ["code = P", "code = Q"] : []),
      ],
      insert: isCoded ? ["id, v, grp, code", "ID, Q, 1, P"] : ["id, v, grp", "ID, Q, P"],
      rows: [
        "insert into acc (id, v, grp) values (1, 1, 1)",
        "insert into acc (id, v, grp) values (2, 3, 1)",
        "insert into acc (id, v, grp, done) values (3, 2, 2, 1)",
        ...(isCoded ? ["update acc set code = id where id > 1"] : []),
      ],
      unique: isCoded ? ["code"] : [],
    },
  ];
  if (random.chance(0.5)) {
    const hasReference = maybe(0.5, "foreign key");
    const isUnique = maybe(0.4, "unique constraint");
    const action = random.pick([
      " on delete cascade",
      " on delete cascade",
      " on update cascade",
      " on delete cascade on update cascade",
      "",
    ]);
    if (hasReference) for (const [word] of action.matchAll(/on \w+ \w+/g)) features.add(word);
    tables.push({
      name: "item",
      definition: `create table item (id int primary key, acc int not null, k int, n int not null default 0${isUnique ? ", unique (acc, k)" : ""}${hasReference ? `, foreign key (acc) references acc (id)${action}` : ""}) engine=innodb;`,
      counts: ["n"],
      conditions: ["acc = P", "acc = P", "acc = P and k = Q", "id = Q", "k = Q", "n > 0"],
      insert: ["id, acc, k, n", "ID, P, Q, 1"],
      rows: ["insert into item values (1, 1, 1, 1)", "insert into item values (2, 1, 2, 5)"],
      unique: [],
    });
  }
  if (maybe(0.2, "text key"))
    tables.push({
      name: "tag",
      definition:
        "create table tag (name varchar(20) primary key, n int not null default 0) engine=innodb;",
      counts: ["n"],
      conditions: ["name = S", "name = S", "n > Q"],
      insert: ["name, n", "S, Q"],
      rows: ["insert into tag values ('a', 1)"],
      unique: [],
    });
  const hasItems = tables.some(({ name }) => name === "item");
  const triggers = maybe(0.12, "trigger")
    ? [
        random.pick([
          "create trigger bounded before update on acc for each row begin if new.v > 5 then set new.v = 5; end if; end",
          "create trigger kept before delete on acc for each row begin if old.v > 1 then signal sqlstate '45000' set message_text = 'in use'; end if; end",
          ...(hasItems
            ? [
                "create trigger counted after insert on item for each row update acc set v = v + 1 where id = new.acc",
              ]
            : []),
        ]),
      ]
    : [];
  return { tables, triggers };
}

function procedure(body: Body, name: string): string {
  const { random, features } = body;
  features.add("procedure");
  const handlers = random.chance(0.3) ? [handler(body)] : [];
  mariadbStatements(body);
  const begin = random.chance(0.06) ? " with consistent snapshot" : "";
  if (begin !== "") features.add("consistent snapshot");
  return [
    `create procedure ${name}(in p int, in q int, in s varchar(20), in p_id int, out r int)`,
    "begin",
    "  declare x int;",
    "  declare y int;",
    "  declare m int;",
    ...handlers,
    `  start transaction${begin};`,
    ...body.lines,
    "  commit;",
    `  set r = ${[...body.assigned].at(-1) ?? "0"};`,
    "end",
  ].join("\n");
}

function handler({ random, features }: Body): string {
  const kind = random.pick(["sqlexception", "1062", "sqlstate '23000'", "1213", "not found"]);
  const action = kind === "not found" ? "continue" : random.pick(["exit", "exit", "continue"]);
  features.add(`${action} handler ${kind}`);
  if (action === "continue") return `  declare continue handler for ${kind} set x = 7;`;
  const resignal = random.chance(0.3) ? " resignal;" : ` set r = ${String(ROLLED_BACK)};`;
  return `  declare exit handler for ${kind} begin rollback;${resignal} end;`;
}

/** The application's statements, with user variables. */
function script(body: Body, name: string): string {
  const { random, features } = body;
  features.add("client transaction");
  const hasItems = body.tables.some((table) => table.name === "item");
  const locking = (): string => {
    const chosen = random.pick(["", "", " FOR UPDATE", " LOCK IN SHARE MODE"]);
    if (chosen !== "") features.add(chosen.trim().toLowerCase());
    return chosen;
  };
  const reads = [
    () => `SELECT v INTO @x FROM acc WHERE id = :p${locking()};`,
    () => `SELECT count(*) INTO @x FROM acc WHERE grp = :p${locking()};`,
    () => `SET @x = (SELECT v FROM acc WHERE id = :q);`,
    ...(hasItems
      ? [() => `SELECT coalesce(sum(n), 0) INTO @x FROM item WHERE acc = :p${locking()};`]
      : []),
  ];
  const writes = [
    () => "UPDATE acc SET v = @x + 1 WHERE id = :p;",
    () => "UPDATE acc SET v = @x - 1 WHERE id = :p AND @x > 0;",
    () => "UPDATE acc SET v = v + :q WHERE id = :p;",
    () => "UPDATE acc SET done = 1 WHERE id = :q AND @x > 1;",
    () => "INSERT INTO acc (id, v, grp) VALUES (:p_id, @x, :p);",
    () => "INSERT IGNORE INTO acc (id, v, grp) VALUES (:p, 1, 1);",
    () => "INSERT INTO acc (id, v, grp) VALUES (:p, 1, 1) ON DUPLICATE KEY UPDATE v = v + 1;",
    () => "DELETE FROM acc WHERE id = :q AND v = @x;",
    ...(hasItems
      ? [
          () => "INSERT INTO item (id, acc, k, n) VALUES (:p_id, :p, :q, 1);",
          () => "UPDATE item SET n = @x WHERE acc = :p;",
          () => "DELETE FROM item WHERE acc = :p;",
        ]
      : []),
  ];
  const lines = [
    random.pick(reads)(),
    ...Array.from({ length: random.pick([1, 2, 2]) }, () => random.pick([...writes, ...reads])()),
    random.pick(writes)(),
  ];
  if (random.chance(0.2)) {
    features.add("savepoint");
    lines.splice(1, 0, "SAVEPOINT a;");
    lines.push("ROLLBACK TO a;");
    if (random.chance(0.5)) lines.push(random.pick(writes)());
  }
  if (random.chance(0.3)) lines.push("SELECT v FROM acc WHERE id = :p;");
  return [`-- @transaction ${name}`, "START TRANSACTION;", ...lines, "COMMIT;"].join("\n");
}

function callOf(random: Random, name: string, at: number, routines: readonly string[]): Call {
  const values = {
    p: random.chance(0.04) ? "null" : random.pick(["1", "1", "1", "2", "3", "9"]),
    q: random.chance(0.04) ? "null" : random.pick(["1", "1", "2", "3"]),
    s: random.pick(["'a'", "'a'", "'A'", "'b'"]),
    p_id: random.chance(0.15) ? "20" : String(20 + at),
  };
  const text = routines.find((each) => each.startsWith(`-- @transaction ${name}\n`));
  return {
    name,
    args: Object.entries(values)
      .filter(([key]) => text?.includes(`:${key}`) !== false)
      .map(([key, value]) => (text === undefined ? { value } : { name: key, value })),
  };
}
