// Objects of classes that declare tables, among the arguments: their callers give what is in their fields.
import { attribute } from "../../../../query/nodes";
import type { HirClass, HirField } from "../../hir";
import { isOfLanguage, semanticsOf } from "../../semantics";
import { partPlace, type ArgumentPlace, type ObjectValue, type Value } from "../../values";
import { newCell, type State } from "../state";
import { keyOf } from "../values/inputParts";
import { superclassOf } from "../values/methods";

/** Superclasses that are looked at. */
const DEEPEST = 8;

/** True for an object of a class that a library takes for a table. */
export function isEntity(state: State, value: Value): value is EntityObject {
  return value.kind === "object" && value.class !== undefined && isTable(state, value.class);
}

/** True if a library takes a class for a table. */
export function isTable(state: State, of: EntityObject["class"]): boolean {
  const semantics = semanticsOf(of.scope.module.file);
  return state.workspace.libraries.some(
    (library) =>
      isOfLanguage(library, semantics) &&
      library.declares?.({ kind: "class", ...of }, state.evaluator.tools(state, library)) !==
        undefined,
  );
}

export type EntityObject = ObjectValue & { readonly class: NonNullable<ObjectValue["class"]> };

/** The places of arguments whose objects have these fields. */
const places = attribute<ObjectValue["fields"], ArgumentPlace>();

/** The argument, or the part of one, that an object is; undefined for objects that the code makes. */
export function argumentPlace({ fields }: ObjectValue): ArgumentPlace | undefined {
  return places.get(fields);
}

/** Notes that an object is that argument. */
export function nameArgument({ fields }: ObjectValue, place: ArgumentPlace): void {
  places.set(fields, place);
}

/** An object of a class that declares a table: its caller gives what is in its fields. */
export function argumentEntity(state: State, value: EntityObject, place: ArgumentPlace): Value {
  const classes = [value.class.class, ...ancestorsOf(value.class)];
  const own = classes.flatMap(({ fields }) => fields.filter(({ isStatic }) => !isStatic));
  const fields = own.map(
    (field) => [field.name, newCell(state, argumentField(field, place))] as const,
  );
  const argument = { ...value, fields: new Map([...value.fields, ...fields]) };
  nameArgument(argument, place);
  return argument;
}

/** The object of an entity that stands at a part of an argument, however often it is asked for. */
export function sameEntity({ entities }: State, value: Value, place: ArgumentPlace): Value {
  const key = keyOf(place);
  const known = entities.get(key) ?? value;
  entities.set(key, known);
  return known;
}

/** The value of a field of an argument. */
export function argumentField(
  { name, type }: Pick<HirField, "name" | "type">,
  place: ArgumentPlace,
): Value {
  const own = type !== undefined && { type };
  return { kind: "input", ...partPlace(place, name), origin: "argument", ...own };
}

function ancestorsOf(of: EntityObject["class"], depth = DEEPEST): readonly HirClass[] {
  const parent = depth > 0 ? superclassOf(of) : undefined;
  return parent ? [parent.class, ...ancestorsOf(parent, depth - 1)] : [];
}

/** True if a class extends one of a library, if by way of others: its objects have methods of that. */
export function extendsHandle(own: EntityObject["class"], depth = DEEPEST): boolean {
  const { superclass } = own.class;
  if (superclass === undefined || depth === 0) return false;
  const [name = ""] = superclass.split(".");
  const parent = own.scope.module.lookup(name);
  if (parent?.kind === "class") return extendsHandle(parent, depth - 1);
  return parent?.kind === "handle";
}
