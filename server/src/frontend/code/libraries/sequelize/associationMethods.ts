// Methods that associations give to rows: `event.getTickets()`, `ticket.setEvent(event)`, `user.addRole(role)`.
import { compare } from "../../../sql/terms";
import { literal } from "../../../sql/expressions";
import { constant, constantScalar, scalar, UNDEFINED, type RowValue, type Value } from "../../values"; // prettier-ignore
import { valueFragment, raw, type Fragment } from "../builders/draft";
import { columnOf, keysOf, roleOf, type ModelColumn, type ModelRelation } from "../orm/model";
import { columnText, equals, memberOfList, runAggregate, runDelete, runInsert, runSelect, runUnknownWrite, runUpdate, startOn, type Columns, type Place } from "../orm/statements"; // prettier-ignore
import { traverse } from "../../traverse";
import { conditions, findRows, onConnection, one } from "./find";
import { readRelation } from "./includes";
import { singularOf } from "./models";
import { insertInstance, UNVERSIONED } from "./operations";
import { withScope } from "./scopes";
import type { Fields } from "./where";

/** A call of such a method, on the row's own place; undefined where the model has none of that name. */
export function associationCall(
  base: Place,
  row: RowValue,
  method: string,
  args: readonly Value[],
): Value | undefined {
  const asked = methodOf(base, method);
  if (!asked) return undefined;
  const { verb, relation } = asked;
  const [first, second] = args;
  const takesValue = verb !== "get" && verb !== "count";
  const given = fieldsOf(base, takesValue ? second : first);
  const target = relation.target();
  const own = ownColumn(base, relation);
  if (!target || !own) return undefined;
  const place = { ...onConnection(base, given), model: target };
  const isRead = verb === "get" || verb === "count";
  const options = isRead ? withScope(place, given) : given;
  const key = base.tools.member(row, own.property ?? own.column);
  return run({ place, own: base, row, relation, key, options }, verb, first);
}

interface Asked {
  /** The place of the other model. */
  readonly place: Place;
  readonly own: Place;
  readonly row: RowValue;
  readonly relation: ModelRelation;
  /** The key of the related rows. */
  readonly key: Value;
  readonly options: Fields;
}

const VERBS = ["get", "count", "has", "set", "add", "remove", "create"] as const;
type Verb = (typeof VERBS)[number];

function methodOf({ model }: Place, method: string) {
  const verb = VERBS.find((each) => method.startsWith(each));
  if (verb === undefined) return undefined;
  const name = method.slice(verb.length);
  const relation = model.relations.find(({ property, isMany }) => {
    if (property.includes(" ")) return false;
    const names = isMany ? [property, singularOf(property)] : [property];
    return names.some((each) => each.charAt(0).toUpperCase() + each.slice(1) === name);
  });
  return relation && { verb, relation };
}

function fieldsOf({ tools }: Place, value: Value | undefined): Fields {
  return (value && tools.fields(value)) ?? new Map<string, Value>();
}

function ownColumn({ model }: Place, relation: ModelRelation): ModelColumn | undefined {
  const name = relation.column ?? relation.referenced ?? keysOf(model)[0]?.column;
  return name === undefined ? undefined : columnOf(model, name);
}

function run(asked: Asked, verb: Verb, value: Value | undefined): Value | undefined {
  const { place, relation, key, options } = asked;
  const { tools } = place;
  if (relation.column !== undefined) return ofBelonging(asked, relation.column, verb, value);
  switch (verb) {
    case "get": {
      const related = readRelation(place, relation, key, options, findRows);
      return related && one(place, related.rows, options, !relation.isMany);
    }
    case "count": {
      const own = theirs(asked);
      const where = conditions(place, options);
      return own && where && runAggregate(place, "COUNT(*)", [own, ...where]);
    }
    case "has": {
      const keys = keysGiven(asked, value);
      if (!keys || keys.kind === "list") return undefined;
      const [target] = keysOf(place.model);
      const own = theirs(asked);
      if (!target || !own) return undefined;
      const rows = runSelect(place, {
        ...startOn(place, "select"),
        columns: [raw(columnText(place, target))],
        where: [own, equals(columnText(place, target), keys)],
      });
      return scalar(tools.condition(tools.firstRow(rows)), "bool");
    }
    default:
  }
  if (relation.between) return ofBetween(asked, relation.between, verb, value);
  const column = relation.theirs === undefined ? undefined : columnOf(place.model, relation.theirs);
  const own = theirs(asked);
  if (!column || !own) return undefined;
  if (verb === "create") {
    const fields = value ? tools.fields(value) : new Map<string, Value>();
    const all = fields && tools.object({ ...Object.fromEntries(fields), [column.property ?? column.column]: key }); // prettier-ignore
    return insertInstance(place, all);
  }
  const those = amongGiven(asked, value);
  if (verb === "add" && those && relation.isMany) {
    runUpdate(place, new Map([[column.column, valueFragment(key)]]), [those], UNVERSIONED);
    return UNDEFINED;
  }
  if (verb === "remove" && those && relation.isMany) {
    runUpdate(place, new Map([[column.column, raw("NULL")]]), [own, those], UNVERSIONED);
    return UNDEFINED;
  }
  runUnknownWrite(place, `which ${relation.property} are set is not followed`);
  return UNDEFINED;
}

