// Queries of PostgreSQL's parse tree as queries of ours.
import type { JoinExpr, Node, RangeFunction, SelectStmt, WithClause } from "libpg-query";
import { itemsOf, kindOf, rowOf, stringsOf } from "../../frontend/sql/pg/ast";
import { unsupported } from "../sqlError";
import type {
  SqlCall,
  SqlExpression,
  SqlLock,
  SqlOutput,
  SqlQuery,
  SqlQueryBody,
  SqlRelation,
  SqlWindow,
  SqlWith,
} from "../tree";
import { callOf, expressionOf, ordersOf, plainCall, windowOf } from "./expression";
import { changeOf, queryOf } from "./recursion";
import { aliasOf, isOwn, nameOf } from "./relationNames";

/** A SELECT, VALUES or set operation: what `queryOf` gives. */
export function translatedQuery(node: SelectStmt): SqlQuery {
  if (node.intoClause !== undefined) throw unsupported("SELECT INTO");
  if (node.limitOption === "LIMIT_OPTION_WITH_TIES") throw unsupported("FETCH ... WITH TIES");
  const limit = node.limitCount === undefined ? undefined : expressionOf(node.limitCount);
  return {
    kind: "select",
    with: withOf(node.withClause),
    body: bodyOf(node),
    orderBy: ordersOf(node.sortClause),
    // LIMIT ALL is a null.
    ...(limit === undefined || limit.kind === "null" ? {} : { limit }),
    ...(node.limitOffset === undefined ? {} : { offset: expressionOf(node.limitOffset) }),
    locks: (node.lockingClause ?? []).flatMap(lockOf),
  };
}

function bodyOf(node: SelectStmt): SqlQueryBody {
  if (node.op !== undefined && node.op !== "SETOP_NONE") {
    const { larg, rarg } = node;
    if (larg === undefined || rarg === undefined) throw unsupported("this set operation");
    const operator =
      node.op === "SETOP_INTERSECT" ? "intersect" : node.op === "SETOP_EXCEPT" ? "except" : "union";
    return {
      kind: "set",
      operator,
      all: node.all === true,
      left: queryOf(larg),
      right: queryOf(rarg),
    };
  }
  if (node.valuesLists !== undefined) {
    return { kind: "values", rows: node.valuesLists.map((row) => itemsOf(row).map(expressionOf)) };
  }
  const distinct = node.distinctClause;
  const isGrouped = node.groupClause !== undefined;
  const { outputs, from } = withSets(
    outputsOf(node.targetList),
    (node.fromClause ?? []).map(relationOf),
    isGrouped,
  );
  return {
    kind: "select",
    distinct:
      distinct === undefined
        ? false
        : distinct.some((each) => Object.keys(each).length > 0)
          ? distinct.map(expressionOf)
          : true,
    outputs,
    from,
    ...(node.whereClause === undefined ? {} : { where: expressionOf(node.whereClause) }),
    ...groupsOf(node.groupClause, node.groupDistinct === true),
    ...(node.havingClause === undefined ? {} : { having: expressionOf(node.havingClause) }),
    windows: new Map(
      (node.windowClause ?? []).flatMap((each): (readonly [string, SqlWindow])[] =>
        "WindowDef" in each ? [[each.WindowDef.name ?? "", unnamed(windowOf(each.WindowDef))]] : [],
      ),
    ),
  };
}

/** GROUP BY: its expressions, and the sets of them where it names some. */
function groupsOf(
  clause: readonly Node[] | undefined,
  isDistinct: boolean,
): Pick<Extract<SqlQueryBody, { readonly kind: "select" }>, "groupBy" | "groupingSets"> {
  const nodes = clause ?? [];
  if (!nodes.some((each) => "GroupingSet" in each)) return { groupBy: nodes.map(expressionOf) };
  const texts: string[] = [];
  const groupBy: SqlExpression[] = [];
  const placeOf = (expression: SqlExpression): number => {
    const text = JSON.stringify(expression);
    if (!texts.includes(text)) {
      texts.push(text);
      groupBy.push(expression);
    }
    return texts.indexOf(text);
  };
  let sets: readonly (readonly number[])[] = [[]];
  for (const node of nodes) {
    const own = setsIn(node).map((set) => set.map(placeOf));
    if (sets.length * own.length > MOST_SETS) throw unsupported("more than 4096 grouping sets");
    sets = sets.flatMap((set) => own.map((more) => [...new Set([...set, ...more])]));
  }
  const seen = new Map(sets.map((set) => [[...set].sort().join(), set]));
  return { groupBy, groupingSets: isDistinct ? [...seen.values()] : sets };
}

