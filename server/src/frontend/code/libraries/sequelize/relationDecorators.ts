// Relations that sequelize-typescript's decorators declare: `@BelongsTo(() => Owner, "ownerId") owner!: Owner`. What a
// relation leads to is looked at when it is asked for: models lead to each other without end.
import type { DeclaringCall } from "../../workspace/declarationCalls";
import type { HirAnnotation, HirExpression, HirField } from "../../hir";
import { constantText, type Value } from "../../values";
import { findAnnotation, plainName } from "../annotations";
import type { ClassValue, Tools } from "../library";
import { columnOf, keysOf, type Model, type ModelColumn, type ModelRelation } from "../orm/model";
import { fieldsOfClass } from "./modelDecorators";

/** How models are found, and what their associations add to them. */
interface Models {
  readonly of: (value: Value | undefined) => Model | undefined;
  readonly whole: (model: Model) => Model;
}

const RELATIONS = ["BelongsTo", "HasMany", "HasOne", "BelongsToMany"] as const;

/** The relations that a model's class declares in decorators, without those of which a part is not known. */
export function decoratedRelations(
  base: Model,
  tools: Tools,
  models: Models,
): readonly ModelRelation[] {
  const own = base.class;
  if (!own || !findAnnotation(own.class.annotations, "Table")) return [];
  return fieldsOfClass(own).flatMap(({ field, of }) => {
    const annotation = findAnnotation(field.annotations, ...RELATIONS);
    const kind = RELATIONS.find((each) => annotation && each === plainName(annotation));
    const relation = annotation && kind && relationOf(base, { kind, field, annotation, of, own }, tools, models); // prettier-ignore
    return relation ?? [];
  });
}

interface Declared {
  readonly kind: (typeof RELATIONS)[number];
  readonly field: HirField;
  readonly annotation: HirAnnotation;
  /** The class that the field stands in, and the model's. */
  readonly of: ClassValue;
  readonly own: ClassValue;
}

function relationOf(
  base: Model,
  { kind, field, annotation, of, own }: Declared,
  tools: Tools,
  models: Models,
): ModelRelation | undefined {
  const [first, second] = annotation.arguments;
  const isMany = kind === "HasMany" || kind === "BelongsToMany";
  const evaluated = (given: HirExpression | undefined): Value | undefined =>
    given && tools.evaluate(resultOf(given), of.scope);
  const target = once(() => evaluated(first));
  const related = (): Model | undefined => {
    const found = models.of(target());
    return found && models.whole(found);
  };
  const common = { property: field.name, target: related, isMany };
  const keyNamed = (given: HirExpression | undefined): string | undefined => {
    const value = evaluated(given);
    return keyNameOf(
      value?.kind === "object" ? tools.fields(value)?.get("foreignKey") : value,
      tools,
    );
  };
  if (kind === "BelongsToMany") {
    const tie = once(() => tieOf({ annotation, of, own }, tools));
    return {
      ...common,
      get between() {
        const { through, own: ownKey, other: otherKey, isOther } = tie();
        const found = isOther ? undefined : models.of(through);
        const model = found && models.whole(found);
        const column = (given: string | undefined, to: Value | undefined) =>
          model && columnOf(model, given ?? foreignKeyTo(through, to, tools) ?? "")?.column;
        const [mine, other] = [column(ownKey, own), column(otherKey, target())];
        if (!model || mine === undefined || other === undefined) return undefined;
        return { model: () => model, own: mine, other };
      },
    };
  }
  const options = second && evaluated(second);
  const fields = options?.kind === "object" ? tools.fields(options) : undefined;
  // Rows that are told in other ways are not followed.
  if (options?.kind === "object" && !fields) return undefined;
  if (OTHER.some((name) => fields?.has(name))) return undefined;
  if (kind === "BelongsTo") {
    const name = keyNamed(second);
    return {
      ...common,
      get column() {
        const key = name ?? foreignKeyTo(own, target(), tools);
        return key === undefined ? undefined : columnOf(base, key)?.column;
      },
      get referenced() {
        const other = models.of(target());
        return other && keysOf(other)[0]?.column;
      },
    };
  }
  return {
    ...common,
    get theirs() {
      const key = keyNamed(second) ?? foreignKeyTo(target(), own, tools);
      const other = models.of(target());
      return key === undefined || !other ? undefined : columnOf(other, key)?.column;
    },
  };
}

/** Options by which other rows are meant than those with the key. */
const OTHER = ["scope", "targetKey", "sourceKey"] as const;

