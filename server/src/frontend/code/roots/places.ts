// Positions of the transactions and statements of a command.
import type { Command } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import { walkCommand } from "../../sql/walk";

/** The positions of a command's transactions and statements. */
export function placesIn(body: Command): readonly SourceRange[] {
  const places: SourceRange[] = [];
  walkCommand(body, {
    command: (each) => {
      if (each.kind === "atomic") places.push(each.source);
    },
    statement: ({ source }) => places.push(source),
  });
  return places;
}

/** The positions of each transaction of a command, including those of inner transactions that joined it. */
export function atomicPlaces(body: Command): readonly (readonly SourceRange[])[] {
  const found: (readonly SourceRange[])[] = [];
  walkCommand(body, {
    command: (each) => {
      if (each.kind === "atomic") found.push([each.source, ...placesIn(each.body)]);
    },
  });
  return found;
}
