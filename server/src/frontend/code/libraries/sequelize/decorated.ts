// Models of sequelize-typescript: `@Table class Account extends Model { @Column balance!: number }`, as the attributes and
// options that `init` would be given.
import type { HirAnnotation, HirField } from "../../hir";
import { scalar, type Value } from "../../values";
import { annotated, plainName } from "../annotations";
import type { ClassValue, Tools } from "../library";

/** What a class's decorators say of its model; undefined of a class without `@Table`. */
export function decoratedModel(
  of: ClassValue,
  tools: Tools,
): readonly [attributes: Value, options: Value] | undefined {
  const table = annotated(of.class.annotations, "Table");
  if (!table) return undefined;
  const attributes = of.class.fields.flatMap((field) => {
    const attribute = field.isStatic ? undefined : attributeOf(of, field, tools);
    return attribute ? [[field.name, attribute] as const] : [];
  });
  const options = table.arguments[0] && tools.evaluate(table.arguments[0], of.scope);
  return [tools.object(Object.fromEntries(attributes)), options ?? tools.object({})];
}

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

function attributeOf(of: ClassValue, field: HirField, tools: Tools): Value | undefined {
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
  return types[first.trim()] ?? "DataType";
}