/** `"a"`, `{ name: "a" }`. */
function keyNameOf(named: Value | undefined, tools: Tools): string | undefined {
  const fields = named?.kind === "object" ? tools.fields(named) : undefined;
  return constantText(fields?.get("name") ?? named);
}

/** The relation of `@BelongsToMany`. */
export interface Tie {
  readonly holder: ClassValue;
  readonly target: Value | undefined;
  readonly through: Value | undefined;
  /** The names of the keys that are said. */
  readonly own: string | undefined;
  readonly other: string | undefined;
  /** Only a part of the rows is meant, or other columns than keys. */
  readonly isOther: boolean;
}

/** `@BelongsToMany(() => Target, () => Through, "own", "other")`, `@BelongsToMany(() => Target, { through: () => Through })`. */
function tieOf(
  { annotation, of, own: holder }: Pick<Declared, "annotation" | "of" | "own">,
  tools: Tools,
): Tie {
  const [target, second, ...keys] = annotation.arguments.map((each) =>
    tools.evaluate(resultOf(each), of.scope),
  );
  const options = second?.kind === "object" ? tools.fields(second) : undefined;
  const given = options?.get("through");
  const between = given?.kind === "object" ? tools.fields(given) : undefined;
  const through = between?.get("model") ?? given ?? second;
  const [own, other] = options ? [options.get("foreignKey"), options.get("otherKey")] : keys;
  return {
    holder,
    target,
    through: through?.kind === "function" ? resultOfFunction(through, tools) : through,
    own: keyNameOf(own, tools),
    other: keyNameOf(other, tools),
    isOther: OTHER.some((name) => options?.has(name)) || between?.has("scope") === true,
  };
}

function resultOfFunction(
  of: Extract<Value, { kind: "function" }>,
  tools: Tools,
): Value | undefined {
  const [only] = of.function.body;
  return only?.kind === "return" && only.value ? tools.evaluate(only.value, of.scope) : undefined;
}

/**
 * The columns that tie other models through this one, by `@BelongsToMany` of these: they are its key where it declares none
 * itself. Linear in the number of such decorators.
 */
export function keysBetween(
  base: Model,
  ties: readonly Tie[],
  tools: Tools,
  modelOf: Models["of"],
): readonly ModelColumn[] {
  const own = base.class;
  if (!own) return [];
  return ties.flatMap(({ holder, target, through, ...keys }) => {
    const isThrough = through?.kind === "class" ? through.class === own.class : constantText(through) === base.name; // prettier-ignore
    if (!isThrough) return [];
    const column = (name: string | undefined, to: Value | undefined): readonly ModelColumn[] => {
      const property = name ?? foreignKeyTo(own, to, tools);
      if (property === undefined) return [];
      const declared = columnOf(base, property);
      const type = keysOf(modelOf(to) ?? base)[0]?.type ?? "other";
      return [declared ?? { property, column: base.columnFor?.(property) ?? property, type }];
    };
    return [...column(keys.own, holder), ...column(keys.other, target)];
  });
}

/** Classes that are models, as declaring calls. */
export const TABLE = "@Table";

/** The decorators of a class with `@Table` that tie its model to others through one between them. */
export function tiesOf(call: DeclaringCall, tools: Tools): readonly Tie[] {
  const scope = tools.top(call.file);
  if (!call.class || !scope || call.method !== TABLE) return [];
  const holder: ClassValue = { kind: "class", class: call.class, scope };
  return fieldsOfClass(holder).flatMap(({ field, of }) => {
    const annotation = findAnnotation(field.annotations, "BelongsToMany");
    return annotation ? [tieOf({ annotation, of, own: holder }, tools)] : [];
  });
}

/** Result of `() => Owner`; other expressions as they are. */
function resultOf(given: HirExpression): HirExpression {
  const [only] = given.kind === "function" ? given.function.body : [];
  return only?.kind === "return" && only.value ? only.value : given;
}

/** The field of a class that `@ForeignKey(() => Owner)` marks. */
function foreignKeyTo(
  holder: Value | undefined,
  target: Value | undefined,
  tools: Tools,
): string | undefined {
  if (holder?.kind !== "class" || target?.kind !== "class") return undefined;
  const found = fieldsOfClass(holder).find(({ field, of }) => {
    const [first] = findAnnotation(field.annotations, "ForeignKey")?.arguments ?? [];
    const value = first && tools.evaluate(resultOf(first), of.scope);
    return value?.kind === "class" && value.class === target.class;
  });
  return found?.field.name;
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly value: Result } | undefined;
  return () => (made ??= { value: make() }).value;
}
