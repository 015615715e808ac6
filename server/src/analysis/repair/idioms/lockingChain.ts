// Locking reads of query builders, in the syntax of each. The library is recognised by the form of the call; a wrong guess does not survive
// the re-reading of the changed text.
import type { CodeTree, SyntaxNode } from "../../../frontend/code/workspace/codeParsers";
import type { TextEdit } from "../candidate";
import type { Site } from "../workshop";
import { argumentsOf, chainAround, placeOfProperty, type Link } from "./syntax";
import { transactionIn } from "./connection";
import { importsOf, mikroOrmOf } from "./imports";
import { refusal, type EditOutcome } from "./sourceForms";

export function lockingChain(tree: CodeTree, { file, start, end }: Site): EditOutcome {
  const chain = chainAround(tree.root, tree.text, start, end);
  const last = chain.at(-1);
  if (!last) return refusal("the call that reads could not be found in the text");
  const insert = (at: number, newText: string): EditOutcome => {
    const edit: TextEdit = { file, start: at, end: at, newText };
    return { ok: true, edits: [edit] };
  };
  const has = (name: string): Link | undefined => chain.find((link) => link.name === name);
  // Kysely.
  if (has("selectFrom")) {
    const executed = chain.find(({ name }) => name.startsWith("execute"));
    return insert(executed?.dot ?? last.call.end, ".forUpdate()");
  }
  // Drizzle's builder.
  if (has("from") && chain.some(({ name }) => name.startsWith("select")))
    return insert(last.call.end, '.for("update")');
  const options = lastObject(last);
  // Sequelize.
  if (SEQUELIZE.has(last.name)) {
    const transaction = options && transactionIn(options, tree.text);
    if (!options || transaction === undefined)
      return refusal(
        `${last.name} runs outside of a transaction, so that its lock would end with it`,
      );
    const { at, comma } = placeOfProperty(options);
    return insert(at, `${comma}lock: ${transaction}.LOCK.UPDATE`);
  }
  const mikro = MIKROORM.has(last.name) ? mikroOrmOf(tree.text) : undefined;
  if (mikro !== undefined) return lockingEntity(tree, file, last, mikro);
  const typeorm = TYPEORM.get(last.name);
  if (typeorm !== undefined) return lockingFind(tree.text, file, last, typeorm);
  // TypeORM's builder.
  if (has("createQueryBuilder")) {
    return insert(last.dot, '.setLock("pessimistic_write")');
  }
  // Knex: a call of the connection with a table name.
  const knexEnd = chain.find(({ name }) => name === "first" || name === "then");
  if (chain.length > 1 && chain.some(({ name }) => KNEX.has(name)))
    return insert(knexEnd?.dot ?? last.call.end, ".forUpdate()");
  return refusal(`${last.name} has no option that locks what it reads`);
}

const SEQUELIZE: ReadonlySet<string> = new Set(["findByPk", "findAll", "findOrCreate"]);

/** TypeORM's read methods, with the meaning of their last argument. */
const TYPEORM: ReadonlyMap<string, { readonly becomes: string; readonly by: "where" | "options" }> =
  new Map([
    ["findOne", { becomes: "findOne", by: "options" }],
    ["findOneOrFail", { becomes: "findOneOrFail", by: "options" }],
    ["find", { becomes: "find", by: "options" }],
    ["findOneBy", { becomes: "findOne", by: "where" }],
    ["findOneByOrFail", { becomes: "findOneOrFail", by: "where" }],
    ["findBy", { becomes: "find", by: "where" }],
  ]);

const MIKROORM: ReadonlySet<string> = new Set(["find", "findOne", "findOneOrFail"]);

/** `em.findOne(Item, where, { lockMode })`. */
function lockingEntity(
  tree: CodeTree,
  file: Site["file"],
  link: Link,
  mikroOrm: string,
): EditOutcome {
  const [, where, options] = argumentsOf(link);
  if (!where) return refusal(`${link.name} names no rows`);
  const option = "lockMode: LockMode.PESSIMISTIC_WRITE";
  if (options && options.type !== "object")
    return refusal("its options are not written out in the call");
  const { at, comma } = options ? placeOfProperty(options) : { at: where.end, comma: ", " };
  const newText = `${comma}${options ? option : `{ ${option} }`}`;
  const imported = importsOf(tree, file, mikroOrm, ["LockMode"]);
  return { ok: true, edits: [{ file, start: at, end: at, newText }, ...imported] };
}

const KNEX: ReadonlySet<string> = new Set(["where", "first", "select", "andWhere", "whereIn"]);

function lockingFind(
  text: string,
  file: Site["file"],
  link: Link,
  { becomes, by }: { readonly becomes: string; readonly by: "where" | "options" },
): EditOutcome {
  const given = argumentsOf(link).at(-1);
  if (!given) return refusal(`${link.name} names no rows`);
  // Sequelize has a method with this name too.
  const transaction = by === "options" && given.type === "object" && transactionIn(given, text);
  if (typeof transaction === "string") {
    const { at, comma } = placeOfProperty(given);
    const newText = `${comma}lock: ${transaction}.LOCK.UPDATE`;
    return { ok: true, edits: [{ file, start: at, end: at, newText }] };
  }
  const option = 'lock: { mode: "pessimistic_write" }';
  if (by === "options") {
    if (given.type !== "object") return refusal("its options are not written out in the call");
    const { at, comma } = placeOfProperty(given);
    return { ok: true, edits: [{ file, start: at, end: at, newText: comma + option }] };
  }
  const nameEnd = link.arguments.start;
  return {
    ok: true,
    edits: [
      { file, start: nameEnd - link.name.length, end: nameEnd, newText: becomes },
      { file, start: given.start, end: given.start, newText: "{ where: " },
      { file, start: given.end, end: given.end, newText: `, ${option} }` },
    ],
  };
}

function lastObject(link: Link): SyntaxNode | undefined {
  const given = argumentsOf(link).at(-1);
  return given?.type === "object" ? given : undefined;
}
