// What sequelize-typescript's decorators tie models with: `@BelongsTo(() => Owner, "ownerId") owner!: Owner`. What a relation
// leads to is looked at when it is asked for: models lead to each other without end.
import type { HirAnnotation, HirExpression, HirField } from "../../hir";
import { constantText, type Value } from "../../values";
import { annotated, plainName } from "../annotations";
import type { ClassValue, Tools } from "../library";
import { columnOf, keysOf, type Model, type ModelRelation } from "../orm/model";
import { fieldsOfClass } from "./decorated";

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
  if (!own || !annotated(own.class.annotations, "Table")) return [];
  return fieldsOfClass(own).flatMap(({ field, of }) => {
    const annotation = annotated(field.annotations, ...RELATIONS);
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
  const [first, second, third, fourth] = annotation.arguments;
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
    const named = value?.kind === "object" ? tools.fields(value)?.get("foreignKey") : value;
    const fields = named?.kind === "object" ? tools.fields(named) : undefined;
    return constantText(fields?.get("name") ?? named);
  };
  if (kind === "BelongsToMany") {
    const through = once(() => evaluated(second));
    const column = (model: Model, given: HirExpression | undefined, to: Value | undefined) =>
      columnOf(model, keyNamed(given) ?? foreignKeyTo(through(), to, tools) ?? "")?.column;
    return {
      ...common,
      get between() {
        const found = models.of(through());
        const model = found && models.whole(found);
        const keys = model && [column(model, third, own), column(model, fourth, target())];
        const [mine, other] = keys ?? [];
        if (!model || mine === undefined || other === undefined) return undefined;
        return { model: () => model, own: mine, other };
      },
    };
  }
  const options = second && evaluated(second);
  const fields = options?.kind === "object" ? tools.fields(options) : undefined;
  // Of rows that are told in other ways nothing is followed.
  if (options?.kind === "object" && !fields) return undefined;
  if (["scope", "targetKey", "sourceKey"].some((name) => fields?.has(name))) return undefined;
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

/** What `() => Owner` gives; other expressions as they are. */
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
    const [first] = annotated(field.annotations, "ForeignKey")?.arguments ?? [];
    const value = first && tools.evaluate(resultOf(first), of.scope);
    return value?.kind === "class" && value.class === target.class;
  });
  return found?.field.name;
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly value: Result } | undefined;
  return () => (made ??= { value: make() }).value;
}
