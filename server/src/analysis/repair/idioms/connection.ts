// The connection of a statement in code: the library, recognised by the form of the call, and the expression for the connection or
// transaction, so that another statement can be sent on it.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { Site } from "../workshop";
import { argumentsOf, chainAround, literalAround, pathTo, propertyOf, type Link } from "./syntax";

export type Library =
  | "driver"
  | "tagged"
  | "prisma"
  | "drizzle"
  | "knex"
  | "kysely"
  | "typeorm"
  | "sequelize"
  | "jdbc"
  | "jpa"
  | "template";

export interface CodeConnection {
  readonly library: Library;
  /** The expression as written: `client`, `tx`, `this.jdbc`. */
  readonly receiver: string;
  /** The driver's method that takes a text, such as `query`. */
  readonly method: string;
  /** True if values are passed in a list (`[a, b]`), not as separate arguments. */
  readonly isListed: boolean;
  /** The transaction that Sequelize is told in options, as it is written there. */
  readonly transaction?: string;
}

/** The connection of a statement of code; undefined if the form of the call is unknown. */
export function connectionOf(tree: CodeTree, { start, end }: Site): CodeConnection | undefined {
  const { root, text, language } = tree;
  const literal = literalAround(root, start, end);
  if (language === "java")
    return (literal && javaConnection(tree, literal)) ?? entityManagerOf(tree, { start, end });
  if (literal) {
    const call = pathTo(root, literal.start, literal.end).findLast(
      ({ type }) => type === "call_expression",
    );
    return call && literalConnection(text, call, literal);
  }
  return chainConnection(text, chainAround(root, text, start, end));
}

function literalConnection(
  text: string,
  call: SyntaxNode,
  literal: SyntaxNode,
): CodeConnection | undefined {
  const called = childOf(call, "function");
  if (!called) return undefined;
  const given = childOf(call, "arguments");
  if (given === literal) {
    const tag = text.slice(called.start, called.end).replace(/<[^]*$/u, "");
    const raw = /^(.+)\.\$(?:queryRaw|executeRaw)$/u.exec(tag)?.[1];
    const library = raw === undefined ? "tagged" : "prisma";
    return { library, receiver: raw ?? tag, method: "", isListed: false };
  }
  const object = childOf(called, "object");
  const property = childOf(called, "property");
  if (!object || !property) return undefined;
  const method = text.slice(property.start, property.end);
  const receiver = text.slice(object.start, object.end);
  if (method === "raw") return { library: "knex", receiver, method, isListed: true };
  return { library: "driver", receiver, method, isListed: true };
}

function chainConnection(text: string, chain: readonly Link[]): CodeConnection | undefined {
  const [first] = chain;
  const last = chain.at(-1);
  if (!first || !last) return undefined;
  const called = childOf(first.call, "function");
  const object = called && childOf(called, "object");
  const receiver = object ? text.slice(object.start, object.end) : first.name;
  const has = (name: string): boolean => chain.some((link) => link.name === name);
  const of = (library: Library, own = receiver): CodeConnection => ({
    library,
    receiver: own,
    method: "",
    isListed: true,
  });
  if (!object) return of("knex");
  if (has("createQueryBuilder")) return of("typeorm");
  const updated = first.name === "update" ? argumentsOf(first) : [];
  if (updated.length > 1) {
    const given = updated.at(-1);
    const where = given?.type === "object" ? propertyOf(given, text, "where") : undefined;
    const told = given?.type === "object" ? transactionIn(given, text) : undefined;
    return where
      ? { ...of("sequelize", "sequelize"), ...(told !== undefined && { transaction: told }) }
      : of("typeorm");
  }
  if (has("selectFrom") || has("updateTable") || has("insertInto") || has("deleteFrom"))
    return of("kysely");
  const query = /^(.+)\.query\.\w+$/u.exec(receiver)?.[1];
  if (query !== undefined) return of("drizzle", query);
  if ((first.name.startsWith("select") && has("from")) || has("set") || has("values"))
    return of("drizzle");
  if (PRISMA.test(first.name) || (first.name === "count" && PRISMA_FILE.test(text))) {
    const own = /^(.+)\.\w+$/u.exec(receiver)?.[1];
    return own === undefined ? undefined : of("prisma", own);
  }
  const options = argumentsOf(last).at(-1);
  const transaction = options?.type === "object" ? transactionIn(options, text) : undefined;
  if (transaction !== undefined) return { ...of("sequelize", "sequelize"), transaction };
  if (TYPEORM.test(last.name)) {
    const isManager = /manager$/iu.test(receiver);
    return of("typeorm", isManager ? receiver : `${receiver}.manager`);
  }
  return has("where") ? of("knex") : undefined;
}

/** The text of the transaction that an object of options names. */
export function transactionIn(object: SyntaxNode, text: string): string | undefined {
  const value = propertyOf(object, text, "transaction");
  if (value) return text.slice(value.start, value.end);
  const short = namedChildren(object).find(
    ({ type, start, end }) =>
      type === "shorthand_property_identifier" && text.slice(start, end) === "transaction",
  );
  return short && "transaction";
}

const PRISMA =
  /^(?:findUnique|findUniqueOrThrow|findFirst|findFirstOrThrow|findMany|aggregate|groupBy|create|createMany|update|updateMany|delete|deleteMany|upsert)$/u;
/** Files in which `count` is Prisma's and not a repository's. */
const PRISMA_FILE = /\bfrom\s+["'][^"']*prisma[^"']*["']|\bPrismaClient\b/u;
const TYPEORM = /^(?:find|count|maximum|minimum|sum|average|exists?)(?:\w*)$/u;

function javaConnection({ root, text }: CodeTree, literal: SyntaxNode): CodeConnection | undefined {
  const call = pathTo(root, literal.start, literal.end).findLast(
    ({ type }) => type === "method_invocation",
  );
  const object = call && childOf(call, "object");
  const name = call && childOf(call, "name");
  if (!object || !name) return undefined;
  const method = text.slice(name.start, name.end);
  const receiver = text.slice(object.start, object.end);
  if (method === "prepareStatement") return { library: "jdbc", receiver, method, isListed: false };
  if (/^(?:query|update)/u.test(method))
    return { library: "template", receiver, method, isListed: false };
  return undefined;
}

/** The entity manager that reads, or the one that its class has beside its repositories. */
function entityManagerOf(
  { root, text }: CodeTree,
  { start, end }: Pick<Site, "start" | "end">,
): CodeConnection | undefined {
  const path = pathTo(root, start, end);
  const scopes = path.filter(({ type }) => /^(?:class|method)_declaration$/u.test(type));
  const names = scopes.flatMap((scope) =>
    [...text.slice(scope.start, scope.end).matchAll(MANAGER)].map(([, name]) => name),
  );
  const [receiver, ...others] = [...new Set(names)];
  return receiver === undefined || others.length > 0
    ? undefined
    : { library: "jpa", receiver, method: "createNativeQuery", isListed: false };
}

/** A field, parameter or variable that is an entity manager, or a session of Hibernate. */
const MANAGER = /\b(?:EntityManager|Session)\s+(\w+)\s*[;,)=]/gu;
