// `data` of the Prisma client: what it sets columns to, and what it says of related rows, which are written apart.
import type { Expression } from "../../../../program/expression";
import type { Assignment } from "../../../../program/statement";
import { dictionary } from "../../../../protocol/dictionary";
import { JSON_NULL, literal } from "../../../sql/expressions";
import { connective } from "../../../sql/terms";
import type { PrismaRelation, PrismaScalar } from "../../../schema/prisma/model";
import type { ObjectValue, Value } from "../../values";
import { orAbsent, withoutCheck } from "../../evaluate/values/absence";
import { columnOf, lose, storedValue, type RowScope } from "./context";
import { knownFields, isAbsent, nothingOf } from "./argumentValues";

/** The operations on the rows of a relation. */
export interface NestedWrite {
  readonly relation: PrismaRelation;
  /** `create`, `connect`, ... with what each is given. */
  readonly actions: readonly (readonly [string, Value])[];
  /** Absent: always. Never for a link that columns of the row itself say. */
  readonly where?: Expression;
}

export interface DataReading {
  readonly set: readonly Assignment[];
  readonly nested: readonly NestedWrite[];
}

/** The columns that an update sets. The time of an update is among it where the model has a column for that. */
export function updateData(scope: RowScope, data: Value | undefined): DataReading {
  const reading = readData(scope, data, {
    kept: (field) => columnOf(scope.alias, field.column),
    isGiven: () => false,
    orAbsent: withoutCheck,
  });
  const named = new Set(reading.set.map(({ column }) => column));
  const times = [...scope.model.fields.values()].flatMap((field): readonly Assignment[] =>
    field.kind === "scalar" && field.isUpdatedAt && !named.has(field.column)
      ? [{ column: field.column, value: freshOf(scope, field.default) }]
      : [],
  );
  // An update that sets nothing writes nothing.
  return reading.set.length === 0 ? reading : { ...reading, set: [...reading.set, ...times] };
}

/** The row that a create inserts, complete: with defaults of the client and of the database, and NULL. */
export function createData(
  scope: RowScope,
  data: Value | undefined,
  linked: readonly Assignment[],
): DataReading {
  const { set, nested } = readData(scope, data, {
    kept: (field) => freshOf(scope, field.default),
    orAbsent,
    isGiven: ({ default: other, isOptional }) => other === undefined && !isOptional,
  });
  // A link of a row to that which it is written with is none of the data's.
  const known = new Map([...set, ...linked].map(({ column, value }) => [column, value] as const));
  const row = [...scope.model.fields.values()].flatMap((field): readonly Assignment[] =>
    field.kind === "scalar"
      ? [{ column: field.column, value: known.get(field.column) ?? freshOf(scope, field.default) }]
      : [],
  );
  return { set: row, nested };
}

/** A default anew: each row has its own. */
function freshOf(scope: RowScope, value: Expression | undefined): Expression {
  if (value === undefined) return literal(null);
  if (value.kind === "unknown") scope.losses.push(value.why);
  return value.kind === "fresh" ? { ...value, id: scope.operation.tools.fresh("f") } : value;
}

/** Values that data does not say by itself. */
interface Defaults {
  /** The value of a column that it leaves out. */
  readonly kept: (field: PrismaScalar) => Expression;
  /** True if a field is among it although nobody can see that. */
  readonly isGiven: (field: PrismaScalar) => boolean;
  /** A value, or nothing where it may be left out. */
  readonly orAbsent: (value: Value) => Value;
}

