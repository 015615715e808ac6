// Actions of foreign keys: statements of their own in the program, in place of the DELETE that has them done.
import { walkCommand } from "../frontend/sql/walk";
import type { Transaction } from "../program/program";
import type { Statement } from "../program/statement";

/** Tells the statements that stand for a DELETE with actions: they are sent as they are read, not as they are written. */
export function actionsOf({ body }: Transaction): (statement: Statement) => boolean {
  const places = new Set<string>();
  walkCommand(body, {
    statement: (each) => {
      if (each.kind === "delete" && each.leavesNoChildren) places.add(placeOf(each));
    },
  });
  return (statement) => places.has(placeOf(statement));
}

function placeOf({ source }: Statement): string {
  return JSON.stringify(source.range.start);
}
