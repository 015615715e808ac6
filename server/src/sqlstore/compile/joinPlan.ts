// Plans of joins: relations with the conditions over them, each condition as deep as it can go.
import type { Table } from "../catalog";
import type { SqlRow } from "../values/value";
import type { Bound, Lookup } from "./lookups";
import type { Env, Truth } from "./node";
import type { Slices } from "./slices";

export type Tuple = readonly (SqlRow | undefined)[];

/** A table that the query reads, by its position among the relations. */
export interface ReadTable {
  readonly source: number;
  readonly table: Table;
  readonly alias: string;
  /** True if its newest versions are read; set before the statement runs. */
  current: boolean;
}

export interface Condition {
  readonly test: Truth;
  readonly uses: ReadonlySet<number>;
  readonly lookups: readonly Lookup[];
  readonly bounds: readonly Bound[];
}

/** The rows of a relation; in slices where they are those of a query. */
export type RowsOf = (env: Env) => readonly SqlRow[] | Slices<readonly SqlRow[]>;

export type Plan =
  | {
      readonly kind: "source";
      readonly source: number;
      readonly rows: RowsOf;
      /** Relations beside it that it refers to. */
      readonly uses: ReadonlySet<number>;
      readonly read?: ReadTable;
    }
  | {
      readonly kind: "inner";
      readonly items: readonly Plan[];
      readonly conditions: readonly Condition[];
    }
  | {
      readonly kind: "outer";
      readonly full: boolean;
      readonly left: Plan;
      readonly right: Plan;
      readonly conditions: readonly Condition[];
    };

/** All conditions that rows must satisfy whatever joins they are in; those of outer joins are not among them. */
export function conditionsOf(plan: Plan): readonly Condition[] {
  if (plan.kind !== "inner") return [];
  return [...plan.conditions, ...plan.items.flatMap(conditionsOf)];
}

/** Puts conditions as deep as they can go: to the side of an outer join that keeps all of its rows. */
export function pushDown(plan: Plan, conditions: readonly Condition[]): Plan {
  if (conditions.length === 0 && plan.kind !== "inner") return plan;
  switch (plan.kind) {
    case "source":
      return { kind: "inner", items: [plan], conditions };
    case "outer": {
      if (plan.full) return { kind: "inner", items: [plan], conditions };
      const own = sourcesOf(plan.left);
      const goes = (each: Condition): boolean => [...each.uses].every((use) => own.has(use));
      const left = pushDown(plan.left, conditions.filter(goes));
      const rest = conditions.filter((each) => !goes(each));
      const outer: Plan = { ...plan, left };
      return rest.length === 0 ? outer : { kind: "inner", items: [outer], conditions: rest };
    }
    case "inner": {
      const flat = plan.items.map((item) => pushDown(item, []));
      const items = flat.flatMap((item) => (item.kind === "inner" ? item.items : [item]));
      const inherited = flat.flatMap((item) => (item.kind === "inner" ? item.conditions : []));
      const all = [...plan.conditions, ...inherited, ...conditions];
      // A condition that concerns one outer join alone is its own affair.
      const rest: Condition[] = [];
      const mine = new Map<number, Condition[]>();
      for (const each of all) {
        const at = items.findIndex((item) => {
          const sources = sourcesOf(item);
          return (
            item.kind === "outer" &&
            each.uses.size > 0 &&
            [...each.uses].every((use) => sources.has(use))
          );
        });
        const list = mine.get(at) ?? [];
        if (at >= 0) mine.set(at, [...list, each]);
        else rest.push(each);
      }
      return {
        kind: "inner",
        items: items.map((item, at) => {
          const own = mine.get(at);
          return own === undefined ? item : pushDown(item, own);
        }),
        conditions: rest,
      };
    }
    default:
      return plan satisfies never;
  }
}

export function sourcesOf(plan: Plan): ReadonlySet<number> {
  switch (plan.kind) {
    case "source":
      return new Set([plan.source]);
    case "inner":
      return new Set(plan.items.flatMap((item) => [...sourcesOf(item)]));
    case "outer":
      return new Set([...sourcesOf(plan.left), ...sourcesOf(plan.right)]);
    default:
      return plan satisfies never;
  }
}
