// MikroORM's filters: records with operators (`{ balance: { $gte: 5 } }`), lists of keys, a key.
import { dictionary } from "../../../../protocol/dictionary";
import type { Value } from "../../values";
import type { Fragment } from "../builders/draft";
import { filterOf, type FilterLanguage, type Operation } from "../orm/filter";
import type { Place } from "../orm/statements";

const OPERATIONS = dictionary<Operation | undefined>({
  $eq: "=",
  $ne: "<>",
  $gt: ">",
  $gte: ">=",
  $lt: "<",
  $lte: "<=",
  $like: "LIKE",
  $ilike: "ILIKE",
  $in: "IN",
  $nin: "NOT IN",
  $and: "AND",
  $or: "OR",
  $not: "NOT",
});

const LANGUAGE: FilterLanguage = {
  operation: (key) => OPERATIONS[key] ?? (key.startsWith("$") ? "unknown" : undefined),
  list: "keys",
  skips: "nothing",
  nulls: "tested",
  hasLists: true,
  dropsEmpty: false,
};

/** The conditions of a filter; undefined where they are not understood. */
export function whereOf(place: Place, where: Value | undefined): readonly Fragment[] | undefined {
  return filterOf(place, where, LANGUAGE);
}
