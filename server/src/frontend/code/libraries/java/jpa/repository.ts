// Spring Data's repositories: interfaces whose methods are queries by their annotations or names, and those that all have.
import type { HirMethod } from "../../../hir";
import { constant, constantText, UNDEFINED, unknown, type Value } from "../../../values";
import { findAnnotation } from "../../annotations";
import type { Call, ClassValue, Tools } from "../../library";
import { keysOf } from "../../orm/model";
import { runAggregate, runDelete, runSelect, selectColumns, startOn } from "../../orm/statements";
import { commitUnit, flushUnit, mayFlush, releaseAll } from "../../orm/unitOfWork";
import { SPRING_CONNECTION } from "../springTransactions";
import { derivedQuery } from "./derivedQueries";
import { entityOf, optionName, optionValue, textOption, type JpaModel } from "./entities";
import { runQuery, isThere, ONE, methodResult } from "./queries";
import { findEntity, mergeEntity, removeEntity, saveEntity, type Session } from "./session";

export interface RepositoryData {
  readonly declared: ClassValue;
  readonly model: JpaModel;
}

/** The interfaces that Spring Data implements. */
export const REPOSITORY = /^(?:[\w.]+\.)?(?:(?:List)?(?:Crud|PagingAndSorting)Repository|JpaRepository|JpaRepositoryImplementation|Repository)$/u; // prettier-ignore

/** Entity of a repository; undefined where it is none. */
export function repositoryOf(declared: ClassValue, tools: Tools): RepositoryData | undefined {
  const entity = entityIn(declared, new Map(), 6);
  const model = entityOf(entity, tools);
  return model && { declared, model };
}

function entityIn(
  declared: ClassValue,
  bound: ReadonlyMap<string, string>,
  depth: number,
): Value | undefined {
  for (const type of declared.class.supertypes ?? []) {
    const [, name = "", list = ""] = /^([\w.]+)\s*<(.*)>$/su.exec(type) ?? [];
    const args = list.split(",").map((each) => bound.get(each.trim()) ?? each.trim());
    const [first = ""] = args;
    if (REPOSITORY.test(name)) return declared.scope.module.lookup(first);
    const above = depth > 0 ? declared.scope.module.lookup(name) : undefined;
    if (above?.kind !== "class") continue;
    // The parameters of an interface are not read: the first one is the entity by custom.
    const inner = entityIn(above, new Map([["T", first], ["E", first]]), depth - 1); // prettier-ignore
    const value = inner ?? (isRepository(above) ? declared.scope.module.lookup(first) : undefined);
    if (value) return value;
  }
  return undefined;
}

function isRepository({ class: { interfaces } }: ClassValue): boolean {
  return interfaces.some((each) => REPOSITORY.test(each));
}

/** A call of a repository's method. */
export function repositoryCall(
  { declared, model }: RepositoryData,
  name: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  const { source } = call;
  const session: Session = {
    model,
    connection: SPRING_CONNECTION,
    source,
    tools,
    keeps: tools.isOpen(SPRING_CONNECTION),
  };
  const method = methodOf(declared, name, call.arguments.length);
  if (method) return declaredCall(session, declared, method, call);
  return usualCall(session, name, call);
}

function methodOf(
  declared: ClassValue,
  name: string,
  count: number,
  depth = 6,
): HirMethod | undefined {
  // prettier-ignore
  const own = declared.class.methods.find(
    (each) => each.name === name && each.function.parameters.length === count,
  );
  if (own || depth === 0) return own;
  for (const each of declared.class.interfaces) {
    const above = declared.scope.module.lookup(each);
    const inherited = above?.kind === "class" ? methodOf(above, name, count, depth - 1) : undefined;
    if (inherited) return inherited;
  }
  return undefined;
}

/** A method that the interface declares. */
function declaredCall(
  session: Session,
  declared: ClassValue,
  method: HirMethod,
  call: Call,
): Value | undefined {
  const { tools, model } = session;
  const { annotations, parameters } = method.function;
  const locks = findAnnotation(annotations, "Lock");
  const lock = locks && optionName(locks, "value");
  const query = findAnnotation(annotations, "Query", "NativeQuery");
  const values = call.arguments.filter((_, at) => !isPaging(parameters[at]?.type));
  const paging = call.arguments.find((_, at) => isPaging(parameters[at]?.type));
  const page = paging && pageOf(paging, tools);
  const named = (name: string): Value | undefined => {
    if (/^\d+$/u.test(name)) return values[Number(name) - 1];
    const at = parameters.findIndex((each) => {
      const param = findAnnotation(each.annotations, "Param");
      const said = param && textOption(param, "value", declared, tools);
      return said === name || (said === undefined && each.pattern.kind === "bind" && each.pattern.name === name); // prettier-ignore
    });
    return call.arguments[at];
  };
  if (query) {
    const text = constantText(optionValue(query, "value", declared, tools));
    if (text === undefined) return undefined;
    const isNative = query.name.endsWith("NativeQuery") || optionValue(query, "nativeQuery", declared, tools) !== undefined; // prettier-ignore
    const modifying = findAnnotation(annotations, "Modifying");
    const answer = runQuery(session, { text, isNative, parameter: named, lock, ...page }, [declared, model.class]); // prettier-ignore
    if (modifying && optionName(modifying, "clearAutomatically") === "true") releaseAll(tools, session.connection); // prettier-ignore
    return methodResult(method, answer, call, tools);
  }
  const derived = derivedQuery(method.name, model);
  if (!derived) return usualCall(session, method.name, call, lock);
  const { kind, jpql, limit } = derived;
  const most = limit === undefined ? page?.limit : constant(limit);
  const answer = runQuery(
    session,
    {
      text: jpql,
      isNative: false,
      parameter: named,
      lock,
      limit: kind === "exists" ? ONE : most,
      offset: page?.offset,
    },
    [declared, model.class],
  );
  if (kind === "exists") return isThere(answer.rows, tools);
  if (kind === "delete") {
    alone(session, (own) => {
      removeEntity(own, answer.rows);
    });
    return method.function.returns === "void" ? UNDEFINED : tools.member(answer.rows, "length");
  }
  return methodResult(method, answer, call, tools);
}

