// Temporary tables of stored routines: each session has its own, so that no other transaction sees them.
import type { Statement } from "../../../program/statement";
import type { Taint } from "../../../program/precision";
import type { Ids, Lowering } from "../lowering";
import { nameOf, tokensOf } from "../text/tokens";
import type { Query, Relation } from "../../../program/expression";

/** The temporary tables that a body creates. Linear in the text. */
export function temporaryTables(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!/\btemporary\b/i.test(text)) return names;
  const tokens = tokensOf(text, 0, text.length);
  tokens.forEach((token, at) => {
    if (token.word !== "temporary" || tokens[at + 1]?.word !== "table") return;
    let next = at + 2;
    while (/^(if|not|exists)$/.test(tokens[next]?.word ?? "")) next++;
    while (tokens[next + 1]?.word === ".") next += 2;
    const name = tokens[next];
    if (name !== undefined) names.add(nameOf(text, name).toLowerCase());
  });
  return names;
}

/** The statements without changes of temporary tables; reads from these are unknown. */
export function withoutTemporary(
  lowered: Lowering,
  temporary: ReadonlySet<string>,
  ids: Ids,
): Lowering {
  if (temporary.size === 0 || lowered.commands !== undefined) return lowered;
  const statements = lowered.statements.flatMap((statement): readonly Statement[] =>
    withoutIn(statement, temporary, ids),
  );
  return { ...lowered, statements };
}

function withoutIn(
  statement: Statement,
  temporary: ReadonlySet<string>,
  ids: Ids,
): readonly Statement[] {
  const { id, source, text } = statement;
  const loss: Taint = { effect: "over", reason: "what a temporary table holds", source };
  switch (statement.kind) {
    case "select": {
      const query = queryWithout(statement.query, temporary);
      if (query === statement.query) return [statement];
      return [{ ...statement, query, taint: [...statement.taint, loss] }];
    }
    case "insert": {
      const isTemporary = temporary.has(statement.table);
      if (!("query" in statement.rows)) return isTemporary ? [] : [statement];
      const query = queryWithout(statement.rows.query, temporary);
      const taint = query === statement.rows.query ? statement.taint : [...statement.taint, loss];
      if (!isTemporary) return [{ ...statement, rows: { ...statement.rows, query }, taint }];
      if (query.relations.every(({ kind }) => kind === "opaque")) return [];
      // Reads of other tables stay.
      return [
        { kind: "select", id, source, text, query, into: ids.result(), discarded: true, taint },
      ];
    }
    case "update":
    case "delete": {
      if (temporary.has(statement.relation.table)) return [];
      const others = statement.kind === "update" ? statement.from : statement.using;
      const mapped = others.map((each) => relationWithout(each, temporary));
      if (mapped.every((each, at) => each === others[at])) return [statement];
      const taint = [...statement.taint, loss];
      return statement.kind === "update"
        ? [{ ...statement, from: mapped, taint }]
        : [{ ...statement, using: mapped, taint }];
    }
    case "opaque": {
      const tables = statement.tables.filter((table) => !temporary.has(table));
      const isOnlyTemporary = tables.length === 0 && statement.tables.length > 0;
      return isOnlyTemporary ? [] : [{ ...statement, tables }];
    }
    case "lock":
      return [statement];
  }
}

function queryWithout(query: Query, temporary: ReadonlySet<string>): Query {
  const relations = query.relations.map((each) => relationWithout(each, temporary));
  const setOperations = query.setOperations.map((each) => {
    const inner = queryWithout(each.query, temporary);
    return inner === each.query ? each : { ...each, query: inner };
  });
  const isSame =
    relations.every((each, at) => each === query.relations[at]) &&
    setOperations.every((each, at) => each === query.setOperations[at]);
  return isSame ? query : { ...query, relations, setOperations };
}

function relationWithout(relation: Relation, temporary: ReadonlySet<string>): Relation {
  if (relation.kind === "base" && temporary.has(relation.table)) {
    return { ...relation, kind: "opaque" };
  }
  if (relation.query === undefined) return relation;
  const query = queryWithout(relation.query, temporary);
  return query === relation.query ? relation : { ...relation, query };
}
