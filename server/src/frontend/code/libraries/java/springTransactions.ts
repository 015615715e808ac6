// Spring's transactions: `@Transactional` on methods and classes, TransactionTemplate, and transaction managers.
import { dictionary } from "../../../../protocol/dictionary";
import {
  constantScalar,
  UNDEFINED,
  type Connection,
  type HandleValue,
  type ObjectValue,
  type Value,
} from "../../values";
import type { HirAnnotation, HirClass, HirExpression, HirFunction } from "../../hir";
import type { Library, Tools, TransactionOptions } from "../library";
import { emptyRecord, stateOf, type Method } from "./receiverState";
import { JDBC_LEVELS } from "./jdbc";
import { each } from "./resultSet";
import { undoRule } from "./undoRules";

/** The connection of the thread: all that Spring manages runs on it. Its id is the library's name. */
export const SPRING_CONNECTION: Connection = { id: "spring", isPool: false };

/**
 * The transaction that a method runs in where Spring calls it: its own annotation's, else its class's. Methods that the
 * object calls on itself, and private ones, are not intercepted.
 */
export function annotatedTransaction(of: {
  readonly function: HirFunction;
  readonly class?: HirClass;
  readonly above?: () => readonly HirClass[];
  readonly isOwnCall?: boolean;
}): TransactionOptions | undefined {
  if (of.isOwnCall === true || isHidden(of)) return undefined;
  const annotation = annotationOf(of);
  if (!annotation) return undefined;
  const options = optionsOf(annotation);
  const propagation = propagationOf(options);
  if (propagation === "SUPPORTS") return undefined;
  if (OUTSIDE.test(propagation)) return { isOutside: true };
  const level = options.get("isolation");
  const isReadOnly = options.get("readOnly") === "true";
  return {
    ...(level !== undefined && level !== "DEFAULT" && { level }),
    ...(isReadOnly && { readOnly: true }),
    ...(propagation === "REQUIRES_NEW" && { isNew: true }),
    ...(propagation === "NESTED" && { isNested: true }),
    undoes: undoRule(annotation),
  };
}

/** The method's own, or that of one it overrides; else its class's, or that of one above. */
function annotationOf({
  function: own,
  class: of,
  above,
}: Parameters<typeof annotatedTransaction>[0]): HirAnnotation | undefined {
  const others = above?.() ?? [];
  const overridden = others.flatMap(({ methods }) =>
    methods.filter(
      ({ name, function: { parameters } }) =>
        name === own.name && parameters.length === own.parameters.length,
    ),
  );
  return [own, ...overridden.map((each) => each.function), ...(of ? [of] : []), ...others]
    .map(({ annotations }) => transactional(annotations))
    .find((annotation) => annotation !== undefined);
}

/** They run in no transaction. */
const OUTSIDE = /^(?:NOT_SUPPORTED|NEVER)$/u;

/** Spring's `propagation`, or Jakarta's only argument. */
function propagationOf(options: ReadonlyMap<string, string>): string {
  return options.get("propagation") ?? options.get("value") ?? "";
}

function transactional(annotations: readonly HirAnnotation[]): HirAnnotation | undefined {
  return annotations.find(({ name }) => /^(?:[\w.]+\.)?Transactional$/u.test(name));
}

/** Nobody calls it by way of Spring. */
function isHidden({ function: own, class: owner }: Parameters<typeof annotatedTransaction>[0]) {
  const method = owner?.methods.find((candidate) => candidate.function === own);
  return method !== undefined && (method.kind !== "method" || method.isPrivate || method.isStatic);
}

/** The named arguments, each as its last name: `Isolation.SERIALIZABLE` is SERIALIZABLE. */
function optionsOf({ arguments: given }: HirAnnotation): ReadonlyMap<string, string> {
  const [only] = given;
  if (only === undefined) return new Map();
  if (only.kind !== "object") return new Map([["value", lastName(only)]]);
  return new Map(
    only.entries.flatMap((entry) =>
      entry.kind === "property" && typeof entry.key === "string"
        ? [[entry.key, lastName(entry.value)] as const]
        : [],
    ),
  );
}

function lastName(expression: HirExpression): string {
  switch (expression.kind) {
    case "name":
      return expression.name;
    case "member":
      return expression.property;
    case "literal":
      return String(expression.value);
    default:
      return "";
  }
}

export interface TemplateData {
  /** `level`: the level that was set. */
  readonly state: ObjectValue;
}

