// How a read is made to lock the rows that it finds, in the idiom of its text: SQL, builders of queries, models.
import type { Site, Workshop } from "../workshop";
import { refused, type ReadLock, type Written } from "./written";
import { lockingChain } from "./lockingChain";
import { lockingSql } from "./lockingSql";
import { literalAround } from "./syntax";

/** The edits that make a SELECT lock what it reads, or why there are none. */
export function lockRead(workshop: Workshop, site: Site, lock: ReadLock): Written {
  const { statement, file, start, end } = site;
  if (statement.kind !== "select") return refused("its read is part of a statement that writes");
  if (statement.query.lock) return refused("the read locks its rows already");
  const tree = workshop.treeOf(file);
  if (!tree) return lockingSql(workshop, site, statement, lock);
  if (literalAround(tree.root, start, end)) return lockingSql(workshop, site, statement, lock);
  return lockingChain(tree, site, lock);
}