/** The row itself says what it belongs to. */
function ofBelonging(
  asked: Asked,
  column: string,
  verb: Verb,
  value: Value | undefined,
): Value | undefined {
  const { place, own, row, relation, key, options } = asked;
  const { tools } = place;
  if (verb === "get") {
    const related = readRelation(place, relation, key, options, findRows);
    return related && one(place, related.rows, options, true);
  }
  if (verb !== "set" && verb !== "create") return undefined;
  const other = verb === "create" ? insertInstance(place, value) : value;
  const taken = other && keysGiven({ ...asked, place }, other);
  const home = { ...place, model: own.model };
  const held = columnOf(own.model, column);
  const [id] = keysOf(own.model);
  if (!taken || !held || !id) {
    runUnknownWrite(home, `which ${relation.property} is set is not known`);
    return UNDEFINED;
  }
  tools.assign(row, held.property ?? held.column, taken);
  if (constantScalar(options.get("save")) === false) return UNDEFINED;
  const where = equals(columnText(home, id), tools.member(row, id.property ?? id.column));
  runUpdate(home, new Map([[held.column, valueFragment(taken)]]), [where]);
  return other;
}

/** A table between says which rows belong to each other. */
function ofBetween(
  asked: Asked,
  { model, own, other }: NonNullable<ModelRelation["between"]>,
  verb: Verb,
  value: Value | undefined,
): Value | undefined {
  const { place, key, options, relation } = asked;
  const { tools, source } = place;
  const between: Place = { ...place, model: model() };
  const text = (column: string): string => columnText(between, { column, type: "other" });
  const taken = keysGiven(asked, verb === "create" ? insertInstance(place, value) : value);
  const isPlain = !options.has("through");
  const insert = (): void => {
    const row = new Map<string, Fragment>([[own, valueFragment(key)], [other, valueFragment(taken ?? UNDEFINED)]]); // prettier-ignore
    runInsert(between, [withTimes(between, row)]);
  };
  if (taken && taken.kind !== "list" && isPlain) {
    if (verb === "create") {
      insert();
      return UNDEFINED;
    }
    const both = [equals(text(own), key), equals(text(other), taken)];
    if (verb === "remove") return runDelete(between, both).count;
    if (verb === "add") {
      const rows = runSelect(between, {
        ...startOn(between, "select"),
        columns: [raw(text(own)), raw(text(other))],
        where: both,
      });
      const size = tools.expression(tools.member(rows, "length"));
      tools.emit({ kind: "if", condition: compare("<=", size, literal(0)), then: tools.collected(insert), source }); // prettier-ignore
      return UNDEFINED;
    }
  }
  runUnknownWrite(between, `which ${relation.property} are set is not followed`);
  return UNDEFINED;
}

function withTimes({ model }: Place, row: Columns): Columns {
  const times = [roleOf(model, "created"), roleOf(model, "updated")];
  return new Map([...row, ...times.flatMap((each) => (each ? [[each.column, raw("CURRENT_TIMESTAMP")] as const] : []))]); // prettier-ignore
}

/** That rows of the other model belong to the row. */
function theirs({ place, relation, key }: Asked): Fragment | undefined {
  if (relation.theirs === undefined) return undefined;
  return equals(columnText(place, { column: relation.theirs, type: "other" }), key);
}

/** The key of what is given, or the list of keys: rows, or keys themselves. */
function keysGiven({ place }: Asked, value: Value | undefined): Value | undefined {
  const { tools, model } = place;
  const [key] = keysOf(model);
  if (!key || !value) return undefined;
  const property = key.property ?? key.column;
  const items = tools.items(value);
  if (items) {
    const keys = traverse(items, (item) => keyOf(item, property, place));
    return keys && tools.list(keys);
  }
  return keyOf(value, property, place);
}

function keyOf(value: Value, property: string, { tools }: Place): Value | undefined {
  switch (value.kind) {
    case "row":
    case "object":
      return tools.member(value, property);
    case "choice":
      return tools.field(value, property);
    case "scalar":
    case "text":
    case "input":
      return value;
    case "undefined":
      return constant(null);
    default:
      return undefined;
  }
}

function amongGiven(asked: Asked, value: Value | undefined): Fragment | undefined {
  const { place } = asked;
  const keys = keysGiven(asked, value);
  const [key] = keysOf(place.model);
  if (!keys || !key) return undefined;
  const own = columnText(place, key);
  return keys.kind === "list" ? memberOfList(own, keys, place.tools) : equals(own, keys);
}