const MOST_SETS = 4096;

/** The sets that an item of GROUP BY stands for. */
function setsIn(node: Node): readonly (readonly SqlExpression[])[] {
  if (!("GroupingSet" in node)) return [listedIn(node)];
  const { kind, content = [] } = node.GroupingSet;
  switch (kind) {
    case "GROUPING_SET_EMPTY":
      return [[]];
    case "GROUPING_SET_ROLLUP": {
      const parts = content.map(listedIn);
      return [...parts.keys(), parts.length].reverse().map((count) => parts.slice(0, count).flat());
    }
    case "GROUPING_SET_CUBE": {
      if (content.length > 12) throw unsupported("more than 4096 grouping sets");
      const parts = content.map(listedIn);
      return parts.reduceRight<readonly (readonly SqlExpression[])[]>(
        (sets, part) => [...sets.map((set) => [...part, ...set]), ...sets],
        [[]],
      );
    }
    case "GROUPING_SET_SETS":
      return content.flatMap(setsIn);
    default:
      return [content.flatMap(listedIn)];
  }
}

/** `(a, b)` as two expressions. */
function listedIn(node: Node): readonly SqlExpression[] {
  const parts = rowOf(node);
  return parts === undefined ? [expressionOf(node)] : parts.map(expressionOf);
}

/** Functions that give a row for each value. */
const SETS = /^(unnest|generate_series|generate_subscripts|jsonb?_array_elements(_text)?)$/;
/** No name of an application's. */
const SET_ALIAS = "#set";

/** Outputs that give rows become a relation beside the others, which means the same. */
function withSets(
  outputs: readonly SqlOutput[],
  from: readonly SqlRelation[],
  isGrouped: boolean,
): { readonly outputs: readonly SqlOutput[]; readonly from: readonly SqlRelation[] } {
  const calls = outputs.flatMap(({ value }) =>
    value.kind === "call" && SETS.test(value.name) ? [value] : [],
  );
  const [first, ...others] = calls;
  if (first === undefined || isGrouped) return { outputs, from };
  if (others.length > 0 && calls.some(({ name }) => !LISTED.test(name)))
    throw unsupported("more than one output that gives rows");
  const relation: SqlRelation = {
    kind: "function",
    // Several lists go side by side: the subscripts of one are a list as well.
    call:
      others.length === 0
        ? first
        : { ...first, name: "unnest", arguments: calls.map((call) => listIn(call)) },
    alias: SET_ALIAS,
    columns: calls.map((_, at) => String(at)),
    ordinality: false,
  };
  return {
    outputs: outputs.map((output) => {
      const at = calls.findIndex((call) => call === output.value);
      if (at < 0) return output;
      const path = [SET_ALIAS, String(at)];
      return { value: { kind: "column", path }, alias: output.alias ?? first.name };
    }),
    from: [...from, relation],
  };
}

const LISTED = /^(unnest|generate_subscripts)$/;

/** The list whose items a call gives one by one. */
function listIn(call: SqlCall): SqlExpression {
  const [list = { kind: "null" } as const] = call.arguments;
  return call.name === "unnest" ? list : { ...call, name: "array_subscripts", arguments: [list] };
}

/** The definition of a named window does not name itself. */
function unnamed(window: SqlWindow): SqlWindow {
  const { base: _base, ...rest } = window;
  return rest;
}

export function outputsOf(nodes: readonly Node[] | undefined): readonly SqlOutput[] {
  return (nodes ?? []).flatMap((node) => {
    if (!("ResTarget" in node) || node.ResTarget.val === undefined) return [];
    const value = expressionOf(node.ResTarget.val);
    const { name } = node.ResTarget;
    return [name === undefined || name === "" ? { value } : { value, alias: name }];
  });
}