function readData(scope: RowScope, data: Value | undefined, defaults: Defaults): DataReading {
  if (data === undefined || isAbsent(data)) return { set: [], nested: [] };
  if (data.kind === "choice") return eitherData(scope, data, defaults);
  const fields = knownFields(scope.operation.tools, data);
  if (fields !== undefined) return fieldsData(scope, fields, defaults);
  const known = data.kind === "object" ? namedFields(data) : [];
  const named = fieldsData(scope, known, defaults);
  const said = scope.losses.length;
  const others = otherColumns(scope, data, new Set(known.map(([name]) => name)), defaults);
  const open = data.kind === "object" ? data.rest : data;
  const isTyped = open?.kind === "input" && open.type !== undefined;
  const hasRelations = [...scope.model.fields.values()].some(({ kind }) => kind === "relation");
  if (hasRelations && !isTyped && scope.losses.length === said) scope.losses.push(OPEN_DATA);
  return { ...named, set: [...named.set, ...others] };
}

const OPEN_DATA = "which related rows the data writes is not known";

/** The fields that stand beside a spread of something whose fields are not known, and win over it. */
function namedFields({ fields, rest }: ObjectValue): readonly (readonly [string, Value])[] {
  if (rest === undefined) return [];
  return [...fields].flatMap(([name, { value }]) =>
    value === undefined || isAbsent(value) ? [] : [[name, value] as const],
  );
}

function fieldsData(
  scope: RowScope,
  fields: readonly (readonly [string, Value])[],
  defaults: Defaults,
): DataReading {
  const set: Assignment[] = [];
  const nested: NestedWrite[] = [];
  for (const [name, value] of fields) {
    const field = scope.model.fields.get(name);
    if (field === undefined) {
      scope.losses.push(`"${name}", which ${scope.model.name} does not have`);
    } else if (field.kind === "scalar") {
      const written = setTo(scope, field, value, defaults);
      const mayLack = written.kind === "conditional" && { mayBeLeftOut: true as const };
      set.push({ column: field.column, value: written, ...mayLack });
    } else {
      nested.push(...nestedWrites(scope, field, value));
    }
  }
  return { set, nested };
}

/** The writes of data to a relation, as far as they are known; what is not known of them is a loss. */
function nestedWrites(
  scope: RowScope,
  relation: PrismaRelation,
  value: Value,
): readonly NestedWrite[] {
  if (isAbsent(value)) return [];
  if (value.kind !== "choice" || relation.link?.at === "here") {
    const actions = knownFields(scope.operation.tools, value);
    if (actions) return [{ relation, actions }];
    const why = `what is written to ${relation.name} is not known`;
    scope.losses.push(why);
    // Rows that nobody sees here may be written.
    scope.operation.tools.lose(why, scope.operation.source, "opaque");
    return [];
  }
  const { condition } = value;
  const then = nestedWrites(scope, relation, value.then);
  const otherwise = nestedWrites(scope, relation, value.otherwise);
  const where = (each: NestedWrite, holds: Expression): NestedWrite => {
    return { ...each, where: each.where ? connective("and", [holds, each.where]) : holds };
  };
  return [
    ...then.map((each) => where(each, condition)),
    ...otherwise.map((each) => where(each, { kind: "not", operand: condition })),
  ];
}

/** The columns that data may give besides what is named in it: all but the key, unless it must be given. */
function otherColumns(
  scope: RowScope,
  data: Value,
  named: ReadonlySet<string>,
  defaults: Defaults,
): readonly Assignment[] {
  const { tools } = scope.operation;
  const key = scope.model.keys.find((each) => each.isPrimary)?.fields ?? [];
  const fields = [...scope.model.fields.values()];
  const linked = fields.flatMap((field) =>
    field.kind === "relation" && named.has(field.name) && field.link?.at === "here"
      ? field.link.columns
      : [],
  );
  return fields.flatMap((field): readonly Assignment[] => {
    if (field.kind !== "scalar" || field.isHidden || named.has(field.name)) return [];
    const { column, name } = field;
    if (linked.includes(column)) return [];
    const value = tools.field(data, name);
    if (defaults.isGiven(field)) return [{ column, value: setTo(scope, field, value, defaults) }];
    if (key.includes(name)) return [];
    const from = [tools.expression(value)];
    return [{ column, value: lose(scope, "which fields the data has is not known", from) }];
  });
}

