// Queries that Spring Data derives from the names of methods, as JPQL: `findByOwnerAndBalanceGreaterThanOrderByIdDesc`.
import { isJpaModel, type JpaModel } from "./entities";

export interface Derived {
  readonly kind: "find" | "exists" | "count" | "delete";
  readonly jpql: string;
  readonly limit?: number;
}

const SUBJECT =
  /^(find|read|get|query|search|stream|exists|count|delete|remove)(?:(First|Top)(\d*))?(Distinct)?([A-Z]\w*?)??(?:(First|Top)(\d*))?By([A-Z]\w*)?$/u;

/** Names of conditions, longest first; the number of their parameters, and what they say. */
const CONDITIONS: readonly (readonly [name: RegExp, says: (path: string, at: number) => string, taken: number])[] =
  [
    [/IsBetween$|Between$/u, (path, at) => `${path} between ?${String(at)} and ?${String(at + 1)}`, 2],
    [/IsNotNull$|NotNull$/u, (path) => `${path} is not null`, 0],
    [/IsNull$|Null$/u, (path) => `${path} is null`, 0],
    [/IsLessThanEqual$|LessThanEqual$/u, operator("<="), 1],
    [/IsLessThan$|LessThan$|IsBefore$|Before$/u, operator("<"), 1],
    [/IsGreaterThanEqual$|GreaterThanEqual$/u, operator(">="), 1],
    [/IsGreaterThan$|GreaterThan$|IsAfter$|After$/u, operator(">"), 1],
    [/IsNotLike$|NotLike$/u, operator("not like"), 1],
    [/IsLike$|Like$/u, operator("like"), 1],
    [/IsNotContaining$|NotContaining$|NotContains$/u, like("not like", "'%'", "'%'"), 1],
    [/IsContaining$|Containing$|Contains$/u, like("like", "'%'", "'%'"), 1],
    [/IsStartingWith$|StartingWith$|StartsWith$/u, like("like", "''", "'%'"), 1],
    [/IsEndingWith$|EndingWith$|EndsWith$/u, like("like", "'%'", "''"), 1],
    [/IsNotIn$|NotIn$/u, operator("not in"), 1],
    [/IsIn$|In$/u, operator("in"), 1],
    [/IsTrue$|True$/u, (path) => `${path} = true`, 0],
    [/IsFalse$|False$/u, (path) => `${path} = false`, 0],
    [/IsNot$|Not$/u, operator("<>"), 1],
    [/Is$|Equals$/u, operator("="), 1],
  ]; // prettier-ignore

function operator(text: string) {
  return (path: string, at: number): string => `${path} ${text} ?${String(at)}`;
}

function like(text: string, before: string, after: string) {
  return (path: string, at: number): string => `${path} ${text} concat(${before}, ?${String(at)}, ${after})`; // prettier-ignore
}

const ALIAS = "x";

/** Undefined where the name is none of a query, or a part of it is not known. */
export function derivedQuery(name: string, model: JpaModel): Derived | undefined {
  const found = SUBJECT.exec(name);
  if (!found) return undefined;
  const [, verb = "", first, many, distinct, , later, laterMany, rest = ""] = found;
  const [condition = "", order = ""] = rest.split(/OrderBy(?=[A-Z])/u);
  const where = conditionOf(condition, model);
  const orderBy = orderOf(order, model);
  if (where === undefined || orderBy === undefined) return undefined;
  const tail = (where === "" ? "" : ` where ${where}`) + (orderBy === "" ? "" : ` order by ${orderBy}`); // prettier-ignore
  const kind = /^(?:exists|count)$/u.test(verb)
    ? verb === "exists" ? "exists" : "count"
    : /^(?:delete|remove)$/u.test(verb) ? "delete" : "find"; // prettier-ignore
  const selected = kind === "count" ? `count(${ALIAS})` : kind === "exists" ? `${ALIAS}.id` : ALIAS;
  const isLimited = (first ?? later) !== undefined;
  const limit = Number(many === undefined || many === "" ? (laterMany === "" ? 1 : (laterMany ?? 1)) : many); // prettier-ignore
  const isDistinct = distinct === undefined ? "" : "distinct ";
  return {
    kind,
    jpql: `select ${isDistinct}${selected} from ${model.entityName} ${ALIAS}${tail}`,
    ...(isLimited && { limit }),
  };
}

function conditionOf(text: string, model: JpaModel): string | undefined {
  if (text === "") return "";
  let at = 1;
  const any = text.replace(/AllIgnoreCase$|AllIgnoringCase$/u, "").split(/Or(?=[A-Z])/u);
  const parts = any.map((all) =>
    all.split(/And(?=[A-Z])/u).map((each) => {
      const isCaseless = /IgnoreCase$|IgnoringCase$/u.test(each);
      const plain = each.replace(/IgnoreCase$|IgnoringCase$/u, "");
      const [pattern = "", says, taken = 1] = CONDITIONS.find(([name]) => name.test(plain)) ?? [];
      const whole = pathOf(plain, model);
      const property = whole ?? pathOf(plain.replace(pattern, ""), model);
      if (property === undefined) return undefined;
      const path = isCaseless ? `upper(${ALIAS}.${property})` : `${ALIAS}.${property}`;
      const said = whole === undefined && says ? says(path, at) : operator("=")(path, at);
      at += whole === undefined && says ? taken : 1;
      return isCaseless ? said.replaceAll(/\?\d+/gu, "upper($&)") : said;
    }),
  );
  if (parts.some((all) => all.includes(undefined))) return undefined;
  return parts.map((all) => all.join(" and ")).join(" or ");
}

function orderOf(text: string, model: JpaModel): string | undefined {
  if (text === "") return "";
  const parts = [...text.matchAll(/([A-Z]\w*?)(Asc|Desc)(?=[A-Z]|$)|([A-Z]\w*)$/gu)].map(
    ([, name, way, last]) => {
      const path = pathOf(name ?? last ?? "", model);
      return path === undefined ? undefined : `${ALIAS}.${path} ${way ?? "Asc"}`;
    },
  );
  return parts.includes(undefined) ? undefined : parts.join(", ");
}

/** `AccountOwner` as `account.owner`: the longest beginning that is a property. */
function pathOf(name: string, model: JpaModel): string | undefined {
  const plain = name.charAt(0).toLowerCase() + name.slice(1);
  const isProperty = (each: string): boolean =>
    model.columns.some(({ property }) => property === each) ||
    model.relations.some(({ property }) => property === each);
  if (isProperty(plain)) return plain;
  const [head = "", ...tail] = name.split("_");
  if (tail.length > 0) return joinedPath(head, tail.join("_"), model);
  const cuts = [...name.matchAll(/(?<=[a-z0-9])(?=[A-Z])/gu)].map(({ index }) => index);
  for (const cut of cuts.toReversed()) {
    const path = joinedPath(name.slice(0, cut), name.slice(cut), model);
    if (path !== undefined) return path;
  }
  return undefined;
}

function joinedPath(head: string, tail: string, model: JpaModel): string | undefined {
  const property = head.charAt(0).toLowerCase() + head.slice(1);
  const target = model.relations.find((each) => each.property === property)?.target();
  if (!isJpaModel(target)) return undefined;
  const rest = pathOf(tail.charAt(0).toUpperCase() + tail.slice(1), target);
  return rest === undefined ? undefined : `${property}.${rest}`;
}