function lockOf(node: Node): readonly SqlLock[] {
  if (!("LockingClause" in node)) return [];
  const { lockedRels = [], strength, waitPolicy } = node.LockingClause;
  return [
    {
      strength:
        strength === "LCS_FORUPDATE" || strength === "LCS_FORNOKEYUPDATE" ? "update" : "share",
      of: lockedRels.flatMap((each) => ("RangeVar" in each ? [each.RangeVar.relname ?? ""] : [])),
      wait:
        waitPolicy === "LockWaitSkip"
          ? "skip locked"
          : waitPolicy === "LockWaitError"
            ? "nowait"
            : "block",
    },
  ];
}

export function withOf(clause: WithClause | undefined): readonly SqlWith[] {
  return (clause?.ctes ?? []).flatMap((node): readonly SqlWith[] => {
    if (!("CommonTableExpr" in node)) return [];
    const {
      ctename = "",
      aliascolnames,
      ctequery,
      search_clause,
      cycle_clause,
    } = node.CommonTableExpr;
    if ((search_clause ?? cycle_clause) !== undefined) throw unsupported("SEARCH and CYCLE");
    if (ctequery === undefined) return [];
    const body = "SelectStmt" in ctequery ? queryOf(ctequery.SelectStmt) : changeOf(ctequery);
    if (body === undefined) throw unsupported(`${kindOf(ctequery)} inside WITH`);
    return [
      {
        name: ctename,
        columns: stringsOf(aliascolnames),
        body,
        recursive: clause?.recursive === true,
      },
    ];
  });
}

export function relationOf(node: Node): SqlRelation {
  if ("RangeVar" in node) {
    const { schemaname, relname = "", alias } = node.RangeVar;
    const isSystem = schemaname !== undefined && schemaname !== "public" && !isOwn(schemaname);
    const name = isSystem ? relname : nameOf(node.RangeVar);
    const shown = isSystem ? alias?.aliasname : aliasOf(node.RangeVar);
    return {
      kind: "table",
      ...(isSystem && { schema: schemaname }),
      name,
      ...(shown === undefined ? {} : { alias: shown }),
      columns: stringsOf(alias?.colnames),
    };
  }
  if ("RangeSubselect" in node) {
    const { subquery, alias, lateral } = node.RangeSubselect;
    if (subquery === undefined || !("SelectStmt" in subquery)) throw unsupported("this subquery");
    return {
      kind: "query",
      query: queryOf(subquery.SelectStmt),
      ...(alias?.aliasname === undefined ? {} : { alias: alias.aliasname }),
      columns: stringsOf(alias?.colnames),
      lateral: lateral === true,
    };
  }
  if ("RangeFunction" in node) return functionOf(node.RangeFunction);
  if ("JoinExpr" in node) return joinOf(node.JoinExpr);
  if ("RangeTableSample" in node) throw unsupported("TABLESAMPLE");
  throw unsupported(`${kindOf(node)} in FROM`);
}

function functionOf(node: RangeFunction): SqlRelation {
  const [first, ...others] = node.functions ?? [];
  const [call] = first === undefined ? [] : itemsOf(first);
  if (others.length > 0) throw unsupported("ROWS FROM");
  if (node.coldeflist !== undefined) throw unsupported("a function in FROM with a list of columns");
  const called: SqlExpression =
    call !== undefined && "FuncCall" in call
      ? callOf(call.FuncCall)
      : call === undefined
        ? plainCall("", [])
        : expressionOf(call);
  if (called.kind !== "call") throw unsupported("this function in FROM");
  return {
    kind: "function",
    call: called,
    ...(node.alias?.aliasname === undefined ? {} : { alias: node.alias.aliasname }),
    columns: stringsOf(node.alias?.colnames),
    ordinality: node.ordinality === true,
  };
}

const JOINS: ReadonlyMap<string, "inner" | "left" | "right" | "full"> = new Map([
  ["JOIN_INNER", "inner"],
  ["JOIN_LEFT", "left"],
  ["JOIN_RIGHT", "right"],
  ["JOIN_FULL", "full"],
]);

function joinOf(node: JoinExpr): SqlRelation {
  const { larg, rarg, quals, usingClause, isNatural, jointype = "" } = node;
  if (node.alias !== undefined) throw unsupported("an alias of a join");
  if (larg === undefined || rarg === undefined) throw unsupported("this join");
  return {
    kind: "join",
    join: JOINS.get(jointype) ?? "inner",
    left: relationOf(larg),
    right: relationOf(rarg),
    natural: isNatural === true,
    using: stringsOf(usingClause),
    ...(quals === undefined ? {} : { on: expressionOf(quals) }),
  };
}
