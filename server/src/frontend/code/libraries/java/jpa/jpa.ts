// JPA with Hibernate, and Spring Data's repositories over it.
import { constant, UNDEFINED, type HandleValue, type RowValue, type Value } from "../../../values";
import type { Call, Library, Tools } from "../../library";
import { keysOf, tableOf } from "../../orm/model";
import { ownMethod } from "../../orm/ownMethods";
import {
  columnText,
  equals,
  isRowData,
  runSelect,
  selectColumns,
  startOn,
} from "../../orm/statements";
import { commitUnit, flushRow, flushUnit, keep, releaseAll } from "../../orm/unitOfWork";
import { newError } from "../jdbc";
import { SPRING_CONNECTION } from "../springTransactions";
import { entityOf, isJpaModel, type JpaModel, type JpaRelation } from "./entities";
import {
  entityManager,
  managerCall,
  queryCall,
  transactionCall,
  type QueryData,
} from "./entityManager";
import { REPOSITORY, repositoryCall, repositoryOf, type RepositoryData } from "./repository";
import { findEntity, HIBERNATE, type Session } from "./session";

export const JPA: Library = {
  name: "jpa",
  modules: [
    "jakarta.persistence",
    "javax.persistence",
    "org.hibernate",
    "org.hibernate.annotations",
    "org.springframework.data.domain",
    "org.springframework.data.jpa.repository",
    "org.springframework.data.repository",
    "org.springframework.data.repository.query",
  ],
  imported: (name, _module, tools) => (NAMES.has(name) ? tools.handle(name) : undefined),
  typed: (type, tools) => {
    switch (type.replace(/^.*\./u, "")) {
      case "EntityManager":
        return entityManager(JPA, SPRING_CONNECTION);
      case "EntityManagerFactory":
      case "SessionFactory":
        return tools.handle("EntityManagerFactory");
      case "Session":
        return entityManager(JPA, tools.connection(false));
      default:
        return undefined;
    }
  },
  // The entity of such an interface is not known; what is called is said.
  extended: (superclass, tools) =>
    REPOSITORY.test(superclass) ? tools.handle("Repository") : undefined,
  implemented: (declared, tools) => {
    const data = repositoryOf(declared, tools);
    return data && tools.handle("repository", data, SPRING_CONNECTION);
  },
  declares: (declared, tools) => {
    const model = declared.kind === "class" ? entityOf(declared, tools) : undefined;
    return model && tableOf(model);
  },
  rowMember: (row, property, source, tools) => {
    if (!isRowData(row.data) || !isJpaModel(row.data.model)) return undefined;
    const { model, connection } = row.data;
    const relation = model.relations.find((each) => each.property === property);
    const keeps = connection?.id !== SPRING_CONNECTION.id || tools.isOpen(SPRING_CONNECTION);
    return relation && related({ model, connection, source, tools, keeps }, row, relation);
  },
  rowCall: (row, method, call, tools) => ownMethod(row, method, call, tools) ?? accessor(row, method, call, tools), // prettier-ignore
  committed: (connection, { readOnly, source }, tools) => {
    if (connection.id !== SPRING_CONNECTION.id) return;
    if (readOnly === true) releaseAll(tools, connection);
    else commitUnit(tools, connection, source);
  },
  undone: (connection, tools) => {
    releaseAll(tools, connection);
  },
  rounded: ({ start, row, source }, tools) => {
    if (row && isRowData(row.data) && isJpaModel(row.data.model)) {
      const { model, connection } = row.data;
      const isOpen = tools.isOpen(connection);
      if (isOpen) flushRow({ model, connection, tools, source }, row, HIBERNATE);
    }
    for (const each of [SPRING_CONNECTION]) flushUnit(tools, each, source, start);
  },
  call: (handle, call, tools) => called(handle, call, tools),
};

