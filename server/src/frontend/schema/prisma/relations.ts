// The relations of a Prisma schema: which side keeps the link, in which columns, or in which table between the two.
import { dictionary } from "../../../protocol/dictionary";
import { argument, namedArgument, namesIn, textOf } from "./attributes";
import type {
  PrismaAction,
  PrismaField,
  PrismaLink,
  PrismaModel,
  PrismaRelation,
  PrismaScalar,
} from "./model";
import type { PrismaAttribute } from "./syntax";
import type { ModelBlock, Say } from "./modelBlock";

/** The models with the links of their relations. What has no other side is noted and stays without a link. */
export function linkRelations(
  models: ReadonlyMap<string, PrismaModel>,
  drafts: ReadonlyMap<string, ModelBlock>,
  say: Say,
): ReadonlyMap<string, PrismaModel> {
  const sides = [...models.values()].flatMap((model) => sidesOf(model, drafts.get(model.name)));
  const links = new Map<Side, PrismaLink>();
  for (const side of sides) {
    const link = linkOf(side, sides, models, say);
    if (link !== undefined) links.set(side, link);
  }
  return new Map(
    [...models].map(([name, model]) => {
      const fields = new Map<string, PrismaField>(model.fields);
      for (const side of sides) {
        const link = links.get(side);
        if (side.model !== model || link === undefined) continue;
        fields.set(side.field.name, { ...side.field, link });
      }
      return [name, { ...model, fields }] as const;
    }),
  );
}

interface Side {
  readonly model: PrismaModel;
  readonly field: PrismaRelation;
  readonly attribute: PrismaAttribute | undefined;
  /** The relation's name, where it has one. */
  readonly name: string | undefined;
  /** Fields that refer to the other model; empty on the side that does not keep the link. */
  readonly own: readonly string[];
  readonly referenced: readonly string[];
}

function sidesOf(model: PrismaModel, draft: ModelBlock | undefined): readonly Side[] {
  return [...model.fields.values()].flatMap((field): readonly Side[] => {
    if (field.kind !== "relation") return [];
    const syntax = draft?.block.fields.find((each) => each.name.text === field.name);
    const attribute = syntax?.attributes.find((each) => each.name === "relation");
    const name = attribute && argument(attribute, "name");
    const named = (key: string) => namesIn(attribute && namedArgument(attribute, key));
    return [
      {
        model,
        field,
        attribute,
        name: name && textOf(name),
        own: named("fields"),
        referenced: named("references"),
      },
    ];
  });
}

function linkOf(
  side: Side,
  sides: readonly Side[],
  models: ReadonlyMap<string, PrismaModel>,
  say: Say,
): PrismaLink | undefined {
  const target = models.get(side.field.model);
  if (target === undefined) return undefined;
  if (side.own.length > 0) return keptLink(side, side, target, "here", say);
  const others = sides.filter(
    (each) =>
      each !== side &&
      each.model === target &&
      each.field.model === side.model.name &&
      each.name === side.name,
  );
  const [other, second] = others;
  const place = side.field.source;
  const label = `"${side.model.name}.${side.field.name}"`;
  if (other === undefined) {
    say("error", `Nothing in "${target.name}" is the other side of the relation ${label}.`, place);
    return undefined;
  }
  if (second !== undefined) {
    const message = `Several relations of "${target.name}" may be the other side of ${label}; @relation("name") on both sides tells which.`;
    say("error", message, place);
    return undefined;
  }
  if (other.own.length > 0) return keptLink(other, side, side.model, "there", say);
  if (side.field.isList && other.field.isList) return betweenLink(side, other, say);
  say("error", `Neither side of ${label} says with "fields" where the link is kept.`, place);
  return undefined;
}

function keptLink(
  keeper: Side,
  asked: Side,
  target: PrismaModel,
  at: "here" | "there",
  say: Say,
): PrismaLink | undefined {
  const columns = columnsOf(keeper.model, keeper.own);
  const referenced = columnsOf(target, keeper.referenced);
  if (columns === undefined || referenced === undefined || columns.length !== referenced.length) {
    if (keeper === asked) {
      const message = `"fields" and "references" of "${keeper.model.name}.${keeper.field.name}" name no columns that fit.`;
      say("error", message, asked.field.source);
    }
    return undefined;
  }
  const action = (key: string): PrismaAction | undefined => {
    const value = keeper.attribute && namedArgument(keeper.attribute, key);
    return value?.kind === "name" ? ACTIONS[value.text] : undefined;
  };
  const usual = keeper.field.isOptional ? "set-null" : "restrict";
  return {
    at,
    columns,
    referenced,
    onDelete: action("onDelete") ?? usual,
    onUpdate: action("onUpdate") ?? "cascade",
  };
}

const ACTIONS = dictionary<PrismaAction>({
  Cascade: "cascade",
  Restrict: "restrict",
  NoAction: "no-action",
  SetNull: "set-null",
  SetDefault: "set-default",
});

function columnsOf(model: PrismaModel, names: readonly string[]): readonly string[] | undefined {
  const columns = names.flatMap((name) => {
    const field = model.fields.get(name);
    return field?.kind === "scalar" ? [field.column] : [];
  });
  return columns.length === names.length && names.length > 0 ? columns : undefined;
}

/** The table that Prisma puts between two models with lists of each other: `_AToB`, with columns `A` and `B`. */
function betweenLink(side: Side, other: Side, say: Say): PrismaLink | undefined {
  const [ownKey, otherKey] = [singleKey(side.model), singleKey(other.model)];
  if (ownKey === undefined || otherKey === undefined) {
    const message = `A relation of lists on both sides needs primary keys of one field in "${side.model.name}" and "${other.model.name}".`;
    say("error", message, side.field.source);
    return undefined;
  }
  const isSelf = side.model === other.model;
  const isFirst = isSelf ? side.field.name < other.field.name : side.model.name < other.model.name;
  const [first, last] = isFirst ? [side, other] : [other, side];
  return {
    at: "between",
    table: `_${side.name ?? `${first.model.name}To${last.model.name}`}`,
    own: isFirst ? "A" : "B",
    other: isFirst ? "B" : "A",
    ownKey: ownKey.column,
    otherKey: otherKey.column,
  };
}

/** The field that is a model's primary key by itself. */
export function singleKey(model: PrismaModel): PrismaScalar | undefined {
  const key = model.keys.find((each) => each.isPrimary);
  const field = key?.fields.length === 1 ? model.fields.get(key.fields[0] ?? "") : undefined;
  return field?.kind === "scalar" ? field : undefined;
}