/** The run decides which of two records is taken: each column has the one's value or the other's. */
function eitherData(
  scope: RowScope,
  { condition, then, otherwise }: Extract<Value, { readonly kind: "choice" }>,
  defaults: Defaults,
): DataReading {
  const { kept } = defaults;
  const [yes, no] = [readData(scope, then, defaults), readData(scope, otherwise, defaults)];
  if (yes.nested.length + no.nested.length > 0) {
    scope.losses.push("writes to related rows that depend on a condition");
  }
  const columns = new Set([...yes.set, ...no.set].map(({ column }) => column));
  const set = [...columns].map((column): Assignment => {
    const field = [...scope.model.fields.values()].find(
      (each) => each.kind === "scalar" && each.column === column,
    );
    const of = (side: DataReading): Expression =>
      side.set.find((each) => each.column === column)?.value ??
      (field?.kind === "scalar" ? kept(field) : literal(null));
    return {
      column,
      value: { kind: "conditional", condition, then: of(yes), otherwise: of(no) },
    };
  });
  return { set, nested: [] };
}

function setTo(scope: RowScope, field: PrismaScalar, given: Value, defaults: Defaults): Expression {
  const value = defaults.orAbsent(given);
  if (isAbsent(value)) return defaults.kept(field);
  if (value.kind === "choice") {
    const { condition, then, otherwise } = value;
    const [a, b] = [then, otherwise].map((each) => setTo(scope, field, each, defaults));
    return {
      kind: "conditional",
      condition,
      then: a ?? literal(null),
      otherwise: b ?? literal(null),
    };
  }
  const nothing = nothingOf(field, value);
  if (nothing !== undefined) return nothing === "json" ? JSON_NULL : literal(null);
  if (field.isList) return whole(scope, field, value);
  if (field.type === "json") {
    const document = whole(scope, field, value);
    return mayBeNull(value) ? { kind: "coalesce", operands: [document, JSON_NULL] } : document;
  }
  if (value.kind === "input" && /(UpdateInput|OperationsInput)\b/.test(value.type ?? "")) {
    return lose(scope, "an update that the caller gives", [columnOf(scope.alias, field.column)]);
  }
  if (value.kind !== "object") return storedValue(scope, field, value);
  const [[name, operand] = ["", value], ...more] = knownFields(scope.operation.tools, value) ?? [];
  const column = columnOf(scope.alias, field.column);
  if (more.length > 0) return lose(scope, `what ${field.name} is set to`, [column]);
  const operator = OPERATORS[name];
  if (operator !== undefined) {
    const right = scope.operation.tools.expression(operand);
    return { kind: "arithmetic", operator, left: column, right };
  }
  if (name === "set") return setTo(scope, field, operand, defaults);
  const from = [column, scope.operation.tools.expression(value)];
  return lose(scope, `what ${field.name} is set to`, from);
}

/** True if the code may give null, which is a document. */
function mayBeNull(value: Value): boolean {
  if (value.kind === "scalar") return value.mayBeNull === true;
  if (value.kind !== "input") return false;
  const type = value.standsFor ?? value.type;
  return type === undefined || /\bnull\b/u.test(type);
}

const OPERATORS = dictionary<"+" | "-" | "*" | "/">({
  increment: "+",
  decrement: "-",
  multiply: "*",
  divide: "/",
});

/** A document or a list: a value that nothing looks into, as long as its parts are known or it was read as a whole. */
function whole(scope: RowScope, field: PrismaScalar, value: Value): Expression {
  const { tools } = scope.operation;
  if (value.kind === "scalar" || value.kind === "input" || value.kind === "text") {
    return tools.expression(value);
  }
  const document = field.isList ? undefined : tools.expression(value);
  if (document?.kind === "call") return document;
  const column = columnOf(scope.alias, field.column);
  const isAppended = tools.fields(value)?.has("push") === true;
  const from = [...(isAppended ? [column] : []), tools.expression(value)];
  return lose(
    scope,
    `the ${field.isList ? "list" : "document"} ${field.name} is made in the code`,
    from,
  );
}
