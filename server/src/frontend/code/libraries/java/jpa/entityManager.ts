// JPA's entity managers and queries, and Hibernate's sessions, which are the same under other names.
import { dictionary } from "../../../../../protocol/dictionary";
import {
  constant,
  constantScalar,
  constantText,
  UNDEFINED,
  type Connection,
  type HandleValue,
  type ObjectValue,
  type Value,
} from "../../../values";
import type { Call, Library, Tools } from "../../library";
import { commitUnit, flushUnit, isKept, release, releaseAll } from "../../orm/unitOfWork";
import { emptyRecord, stateOf } from "../receiverState";
import { SPRING_CONNECTION } from "../springTransactions";
import { entityOf, type JpaModel } from "./entities";
import { runQuery, onlyColumn, type Asked } from "./queries";
import {
  findEntity,
  lockEntity,
  mergeEntity,
  modeOf,
  persistedAll,
  refreshEntity,
  removeEntity,
  saveEntity,
  sessionFor,
  type Session,
} from "./session";

export interface QueryData {
  readonly text: string;
  readonly isNative: boolean;
  /** The class that the rows become, where it is an entity. */
  readonly model?: JpaModel | undefined;
  /** Parameters under `:name`, and the lock. */
  readonly state: ObjectValue;
}

/** Without an entity of its own: what is done with one names it. */
const NO_MODEL: JpaModel = {
  kind: "model",
  name: "",
  entityName: "",
  table: "",
  columns: [],
  relations: [],
  uniqueKeys: [],
  isDynamic: false,
  unread: [],
};

function sessionOf({ connection }: HandleValue, { source }: Call, tools: Tools): Session {
  const isShared = connection?.id === SPRING_CONNECTION.id;
  const keeps = !isShared || tools.isOpen(SPRING_CONNECTION);
  return { model: NO_MODEL, connection, source, tools, keeps };
}

/** A call of an entity manager's method; undefined where it is not known. */
export function managerCall(
  handle: HandleValue,
  name: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  const session = sessionOf(handle, call, tools);
  const { connection, source } = session;
  const [first = UNDEFINED, second = UNDEFINED, third] = call.arguments;
  const withModel = (run: (own: Session) => Value): Value | undefined => {
    const own = sessionFor(session, first);
    return own && run(own);
  };
  switch (name) {
    case "find":
    case "get":
    case "getReference":
    case "load": {
      const model = entityOf(first, tools);
      return model && findEntity({ ...session, model }, second, modeOf(third));
    }
    case "persist":
      persistedAll(session, first);
      return UNDEFINED;
    case "merge":
      return withModel((own) =>
        first.kind === "row" ? mergeEntity(own, first) : saveEntity(own, first),
      );
    case "save":
    case "saveOrUpdate":
    case "update":
      return withModel((own) => saveEntity(own, first));
    case "remove":
    case "delete":
      removeEntity(session, first);
      return UNDEFINED;
    case "lock":
      return withModel((own) => {
        lockEntity(own, first, modeOf(second));
        return UNDEFINED;
      });
    case "refresh":
      return withModel((own) => {
        refreshEntity(own, first, modeOf(second));
        return UNDEFINED;
      });
    case "detach":
    case "evict":
      return withModel((own) => {
        release(own, first);
        return UNDEFINED;
      });
    case "contains":
      return withModel((own) => constant(isKept(own, first)));
    case "clear":
      releaseAll(tools, connection);
      return UNDEFINED;
    case "flush":
      flushUnit(tools, connection, source);
      return UNDEFINED;
    case "close":
    case "setFlushMode":
    case "setHibernateFlushMode":
    case "joinTransaction":
      return UNDEFINED;
    case "unwrap":
      return { ...handle, path: "EntityManager" };
    case "createQuery":
    case "createNativeQuery":
    case "createSelectionQuery":
    case "createMutationQuery":
    case "createNativeMutationQuery": {
      const text = constantText(first);
      if (text === undefined) return undefined;
      const isNative = name.includes("Native");
      const state = emptyRecord(tools);
      const data: QueryData = { text, isNative, model: entityOf(second, tools), state };
      return { ...handle, path: "Query", data };
    }
    case "getTransaction":
      return { ...handle, path: "EntityTransaction" };
    case "beginTransaction":
      tools.begin(connection, { source });
      return { ...handle, path: "EntityTransaction" };
    default:
      return undefined;
  }
}

