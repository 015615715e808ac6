// Tables as small applications have them, in variants: keys, foreign keys, unique indexes, checks, triggers and views.
import type { Table } from "./body";
import type { Random } from "./random";

export interface Schema {
  readonly tables: readonly Table[];
  readonly extras: readonly string[];
}

/** One to three tables. What they use is added to the features. */
export function postgresSchema(random: Random, features: Set<string>): Schema {
  const extras: string[] = [];
  const use = (feature: string): true => {
    features.add(feature);
    return true;
  };
  const maybe = (probability: number, feature: string): boolean =>
    random.chance(probability) && use(feature);

  const isChecked = maybe(0.2, "check constraint");
  const hasNullable = maybe(0.35, "nullable column");
  const hasText = maybe(0.3, "text");
  const hasDay = maybe(0.2, "date");
  const isCoded = maybe(0.25, "second unique column");
  const acc: Table = {
    name: "acc",
    definition: `create table acc (id int primary key, v int not null${isChecked ? " check (v >= 0)" : ""}, grp int not null default 1, done boolean not null default false${hasNullable ? ", w int" : ""}${hasText ? ", note text not null default ''" : ""}${hasDay ? ", day date not null default '2026-01-01'" : ""}${isCoded ? ", code int unique" : ""});`,
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
        "not done",
        "id in (P, Q)",
      ],
      ...(hasNullable ? ["w is null", "w = Q", "w is not null"] : []),
      ...(hasText ? ["note = S", "note like S || '%'", "lower(note) = S"] : []),
      ...(hasDay ? ["day = date '2026-01-01' + P", "day < '2026-01-03'"] : []),
      ...(isCoded ? ["code = P", "code = Q"] : []),
    ],
    insert: isCoded ? ["id, v, grp, code", "ID, Q, 1, P"] : ["id, v, grp", "ID, Q, P"],
    rows: [
      "insert into acc (id, v, grp) values (1, 1, 1)",
      "insert into acc (id, v, grp) values (2, 3, 1)",
      "insert into acc (id, v, grp, done) values (3, 2, 2, true)",
      ...(isCoded ? ["update acc set code = id where id > 1"] : []),
    ],
    unique: isCoded ? ["code"] : [],
  };
  const tables: Table[] = [acc];

  if (random.chance(0.55)) {
    const reference = random.pick([
      "",
      " references acc",
      " references acc on delete cascade",
      " references acc (id) on update cascade",
      " references acc on update cascade on delete cascade",
      " references acc on delete restrict",
      " references acc on update restrict",
      " references acc deferrable initially deferred",
    ]);
    if (reference !== "") use("foreign key");
    for (const [action] of reference.matchAll(/on (?:update|delete) \w+|deferrable/g)) use(action);
    const unique = random.pick(["", "", ", unique (acc, k)"]);
    if (unique !== "") use("unique constraint");
    const isPartial = unique === "" && maybe(0.15, "partial unique index");
    tables.push({
      name: "item",
      definition: `create table item (id int primary key, acc int not null${reference}, k int${random.chance(0.5) ? " not null" : ""}, n int not null default 0${unique});`,
      counts: ["n"],
      conditions: [
        "acc = P",
        "acc = P",
        "acc = P and k = Q",
        "id = Q",
        "k = Q",
        "k is null",
        "n > 0",
      ],
      insert: ["id, acc, k, n", "ID, P, Q, 1"],
      rows: ["insert into item values (1, 1, 1, 1)", "insert into item values (2, 1, 2, 5)"],
      unique: unique === "" ? [] : ["acc, k"],
    });
    if (isPartial) extras.push("create unique index item_open on item (acc, k) where n > 0;");
  }
  if (random.chance(0.25)) {
    use("text key");
    tables.push({
      name: "tag",
      definition: "create table tag (name text primary key, n int not null default 0);",
      counts: ["n"],
      conditions: ["name = S", "name = S", "n > Q"],
      insert: ["name, n", "S, Q"],
      rows: ["insert into tag values ('a', 1)"],
      unique: [],
    });
  }
  if (maybe(0.12, "documents"))
    tables.push({
      name: "doc",
      definition: `create table doc (id int primary key, n int not null default 0, data jsonb not null default '{"n": 0}', marks int[] not null default '{}');`,
      counts: ["n"],
      conditions: [
        "id = P",
        "id = P",
        "(data->>'n')::int > Q",
        "Q = any (marks)",
        "marks @> array[Q]",
        "data @> '{\"n\": 1}'",
      ],
      insert: ["id, n, marks", "ID, Q, array[P]"],
      rows: [`insert into doc values (1, 1, '{"n": 1}', '{1}')`],
      unique: [],
    });
  if (maybe(0.2, "trigger")) extras.push(...trigger(random, tables));
  if (maybe(0.1, "view"))
    extras.push("create view busy as select id, v, grp from acc where not done;");
  return { tables, extras };
}

function trigger(random: Random, tables: readonly Table[]): readonly string[] {
  const hasItems = tables.some(({ name }) => name === "item");
  const variants = [
    [
      "create table log (id int, old_v int, new_v int);",
      "create function note_change() returns trigger language plpgsql as $$",
      "begin",
      "  insert into log values (new.id, old.v, new.v);",
      "  return new;",
      "end $$;",
      "create trigger noted after update on acc for each row execute function note_change();",
    ],
    [
      "create function bound_v() returns trigger language plpgsql as $$",
      "begin",
      "  if new.v > 5 then new.v := 5; end if;",
      "  return new;",
      "end $$;",
      `create trigger bounded before ${random.pick(["update", "insert or update"])} on acc for each row execute function bound_v();`,
    ],
    [
      "create function keep_busy() returns trigger language plpgsql as $$",
      "begin",
      random.pick([
        "  if old.v > 1 then raise exception 'in use'; end if;",
        "  if not old.done then return null; end if;",
        "  if (select count(*) from acc) <= 2 then raise exception 'too few'; end if;",
      ]),
      "  return old;",
      "end $$;",
      "create trigger kept before delete on acc for each row execute function keep_busy();",
    ],
    [
      "create table sums (id int primary key, total int not null);",
      "create function sum_up() returns trigger language plpgsql as $$",
      "begin",
      random.pick([
        "  insert into sums values (1, 1) on conflict (id) do update set total = sums.total + 1;",
        "  insert into sums select 1, coalesce(sum(v), 0) from acc on conflict (id) do update set total = excluded.total;",
      ]),
      "  return null;",
      "end $$;",
      `create trigger summed after ${random.pick(["insert", "update", "insert or update or delete"])} on acc for each ${random.pick(["statement", "row"])} execute function sum_up();`,
    ],
    ...(hasItems
      ? [
          [
            "create function count_items() returns trigger language plpgsql as $$",
            "begin",
            random.pick([
              "  update acc set v = v + 1 where id = new.acc;",
              "  update acc set v = (select count(*) from item where acc = new.acc) where id = new.acc;",
            ]),
            "  return null;",
            "end $$;",
            "create trigger counted after insert on item for each row execute function count_items();",
          ],
        ]
      : []),
  ];
  return random.pick(variants);
}
