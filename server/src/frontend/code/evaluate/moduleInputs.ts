// What the tops of modules decide when they are loaded: no function does it again, so that it is an input of each.
import type { Command } from "../../../program/statement";
import { walkCommand } from "../../sql/walk";
import { isOfModule } from "./state";

/** The command with the variables of modules as parameters. Linear in its size. */
export function withModuleInputs(command: Command): Command {
  let isFound = false;
  walkCommand(command, {
    expression: (each) => {
      isFound ||= each.kind === "variable" && isOfModule(each.name);
    },
  });
  return isFound ? replaced(command) : command;
}

function replaced<Part>(part: Part): Part {
  // A mapped array of the same elements has the type of the array.
  if (Array.isArray(part)) return part.map((each: unknown) => replaced(each)) as Part;
  if (typeof part !== "object" || part === null) return part;
  const isVariable = "kind" in part && part.kind === "variable" && "name" in part;
  if (isVariable && typeof part.name === "string" && isOfModule(part.name)) {
    return { ...part, kind: "parameter" };
  }
  const entries = Object.entries(part).map(
    ([key, value]: [string, unknown]) => [key, key === "source" ? value : replaced(value)] as const,
  );
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}
