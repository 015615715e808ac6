// Locking reads in the idiom of their text: SQL, query builders, models.
import type { Site, Workshop } from "../workshop";
import { isAggregate } from "../../operations/aggregatesIn";
import { equalitiesOf } from "../predicate";
import { NO_LOCK_OF_COUNTS } from "./reasons";
import { refusal, type EditOutcome } from "./sourceForms";
import { lockingJpa } from "./jpaLock";
import { lockingChain } from "./lockingChain";
import { lockRowBefore } from "./lockRow";
import { isPlainRead, lockingSql } from "./lockingSql";
import { literalAround } from "./syntax";
import { valueText } from "./valueText";

/** The edits that make a SELECT lock what it reads, or the reason why there are none. */
export function lockRead(workshop: Workshop, site: Site): EditOutcome {
  const { statement, file, start, end } = site;
  if (statement.kind !== "select") return refusal("its read is part of a statement that writes");
  if (statement.query.lock) return refusal("the read locks its rows already");
  const tree = workshop.treeOf(file);
  if (!tree) return lockingSql(workshop, site, statement);
  const entity = tree.language === "java" ? lockingJpa(workshop, tree, site) : undefined;
  if (entity) {
    return isAggregate(statement.query) ? refusal(NO_LOCK_OF_COUNTS) : entity;
  }
  // A text that is put together of several begins and ends in one of them.
  const isJoined =
    isPlainRead(statement) &&
    literalAround(tree.root, start, start + 1) !== undefined &&
    literalAround(tree.root, end - 1, end) !== undefined;
  if (isJoined || literalAround(tree.root, start, end))
    return lockingSql(workshop, site, statement);
  if (isAggregate(statement.query)) return refusal(NO_LOCK_OF_COUNTS);
  const own = lockingChain(tree, site);
  return own.ok ? own : (precedingLock(workshop, site) ?? own);
}

/** If the library has no locking reads: a statement before it locks the row that it reads by key. */
function precedingLock(workshop: Workshop, site: Site): EditOutcome | undefined {
  const equalities = equalitiesOf(site.statement);
  for (const equality of equalities) {
    const table = workshop.program.schema.tables.find(({ name }) => name === equality.table);
    if (table?.primaryKey.length !== 1 || table.primaryKey[0] !== equality.column) continue;
    const value = valueText(workshop, site, equality);
    if (value === undefined) continue;
    return lockRowBefore(workshop, site, equality.table, equality.column, value);
  }
  return undefined;
}
