// Objects of classes that declare tables, among the arguments: their callers give what is in their fields.
import { attribute } from "../../../../query/nodes";
import type { HirClass, HirField } from "../../hir";
import { isOfLanguage, semanticsOf } from "../../semantics";
import { partPath, type ObjectValue, type Value } from "../../values";
import { newCell, type State } from "../state";
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

/** The names of arguments whose objects have these fields. */
const paths = attribute<ObjectValue["fields"], string>();

/** The name of the argument, or of the part of one, that an object is; undefined for objects that the code makes. */
export function argumentPath({ fields }: ObjectValue): string | undefined {
  return paths.get(fields);
}

/** Notes that an object is that argument. */
export function nameArgument({ fields }: ObjectValue, path: string): void {
  paths.set(fields, path);
}

/** An object of a class that declares a table: its caller gives what is in its fields. */
export function argumentEntity(state: State, value: EntityObject, path: string): Value {
  const classes = [value.class.class, ...ancestorsOf(value.class)];
  const own = classes.flatMap(({ fields }) => fields.filter(({ isStatic }) => !isStatic));
  const fields = own.map(
    (field) => [field.name, newCell(state, argumentField(field, path))] as const,
  );
  const argument = { ...value, fields: new Map([...value.fields, ...fields]) };
  nameArgument(argument, path);
  return argument;
}

/** The object of an entity that stands at a part of an argument, however often it is asked for. */
export function sameEntity({ entities }: State, value: Value, path: string): Value {
  const known = entities.get(path) ?? value;
  entities.set(path, known);
  return known;
}

/** The value of a field of an argument. */
export function argumentField(
  { name, type }: Pick<HirField, "name" | "type">,
  path: string,
): Value {
  const own = type !== undefined && { type };
  return { kind: "input", path: partPath(path, name), origin: "argument", ...own };
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
