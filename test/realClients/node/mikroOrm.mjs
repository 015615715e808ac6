// MikroORM: its schema generator compares what is there with what should be.
import { EntitySchema, LockMode, OptimisticLockError } from "@mikro-orm/core";
import { address, end, isPostgres, step } from "./steps.mjs";

const { MikroORM } = await import(isPostgres ? "@mikro-orm/postgresql" : "@mikro-orm/mysql");
const Author = new EntitySchema({
  name: "MAuthor",
  tableName: "m_author",
  properties: {
    id: { type: "number", primary: true },
    name: { type: "string", unique: true },
    version: { type: "number", version: true },
    born: { type: "date", nullable: true },
    books: { kind: "1:m", entity: "MBook", mappedBy: "author" },
  },
});
const Book = new EntitySchema({
  name: "MBook",
  tableName: "m_book",
  properties: {
    id: { type: "number", primary: true },
    title: { type: "string", index: true },
    author: { kind: "m:1", entity: "MAuthor", deleteRule: "cascade" },
    price: { type: "decimal", precision: 10, scale: 2, nullable: true },
  },
});
let orm;
await step("init", async () => {
  orm = await MikroORM.init({
    entities: [Author, Book],
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    dbName: address.database,
    allowGlobalContext: true,
    debug: false,
  });
});
await step("refresh", () => orm.schema.refreshDatabase());
await step("nothing to do", async () => await orm.schema.getUpdateSchemaSQL({ wrap: false }));
await step("create", async () => {
  const em = orm.em.fork();
  const author = em.create("MAuthor", { name: "ann", born: "2000-01-02" });
  em.create("MBook", { title: "one", author, price: "1.50" });
  em.create("MBook", { title: "two", author });
  await em.flush();
  const found = await orm.em.fork().findOne("MAuthor", { name: "ann" }, { populate: ["books"] });
  return [
    found.name,
    found.version,
    found.books.getItems().map(({ title, price }) => [title, price]),
  ];
});
await step("lock", () =>
  orm.em.fork().transactional(async (em) => {
    const author = await em.findOne(
      "MAuthor",
      { name: "ann" },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    author.name = "eve";
  }),
);
await step("optimistic lock", async () => {
  const [one, other] = [orm.em.fork(), orm.em.fork()];
  const [first, second] = [await one.findOne("MAuthor", 1), await other.findOne("MAuthor", 1)];
  first.name = "x";
  second.name = "y";
  await one.flush();
  return other.flush().then(
    () => "no error",
    (error) => error instanceof OptimisticLockError,
  );
});
await step("unique", async () => {
  const em = orm.em.fork();
  em.create("MAuthor", { name: "x" });
  await em.flush();
});
await step("close", () => orm.close());
end();