/** A call of `em.getTransaction()`. */
export function transactionCall(
  { connection }: HandleValue,
  name: string,
  { source }: Call,
  tools: Tools,
): Value | undefined {
  switch (name) {
    case "begin":
      tools.begin(connection, { source });
      return UNDEFINED;
    case "commit":
      commitUnit(tools, connection, source);
      tools.commit(connection, source);
      return UNDEFINED;
    case "rollback":
      tools.rollback(connection, source);
      return UNDEFINED;
    case "isActive":
      return constant(tools.isOpen(connection));
    default:
      return undefined;
  }
}

/** Where the options of a query stand in its state. */
const OPTIONS = dictionary<string>({
  setLockMode: "lock",
  setHibernateLockMode: "lock",
  setMaxResults: "limit",
  setFirstResult: "offset",
});

/** A call of a query's method. */
export function queryCall(
  handle: HandleValue,
  data: QueryData,
  name: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  const { state } = data;
  const [first = UNDEFINED, second = UNDEFINED] = call.arguments;
  const itself: HandleValue = { ...handle, path: "Query" };
  if (/^setParameter(?:List)?$/u.test(name)) {
    const key = constantText(first) ?? constantScalar(first)?.toString();
    if (key === undefined) return undefined;
    tools.assign(state, `:${key}`, second);
    return itself;
  }
  const option = OPTIONS[name];
  if (option !== undefined) {
    tools.assign(state, option, first);
    return itself;
  }
  if (/^set(?:Hint|FlushMode|Cacheable|ReadOnly|Timeout|FetchSize|Comment)$/u.test(name)) return itself; // prettier-ignore
  if (!RUNS.test(name)) return undefined;
  const asked: Asked = {
    text: data.text,
    isNative: data.isNative,
    parameter: (each) => stateOf(state, `:${each}`),
    lock: modeOf(stateOf(state, "lock")),
    limit: stateOf(state, "limit"),
    offset: stateOf(state, "offset"),
  };
  const session = sessionOf(handle, call, tools);
  const model = data.model ?? NO_MODEL;
  // The entities that a query names are those of the file, or of the class that it is asked for.
  const scope = tools.top(tools.file());
  const around = scope && ({ kind: "class", class: EMPTY_CLASS, scope } as const);
  const { outcome, rows, row, isOfEntity } = runQuery({ ...session, model }, asked, [around]);
  if (outcome.kind === "change" || /^execute/u.test(name)) return outcome.count;
  if (/List$|Stream$/u.test(name)) return rows;
  const only = row ?? tools.firstRow(rows);
  if (name === "getSingleResult" && isOfEntity) {
    tools.require(tools.condition(only), "no entity was found", call.source);
  }
  if (/^(?:uniqueResultOptional|getSingleResultOptional)$/u.test(name)) {
    return tools.call({ kind: "builtin", name: "Optional.ofNullable" }, [only], call.source);
  }
  return isOfEntity || only.kind !== "row" || only.columns.order.length !== 1 ? only : onlyColumn(only, tools); // prettier-ignore
}

const RUNS =
  /^(?:getResultList|getResultStream|getSingleResult(?:OrNull)?|list|stream|uniqueResult(?:Optional)?|executeUpdate)$/u;

const EMPTY_CLASS = {
  header: { start: 0, end: 0 },
  span: { start: 0, end: 0 },
  interfaces: [],
  isInterface: false,
  fields: [],
  methods: [],
  classes: [],
  annotations: [],
} as const;

/** An entity manager on a connection. */
export function entityManager(library: Library, connection: Connection): HandleValue {
  return { kind: "handle", library, path: "EntityManager", connection };
}
