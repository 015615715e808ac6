// @nestjs-cls/transactional: transactions that an AsyncLocalStorage hands on, opened by decorators and by their host,
// on whatever client the application gave it.
import { constantText, unknown, type Value } from "../values";
import { transactionalOptions } from "./decoratorOptions";
import type { Library, TransactionOptions } from "./library";

/** The client of the transaction at hand, or of none: what it is shows by how it is called. */
const CLIENT: Value = { kind: "external", name: "tx" };

export const NESTJS_CLS: Library = {
  name: "nestjs-cls",
  modules: ["@nestjs-cls/transactional"],
  typed: (type, tools) => {
    if (type === "TransactionHost") return tools.handle("host");
    return type === "Transaction" ? CLIENT : undefined;
  },
  member: (handle, property) => (handle.path === "host" && property === "tx" ? CLIENT : undefined),
  call: ({ path }, { arguments: args, source }, tools) => {
    const work = args.at(-1);
    if (path === "host.isTransactionActive") return unknown("whether a transaction is open");
    if (work?.kind !== "function") return undefined;
    const run = (): Value => tools.settle(tools.call(work, [], source));
    if (path === "host.withoutTransaction") return run();
    if (path !== "host.withTransaction") return undefined;
    const named = args.map((each) => constantText(tools.member(each, "isolationLevel")));
    const level = named.find((each) => each !== undefined);
    const connection = { id: "nestjs-cls", isPool: false, isAny: true };
    return tools.inTransaction(connection, { source, ...(level !== undefined && { level }) }, run);
  },
  boundary: ({ function: hir, named }) => {
    const own = transactionalOptions(hir, named, "nestjs-cls");
    return own && ({ ...own, isAny: true } satisfies TransactionOptions);
  },
};