/** Classes whose members mean something, or that something is declared with. */
const NAMES: ReadonlySet<string> = new Set(
  (
    "EntityManager EntityManagerFactory LockMode LockModeType Persistence Session SessionFactory " +
    "Limit PageRequest Sort"
  ).split(" "),
);

function called(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { path, data } = handle;
  if (call.isNew) return newError(handle, call, tools);
  const dot = path.lastIndexOf(".");
  const [owner, name] = dot === -1 ? ["", path] : [path.slice(0, dot), path.slice(dot + 1)];
  switch (owner) {
    case "repository":
      // Only `implemented` makes such handles.
      return repositoryCall(data as RepositoryData, name, call, tools);
    case "EntityManager":
      return managerCall(handle, name, call, tools);
    case "EntityTransaction":
      return transactionCall(handle, name, call, tools);
    case "Query":
      // Only `managerCall` makes such handles.
      return queryCall(handle, data as QueryData, name, call, tools);
    case "EntityManagerFactory":
      if (/^(?:createEntityManager|openSession)$/u.test(name)) return entityManager(JPA, tools.connection(false)); // prettier-ignore
      if (name === "getCurrentSession") return entityManager(JPA, SPRING_CONNECTION);
      return name === "close" ? UNDEFINED : undefined;
    case "Persistence":
      return tools.handle("EntityManagerFactory");
    case "PageRequest":
      return name === "of" || name === "ofSize" ? tools.handle("page", name === "of" ? call.arguments : [constant(0), ...call.arguments]) : undefined; // prettier-ignore
    case "Sort":
    case "Limit":
      return tools.handle(owner);
    default:
      return undefined;
  }
}

/** Value of a relation of a row: it is read where it is asked for, as lazy ones are. */
function related(session: Session, row: RowValue, relation: JpaRelation): Value | undefined {
  const { tools, model } = session;
  const target = relation.target();
  if (!isJpaModel(target)) return undefined;
  const other: Session = { ...session, model: target };
  if (relation.column !== undefined) return findEntity(other, tools.field(row, relation.column));
  const [own] = keysOf(model);
  const theirs = relation.theirs ?? target.relations.find(({ property }) => property === relation.inverse)?.column; // prettier-ignore
  if (!own || theirs === undefined) return undefined;
  const rows = runSelect(other, {
    ...startOn(other, "select"),
    columns: selectColumns(other),
    where: [equals(columnText(other, { column: theirs, type: own.type }), tools.field(row, own.property ?? own.column))], // prettier-ignore
  });
  if (session.keeps) keep(other, rows, HIBERNATE);
  return relation.isMany ? rows : tools.firstRow(rows);
}

/** A getter or setter that is written nowhere: tools make them of fields. */
function accessor(
  value: Extract<Value, { kind: "row" | "rows" | "object" }>,
  method: string,
  { arguments: given }: Call,
  tools: Tools,
): Value | undefined {
  const model = modelOf(value, tools);
  const [, verb, capital = ""] = /^(get|is|set)([A-Z]\w*)$/u.exec(method) ?? [];
  if (!model || verb === undefined) return undefined;
  const name = capital.charAt(0).toLowerCase() + capital.slice(1);
  const isField = model.columns.some(({ property }) => property === name) || model.relations.some(({ property }) => property === name); // prettier-ignore
  if (!isField || given.length !== (verb === "set" ? 1 : 0)) return undefined;
  if (verb !== "set") return tools.member(value, name);
  tools.assign(value, name, given[0] ?? UNDEFINED);
  return UNDEFINED;
}

function modelOf(
  value: Extract<Value, { kind: "row" | "rows" | "object" }>,
  tools: Tools,
): JpaModel | undefined {
  if (value.kind === "object") return value.class && entityOf({ kind: "class", ...value.class }, tools); // prettier-ignore
  const model = value.kind === "row" && isRowData(value.data) ? value.data.model : undefined;
  return isJpaModel(model) ? model : undefined;
}
