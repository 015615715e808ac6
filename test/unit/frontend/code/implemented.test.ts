// Objects that are known by an interface alone, and functions that are given to something unknown: what comes of them is said.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf as codeTransactions } from "./codePrograms";
import { losses, printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db { provider = "postgresql" }
model Mail { id Int @id
  kind Int }`;

const STORES = `import { PrismaClient } from "@prisma/client";
import { load } from "elsewhere";
export interface Store { kindOf(id: number): Promise<number>; label(id: number): string; }
export class MailStore implements Store {
  constructor(private readonly db: PrismaClient) {}
  async kindOf(id: number) {
    const mail = await this.db.mail.findFirstOrThrow({ where: { id } });
    return mail.kind;
  }
  label(id: number) { return "m" + id; }
}
export const kept: Store = make("store", () => new MailStore(new PrismaClient()));
export const loaded: Store = (globalThis as any)[load("store")];
function make<T>(name: string, get: () => T): T {
  const all = globalThis as any;
  all[name] ??= get();
  return all[name];
}`;

/** The value of the function `f` with those parameters and that body, and what is lost. */
async function check(
  parameters: string,
  body: string,
  expected: readonly string[],
  lost: readonly string[],
): Promise<void> {
  const text = `import { PrismaClient } from "@prisma/client";
import { createCache } from "caches";
import { kept, loaded, type Store } from "./stores";
const prisma = new PrismaClient();
const cache = createCache();
export async function f(${parameters}) { ${body} }`;
  const all = await transactionsOf(SCHEMA, { "a.ts": text, "stores.ts": STORES });
  const own = all.filter(({ name }) => name === "f");
  const lines = printed(own).filter((line) => !line.startsWith("  ! "));
  assert.deepEqual(lines, expected);
  assert.deepEqual(own.flatMap(losses), lost);
}

const DELETED = ["f explicit", "  delete Mail where (Mail.id = :id)"];
const UNKNOWN = "what store.kindOf() does with the database is not known";

describe("objects of an interface", () => {
  const body = `await prisma.$transaction(async (tx) => { await tx.mail.deleteMany({ where: { id } }); });`;

  for (const parameter of ["store: Store", "store?: Store", "store: Store | null"]) {
    it(`says what is not known of a method that may use a database: ${parameter}`, () =>
      check(`id: number, ${parameter}`, `await store!.kindOf(id); ${body}`, DELETED, [UNKNOWN]));
  }

  it("says nothing of methods that use none", () =>
    check("id: number, store: Store", `console.log(store.label(id)); ${body}`, DELETED, []));

  it("says it of objects that are held by others", () =>
    check("id: number, held: { store: Store }", `await held.store.kindOf(id); ${body}`, DELETED, [
      "what held.store.kindOf() does with the database is not known",
    ]));

  it("says it of a constant that is only known by its type", () =>
    check("id: number", `await loaded.kindOf(id); ${body}`, DELETED, [
      "what loaded.kindOf() does with the database is not known",
    ]));

  it("says nothing of one that is made when it is first asked for", () =>
    check(
      "id: number",
      "if ((await kept.kindOf(id)) === 1) await prisma.mail.deleteMany({ where: { id } });",
      [
        "f unit",
        "  r1 = select Mail.id as id, Mail.kind as kind from Mail where (Mail.id = :id) limit 1",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  if (r1.kind = 1)",
        "    delete Mail where (Mail.id = :id)",
      ],
      [],
    ));

  it("says it of Java's where several classes implement one", async () => {
    const of = (name: string, column: string): string => `import org.springframework.jdbc.core.*;
class ${name} implements Store {
  private JdbcTemplate jdbc;
  public int kindOf(int id) { return jdbc.queryForObject("SELECT ${column} FROM mail WHERE id = ?", Integer.class, id); }
}`;
    const service = `import org.springframework.jdbc.core.*;
import org.springframework.transaction.annotation.*;
class Service {
  @Autowired private Store held;
  private final Store store;
  private JdbcTemplate jdbc;
  Service(Store store) { this.store = store; }
  @Transactional
  public void change(int id) {
    jdbc.update("UPDATE mail SET kind = ? WHERE id = ?", store.kindOf(id) + held.kindOf(id), id);
  }
}`;
    const transactions = await codeTransactions(
      "CREATE TABLE mail (id int PRIMARY KEY, kind int);",
      {
        "src/Store.java": "interface Store { int kindOf(int id); }",
        "src/First.java": of("First", "kind"),
        "src/Second.java": of("Second", "kind + 1"),
        "src/Service.java": service,
      },
    );
    const own = transactions.filter(({ name }) => name.endsWith("change"));
    const said = own.flatMap(losses).filter((each) => each.includes("with the database"));
    assert.deepEqual(
      [...new Set(said)],
      ["store", "held"].map((each) => UNKNOWN.replace("store", `this.${each}`)),
    );
  });
});

describe("what something unknown gives that runs a function", () => {
  const SWR = "cache.mails.swr() is taken to run the function that it is given once";
  const READ =
    "  r1 = select Mail.id as id, Mail.kind as kind from Mail where (Mail.id = :id) limit 1";

  it("may hold what the function gave, or an error", () =>
    check(
      "id: number",
      `const result = await cache.mails.swr(id, async () => {
         const mail = await prisma.mail.findFirst({ where: { id } });
         return mail ? { kind: mail.kind } : undefined;
       });
       if (result.error) throw result.error;
       await prisma.mail.deleteMany({ where: { id } });`,
      [
        "f unit",
        READ,
        "  if unknown((size(r1) > 0), r1.kind)",
        "    rollback",
        "  delete Mail where (Mail.id = :id)",
      ],
      [SWR],
    ));

  it("has the fields of what the function gave", () =>
    check(
      "id: number",
      `const mail = await cache.mails.swr(id, () => prisma.mail.findFirst({ where: { id } }));
       if (!mail) return;
       await prisma.mail.deleteMany({ where: { kind: mail.kind } });`,
      [
        "f unit",
        READ,
        "  if (size(r1) <= 0)",
        "    return",
        "  delete Mail where (Mail.kind = r1.kind)",
      ],
      [SWR],
    ));
});

describe("an object of a class that extends another", () => {
  it("holds what its constructor gives the one above", async () => {
    const text = `import type { Pool } from "pg";
abstract class Rows {
  protected constructor(protected readonly pool: Pool, private readonly table: string, private readonly key = "id") {}
  protected get from() { return \`FROM \${this.table} WHERE \${this.key} = $1\`; }
  remove(id: number) { return this.pool.query("DELETE " + this.from, [id]); }
}
class Mails extends Rows { constructor(pool: Pool) { super(pool, "mails"); } }
class Tags extends Rows { constructor(pool: Pool) { super(pool, "tags", "mail"); } }
export class Service {
  constructor(private readonly mails: Mails, private readonly tags: Tags) {}
  async clear(id: number) { await this.tags.remove(id); await this.mails.remove(id); }
}`;
    const ddl = "CREATE TABLE mails (id int PRIMARY KEY); CREATE TABLE tags (mail int, tag text);";
    const all = await codeTransactions(ddl, { "a.ts": text });
    assert.deepEqual(printed(all.filter(({ name }) => name === "Service.clear")), [
      "Service.clear unit",
      "  delete tags where (tags.mail = :id)",
      "  delete mails where (mails.id = :id)",
    ]);
  });
});

