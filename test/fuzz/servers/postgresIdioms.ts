// Whole routines as applications have them: withdrawals, transfers, bookings, what is looked up and then inserted. Each comes
// in variants, right ones and wrong ones.
import { step, write, type Body } from "./body";

type Idiom = (body: Body) => void;

/** Writes one of them. */
export function idiom(body: Body): void {
  const hasItems = body.tables.some(({ name }) => name === "item");
  const hasTags = body.tables.some(({ name }) => name === "tag");
  const all: readonly Idiom[] = [
    withdrawal,
    transfer,
    onCall,
    moveAll,
    optimistic,
    ...(hasItems ? [booking, insertOnce, total, limited] : []),
    ...(hasTags ? [tally, tally] : []),
  ];
  body.random.pick(all)(body);
}

function locking(body: Body): string {
  const chosen = body.random.pick([
    "",
    "",
    " for update",
    " for no key update",
    " for share",
    " for key share",
  ]);
  if (chosen !== "") body.features.add(chosen.trim());
  return chosen;
}

const withdrawal: Idiom = (body) => {
  body.features.add("withdrawal");
  step(body, `select v into x from acc where id = p${locking(body)};`);
  body.assigned.add("x");
  write(
    body,
    body.random.pick([
      "if x is null or x < q then return -1; end if;",
      "if x < q then raise exception 'too little'; end if;",
      "",
    ]),
  );
  step(
    body,
    body.random.pick([
      "update acc set v = x - q where id = p;",
      "update acc set v = v - q where id = p;",
      "update acc set v = v - q where id = p and v >= q;",
      "update acc set v = x - q where id = p and v = x;",
    ]),
  );
};

const transfer: Idiom = (body) => {
  body.features.add("transfer");
  if (body.random.chance(0.5))
    step(
      body,
      `perform 1 from acc where id in (p, q) order by id${body.random.pick([" for update", " for no key update"])};`,
    );
  step(body, `select v into x from acc where id = p${locking(body)};`);
  body.assigned.add("x");
  write(body, "if x > 0 then");
  step(body, "  update acc set v = v - 1 where id = p;");
  step(body, "  update acc set v = v + 1 where id = q;");
  write(body, "end if;");
};

const onCall: Idiom = (body) => {
  body.features.add("on call");
  if (body.random.chance(0.5))
    step(
      body,
      body.random.pick([
        "perform 1 from acc where not done for update;",
        "perform 1 from acc where grp = 1 order by id for update;",
        "perform pg_advisory_xact_lock(1);",
        "lock table acc in exclusive mode;",
        "lock table acc in share mode;",
        "select id into y from acc where not done order by id for update;",
      ]),
    );
  step(body, "select count(*) into m from acc where not done;");
  body.assigned.add("m");
  write(body, "if m > 1 then");
  step(body, "  update acc set done = true where id = p;");
  write(body, "end if;");
};

const moveAll: Idiom = (body) => {
  body.features.add("move all");
  step(
    body,
    `select coalesce(sum(v), 0) into m from acc where grp = p${body.random.pick(["", " and not done"])};`,
  );
  body.assigned.add("m");
  step(
    body,
    body.random.pick([
      "update acc set grp = q where grp = p;",
      "update acc set v = 0 where grp = p;",
    ]),
  );
  step(body, "update acc set v = v + m where id = q;");
};

const optimistic: Idiom = (body) => {
  body.features.add("optimistic");
  step(body, "select v into x from acc where id = p;");
  body.assigned.add("x");
  step(
    body,
    body.random.pick([
      "update acc set v = x + 1 where id = p and v = x;",
      "update acc set v = x + 1, grp = q where id = p and grp <> q;",
    ]),
  );
  write(
    body,
    body.random.pick([
      "if not found then return -1; end if;",
      "if not found then raise exception 'stale'; end if;",
      "get diagnostics y = row_count;",
    ]),
  );
};

const booking: Idiom = (body) => {
  body.features.add("booking");
  step(
    body,
    body.random.pick([
      `perform 1 from acc where id = p${locking(body)};`,
      "perform pg_advisory_xact_lock(p);",
      "perform pg_advisory_xact_lock(p, q);",
      `select v into y from acc where id = p${locking(body)};`,
    ]),
  );
  step(body, "select count(*) into m from item where acc = p and k = q;");
  body.assigned.add("m");
  write(
    body,
    body.random.pick([
      "if m > 0 then return -1; end if;",
      "if m > 0 then raise exception 'taken'; end if;",
    ]),
  );
  step(body, "insert into item (id, acc, k, n) values (p_id, p, q, 1);");
};

const insertOnce: Idiom = (body) => {
  body.features.add("insert once");
  step(
    body,
    `select n into x from item where acc = p and k = q order by id limit 1${locking(body)};`,
  );
  body.assigned.add("x");
  write(body, "if not found then");
  write(body, "  begin");
  step(body, "    insert into item (id, acc, k, n) values (p_id, p, q, 1);");
  write(body, "  exception when unique_violation then");
  // Others come between the statement that failed and what its handler does.
  write(body, "    /*bp*/");
  step(
    body,
    body.random.pick([
      "    update item set n = n + 1 where acc = p and k = q;",
      "    return -1;",
      "    null;",
    ]),
  );
  write(body, "  end;");
  write(body, "else");
  step(body, "  update item set n = x + 1 where acc = p and k = q;");
  write(body, "end if;");
};

const total: Idiom = (body) => {
  body.features.add("total");
  step(body, "insert into item (id, acc, k, n) values (p_id, p, q, 2);");
  step(
    body,
    body.random.pick([
      "select sum(n) into m from item where acc = p;",
      "select count(*) into m from item where acc = p;",
    ]),
  );
  body.assigned.add("m");
  step(body, "update acc set v = m where id = p;");
};

const limited: Idiom = (body) => {
  body.features.add("limit");
  step(body, `select v into x from acc where id = p${locking(body)};`);
  step(body, "select count(*) into m from item where acc = p;");
  body.assigned.add("m");
  write(body, "if m < x then");
  step(body, "  insert into item (id, acc, k, n) values (p_id, p, q, 1);");
  write(body, "end if;");
};

const tally: Idiom = (body) => {
  body.features.add("tally");
  step(
    body,
    body.random.pick([
      "update tag set n = n + 1 where name = s;",
      `select n into x from tag where name = s${locking(body)};`,
    ]),
  );
  write(body, "if not found then");
  step(
    body,
    body.random.pick([
      "  insert into tag values (s, 1);",
      "  insert into tag values (s, 1) on conflict (name) do nothing;",
      "  insert into tag values (s, 1) on conflict (name) do update set n = tag.n + 1;",
    ]),
  );
  write(body, "end if;");
};
