// Models of sequelize-typescript: `@Table class Account extends Model { @Column balance!: number }`, as the attributes and
// options that `init` would be given.
import { ownEntry } from "../../../../protocol/dictionary";
import type { HirAnnotation, HirField, HirMethod } from "../../hir";
import { scalar, textOf, type Value } from "../../values";
import { findAnnotation, plainName } from "../annotations";
import type { ClassValue, Tools } from "../library";

/** The model in a class's decorators; undefined of a class without `@Table`. */
export function decoratedModel(
  of: ClassValue,
  tools: Tools,
): readonly [attributes: Value, options: Value] | undefined {
  const table = findAnnotation(of.class.annotations, "Table");
  if (!table) return undefined;
  const fields = fieldsOfClass(of);
  const attributes = [...fields, ...accessorsOf(of)].flatMap(({ field, of: holder, accessors }) => {
    const attribute = field.isStatic ? undefined : attributeOf(holder, field, tools, accessors);
    return attribute ? [[field.name, attribute] as const] : [];
  });
  const options = table.arguments[0] && tools.evaluate(table.arguments[0], of.scope);
  const scopes = Object.entries(SCOPES).flatMap(([name, option]) => {
    const [given] = findAnnotation(of.class.annotations, name)?.arguments ?? [];
    return given ? [[option, tools.evaluate(given, of.scope)] as const] : [];
  });
  const own = options && tools.fields(options);
  const said = [...fields.flatMap(({ field }) => roleOf(field)), ...scopes];
  const all =
    said.length === 0 || (options && !own)
      ? options
      : tools.object(Object.fromEntries([...said, ...(own ?? [])]));
  return [tools.object(Object.fromEntries(attributes)), all ?? tools.object({})];
}

interface Declared {
  readonly field: HirField;
  readonly of: ClassValue;
  /** Its getter and setter, where it is one. */
  readonly accessors?: readonly HirMethod[];
}

/** The getters and setters with annotations of a class and of those that it extends, as fields; one of a pair is enough. */
function accessorsOf(of: ClassValue, depth = 6): readonly Declared[] {
  const { superclass, methods, fields } = of.class;
  const parent = superclass === undefined ? undefined : of.scope.module.lookup(superclass);
  const inherited = parent?.kind === "class" && depth > 0 ? accessorsOf(parent, depth - 1) : [];
  const all = methods.filter(
    ({ kind, isStatic }) => !isStatic && (kind === "get" || kind === "set"),
  );
  const own = [...new Set(all.map(({ name }) => name))].map((name): Declared => {
    const accessors = all.filter((each) => each.name === name);
    const annotations = accessors.flatMap((each) => each.function.annotations);
    const type = accessors.find(({ kind }) => kind === "set")?.function.parameters[0]?.type;
    const [{ span } = of.class] = accessors;
    const field = { name, annotations, isStatic: false, isFinal: false, span, ...(type !== undefined && { type }) }; // prettier-ignore
    return { field, of, accessors };
  });
  const said = own.filter(({ field }) => field.annotations.length > 0);
  const isOwn = ({ field: { name } }: Declared): boolean =>
    [...said.map(({ field }) => field), ...fields].some((each) => each.name === name);
  return [...inherited.filter((each) => !isOwn(each)), ...said];
}

/** The fields of a class and of those that it extends, which come first; a field that it declares again is its own. */
export function fieldsOfClass(of: ClassValue, depth = 6): readonly Declared[] {
  const { superclass, fields } = of.class;
  const parent = superclass === undefined ? undefined : of.scope.module.lookup(superclass);
  const inherited = parent?.kind === "class" && depth > 0 ? fieldsOfClass(parent, depth - 1) : [];
  const own = fields.map((field) => ({ field, of }));
  return [
    ...inherited.filter(({ field }) => !fields.some(({ name }) => name === field.name)),
    ...own,
  ];
}

/** The options that mark a field as one that the library writes by itself. */
function roleOf({ name, annotations }: HirField): readonly (readonly [string, Value])[] {
  const role = findAnnotation(annotations, "CreatedAt", "UpdatedAt", "DeletedAt");
  if (!role) return [];
  const option = plainName(role);
  const key = `${option.slice(0, 1).toLowerCase()}${option.slice(1)}`;
  return [[key, textOf(name)], ...(option === "DeletedAt" ? [["paranoid", YES] as const] : [])];
}

/** Decorators that say what options may say as well. */
const SCOPES = { DefaultScope: "defaultScope", Scopes: "scopes" } as const;

/** Decorators that say that a field is a column, and what they say of it. */
const COLUMNS = {
  Column: undefined,
  PrimaryKey: "primaryKey",
  AutoIncrement: "autoIncrement",
  Unique: "unique",
  ForeignKey: undefined,
  AllowNull: "allowNull",
  Default: "defaultValue",
} as const;

const COLUMN_DECORATORS = Object.keys(COLUMNS).filter(isColumnDecorator);

function isColumnDecorator(name: string): name is keyof typeof COLUMNS {
  return Object.hasOwn(COLUMNS, name);
}

function attributeOf(
  of: ClassValue,
  field: HirField,
  tools: Tools,
  accessors: readonly HirMethod[] = [],
): Value | undefined {
  const said = field.annotations.flatMap((annotation) => {
    const name = COLUMN_DECORATORS.find((each) => each === plainName(annotation));
    return name === undefined ? [] : [{ name, annotation }];
  });
  if (said.length === 0) return undefined;
  const given = ({ arguments: [first] }: HirAnnotation): Value | undefined =>
    first && tools.evaluate(first, of.scope);
  const column = said.find(({ name }) => name === "Column");
  const own = column && given(column.annotation);
  const fields = own?.kind === "object" ? tools.fields(own) : undefined;
  const attribute: Record<string, Value> = Object.fromEntries(fields ?? []);
  for (const { kind, function: method } of accessors) {
    attribute[kind] = { kind: "function", function: method, scope: of.scope };
  }
  attribute["type"] ??= own && !fields ? own : tools.handle(typeNamed(field.type));
  for (const { name, annotation } of said) {
    const key = COLUMNS[name];
    if (key !== undefined) attribute[key] ??= given(annotation) ?? YES;
  }
  return tools.object(attribute);
}

const YES = scalar({ kind: "literal", value: true, type: "bool" }, "bool");

/** The database's type for one of TypeScript's, as the library takes it. */
function typeNamed(type = ""): string {
  const [first = ""] = type.split("|");
  const types: Readonly<Record<string, string>> = {
    number: "DataType.INTEGER",
    bigint: "DataType.BIGINT",
    string: "DataType.STRING",
    boolean: "DataType.BOOLEAN",
    Date: "DataType.DATE",
  };
  return ownEntry(types, first.trim()) ?? "DataType";
}