function isPaging(type: string | undefined): boolean {
  return /^(?:[\w.]+\.)?(?:Pageable|PageRequest|Sort|Limit|ScrollPosition)\b/u.test(type ?? "");
}

/** `PageRequest.of(page, size)`; the order of its rows is not followed. */
function pageOf(paging: Value, tools: Tools): { readonly limit?: Value; readonly offset?: Value } {
  if (paging.kind !== "handle") {
    return { limit: unknown("how many rows a page has", [tools.expression(paging)]) };
  }
  // Only `PageRequest.of` of this library puts a list into a handle of this path.
  const [page, size] = paging.path === "page" ? ((paging.data as readonly Value[] | undefined) ?? []) : []; // prettier-ignore
  if (!page || !size) return {};
  return { limit: size, ...(page.kind === "scalar" && { offset: unknown("where a page begins", [tools.expression(page)]) }) }; // prettier-ignore
}

/** Runs something in the open transaction, or in one of its own that writes at its end. */
function alone(session: Session, run: (own: Session) => void): void {
  const { tools, connection, source } = session;
  if (session.keeps) {
    run(session);
    return;
  }
  tools.inTransaction(connection ?? SPRING_CONNECTION, { source }, () => {
    run({ ...session, keeps: true });
    commitUnit(tools, connection, source);
    return UNDEFINED;
  });
}

/** A method that all repositories have. */
function usualCall(session: Session, name: string, call: Call, lock?: string): Value | undefined {
  const { tools, connection, model, source } = session;
  const [first = UNDEFINED] = call.arguments;
  const optional = (value: Value): Value =>
    tools.call({ kind: "builtin", name: "Optional.ofNullable" }, [value], source);
  const before = (): void => {
    const tables = new Set([model.table]);
    if (session.keeps && mayFlush(tools, connection, tables)) flushUnit(tools, connection, source);
  };
  switch (name) {
    case "findById":
      return optional(findEntity(session, first, lock));
    case "getReferenceById":
    case "getById":
    case "getOne":
      return findEntity(session, first);
    case "existsById":
    case "count": {
      before();
      if (name === "count") return runAggregate(session, "COUNT(*)", []);
      const [key] = keysOf(model);
      const text = `select x.${key?.property ?? "id"} from ${model.entityName} x where x.id = ?1`;
      const answer = runQuery({ ...session, keeps: false }, { text, isNative: false, parameter: () => first, limit: ONE }, [model.class]); // prettier-ignore
      return isThere(answer.rows, tools);
    }
    case "findAll":
    case "findAllById": {
      before();
      const isById = name === "findAllById";
      const text = `select x from ${model.entityName} x${isById ? " where x.id in ?1" : ""}`;
      return runQuery(session, { text, isNative: false, parameter: () => first, lock }, [model.class]).rows; // prettier-ignore
    }
    case "save":
    case "saveAll":
    case "saveAndFlush":
    case "saveAllAndFlush": {
      let result: Value = first;
      alone(session, (own) => {
        result = saveEntity(own, first);
        if (name.endsWith("Flush")) flushUnit(tools, connection, source);
      });
      return result;
    }
    case "flush":
      flushUnit(tools, connection, source);
      return UNDEFINED;
    case "delete":
    case "deleteAll":
    case "deleteInBatch":
    case "deleteAllInBatch":
    case "deleteAllById":
    case "deleteById":
      alone(session, (own) => {
        deleted(own, name, call.arguments[0]);
      });
      return UNDEFINED;
    default:
      return undefined;
  }
}

function deleted(session: Session, name: string, given: Value | undefined): void {
  const { tools, source } = session;
  if (given === undefined) {
    if (!name.endsWith("InBatch")) runSelect(session, { ...startOn(session, "select"), columns: selectColumns(session) }); // prettier-ignore
    runDelete(session, []);
    return;
  }
  const one = (value: Value): void => {
    const row = name.endsWith("ById") ? findEntity(session, value) : value;
    const isThere = tools.condition(row);
    const remove = (): Value => {
      removeEntity(session, mergeEntity(session, row));
      return UNDEFINED;
    };
    if (name.endsWith("ById")) tools.either(isThere, remove, () => UNDEFINED);
    else remove();
  };
  if (/All|Batch/u.test(name)) tools.each(given, source, one);
  else one(given);
}