describe("an object that the code makes", () => {
  const made = async (text: string): Promise<readonly string[]> => {
    const ddl = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";
    const head = 'import { Pool } from "pg";\nconst pool = new Pool();\n';
    return printed(await codeTransactions(ddl, { "a.ts": head + text }));
  };

  it("does once what the constructors above do, with what these are given", async () => {
    const set = (n: number): string => `pool.query("UPDATE accounts SET balance = ${String(n)} WHERE id = $1", [id]);`; // prettier-ignore
    const text = `class Base {
  n = 5;
  constructor(id: number) { void ${set(1)} }
  async run(id: number) { await ${set(2)} }
}
class Plain extends Base {}
class Low extends Plain { constructor(id: number) { super(id); void ${set(3)} } }
class Lower extends Low {
  constructor(id: number) { super(id + 1); }
  async run(id: number) { await super.run(id); await ${set(4)} }
}
class Lowest extends Lower { async run(id: number) { await super.run(id); await ${set(6)} } }
export async function f(id: number) { new Plain(id); }
export async function g(id: number) { await new Lowest(id).run(id); }`;
    const update = (n: number, id = ":id"): string => `  update accounts set balance = ${String(n)} where (accounts.id = ${id})`; // prettier-ignore
    const lines = await made(text);
    assert.deepEqual(lines.slice(0, 2), ["f autocommit", update(1)]);
    const [, ...rest] = lines.slice(2);
    assert.deepEqual(rest, [
      update(1, "(:id + 1)"),
      update(3, "(:id + 1)"),
      update(2),
      update(4),
      update(6),
    ]);
  });

  it("does not run what it gives a worker for jobs to come", async () => {
    const text = `import { Worker } from "bullmq";
export class Jobs {
  private static one?: Jobs;
  private worker: Worker;
  constructor() { this.worker = new Worker("jobs", async (job) => { await this.run(job.id); }); }
  private async run(id: number) { await pool.query("DELETE FROM accounts WHERE id = $1", [id]); }
  static get() { return (this.one ??= new Jobs()); }
}
export async function f(id: number) {
  new Jobs();
  await pool.query("UPDATE accounts SET balance = 1 WHERE id = $1", [id]);
}`;
    const lines = await made(text);
    assert.match(lines.join("\n"), /autocommit\n {2}delete accounts where/u);
    const at = lines.findIndex((line) => line.startsWith("f "));
    assert.deepEqual(lines.slice(at, at + 2), ["f autocommit", "  update accounts set balance = 1 where (accounts.id = :id)"]); // prettier-ignore
  });

  it("refuses in its constructor what it is given", async () => {
    const text = `class Key {
  held;
  constructor(of: string | { n: number }, least = 16) {
    if (typeof of === "string") { this.held = 1; return; }
    if (of.n < least) throw new Error("short");
    this.held = 2;
  }
}
class Long extends Key { constructor(of: { n: number }) { super(of, 32); } }
class Same extends Key {}`;
    const read = async (by: string): Promise<readonly string[]> =>
      (
        await made(`${text}
export async function f(id: number) {
  const { rows: [row] } = await pool.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  if (!row) return;
  const key = new ${by}({ n: row.balance });
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [key.held, id]);
}`)
      ).slice(4);
    for (const [by, least] of [
      ["Key", 16],
      ["Same", 16],
      ["Long", 32],
    ] as const) {
      assert.deepEqual(await read(by), [
        `  if (r1.balance < ${String(least)})`,
        "    rollback",
        "  update accounts set balance = 2 where (accounts.id = :id)",
      ]);
    }
  });

  it("may be made by a constructor that ends early", async () => {
    const text = `class Kind {
  held = 0;
  constructor(n: number) {
    this.held = 1;
    if (n > 3) return;
    this.held = 2;
  }
}
export async function f(id: number) {
  const { held } = new Kind(id);
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [held, id]);
}
export class Store {
  constructor(private readonly kind: Kind) {}
  async take(id: number) {
    await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [this.kind.held, id]);
  }
}`;
    assert.deepEqual(await made(text), [
      "f autocommit",
      "  if (:id > 3)",
      "    @return1 := 1",
      "  if (@return1 = 1)",
      "    @v1 := 1",
      "  else",
      "    @v1 := 2",
      "  update accounts set balance = @v1 where (accounts.id = :id)",
      "Store.take autocommit",
      "  update accounts set balance = unknown(2) where (accounts.id = :id)",
      "  ! what a constructor leaves that may end early",
    ]);
  });
});