export function transactionTemplate(library: Library, tools: Tools): HandleValue {
  const data: TemplateData = { state: emptyRecord(tools) };
  return {
    kind: "handle",
    library,
    path: "TransactionTemplate",
    data,
    connection: SPRING_CONNECTION,
  };
}

const executeIn: Method<TemplateData> = ({ handle, data, call, tools }) => {
  const [callback] = call.arguments;
  if (!callback) return undefined;
  const level = stateOf(data.state, "level");
  const name = level && levelName(level);
  const propagation = behaviorOf(stateOf(data.state, "propagation"));
  const options = {
    source: call.source,
    ...(name !== undefined && { level: name }),
    ...(propagation === "REQUIRES_NEW" && { isNew: true }),
    ...(propagation === "NESTED" && { isNested: true }),
  };
  return tools.inTransaction(SPRING_CONNECTION, options, () => {
    const status: HandleValue = { ...handle, path: "TransactionStatus" };
    const work = functionOf(callback, "doInTransaction", tools);
    const result = tools.settle(tools.call(work, [status], call.source));
    tools.committed(SPRING_CONNECTION, call.source);
    return result;
  });
};

/** A callback: a function, or an object of a class with one method for it. */
export function functionOf(callback: Value, method: string, tools: Tools): Value {
  return callback.kind === "object" ? tools.member(callback, method) : callback;
}

/** `TransactionDefinition.ISOLATION_SERIALIZABLE`, or a number as JDBC has them. */
function levelName(value: Value): string | undefined {
  const number = constantScalar(value);
  if (typeof number === "number") return JDBC_LEVELS[number];
  const path = value.kind === "handle" ? value.path : value.kind === "external" ? value.name : "";
  const name = /ISOLATION_([A-Z_]+)$/u.exec(path)?.[1];
  return name === "DEFAULT" ? undefined : name;
}

/** `TransactionDefinition.PROPAGATION_REQUIRES_NEW`, or its number. */
function behaviorOf(value: Value | undefined): string | undefined {
  const number = constantScalar(value);
  if (number === 3) return "REQUIRES_NEW";
  if (number === 6) return "NESTED";
  const path = value?.kind === "handle" ? value.path : value?.kind === "external" ? value.name : "";
  return /PROPAGATION_([A-Z_]+)$/u.exec(path)?.[1];
}

const setPropagation: Method<TemplateData> = ({ data, call, tools }) => {
  const [behavior] = call.arguments;
  if (behavior) tools.assign(data.state, "propagation", behavior);
  return UNDEFINED;
};

const setLevel: Method<TemplateData> = ({ data, call, tools }) => {
  const [level] = call.arguments;
  if (level) tools.assign(data.state, "level", level);
  return UNDEFINED;
};

const nothing: Method<TemplateData> = () => UNDEFINED;

/** Methods of TransactionTemplate, TransactionStatus and transaction managers. */
export const TRANSACTIONS = dictionary<Method<TemplateData>>({
  ...each(executeIn, "TransactionTemplate.execute TransactionTemplate.executeWithoutResult"),
  ...each(
    setLevel,
    "TransactionTemplate.setIsolationLevel TransactionDefinition.setIsolationLevel",
  ),
  ...each(
    nothing,
    "TransactionTemplate.setReadOnly TransactionTemplate.setTimeout TransactionTemplate.setName " +
      "TransactionDefinition.setReadOnly TransactionDefinition.setTimeout TransactionDefinition.setName",
  ),
  ...each(
    setPropagation,
    "TransactionTemplate.setPropagationBehavior TransactionDefinition.setPropagationBehavior",
  ),
  "TransactionStatus.setRollbackOnly": ({ call, tools }) => {
    tools.rollback(SPRING_CONNECTION, call.source);
    return UNDEFINED;
  },
  "TransactionManager.getTransaction": ({ handle, call, tools }) => {
    const [definition] = call.arguments;
    const state = definition?.kind === "handle" ? (definition.data as TemplateData | undefined)?.state : undefined; // prettier-ignore
    const level = state && stateOf(state, "level");
    const name = level && levelName(level);
    tools.begin(SPRING_CONNECTION, {
      source: call.source,
      ...(name !== undefined && { level: name }),
    });
    return { ...handle, path: "TransactionStatus" };
  },
  "TransactionManager.commit": ({ call, tools }) => {
    tools.committed(SPRING_CONNECTION, call.source);
    tools.commit(SPRING_CONNECTION, call.source);
    return UNDEFINED;
  },
  "TransactionManager.rollback": ({ call, tools }) => {
    tools.rollback(SPRING_CONNECTION, call.source);
    return UNDEFINED;
  },
});
