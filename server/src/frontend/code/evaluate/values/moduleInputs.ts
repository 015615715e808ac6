// Decisions of the tops of modules when they are loaded: no function does it again, so that it is an input of each.
import type { Command } from "../../../../program/statement";
import { mapSharing } from "../../../sql/dialectDetection/sharedParts";
import { walkCommand } from "../../../sql/walk";
import { isOfModule } from "../state";

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

function replaced(command: Command): Command {
  return mapSharing(command, (part) =>
    "kind" in part && part.kind === "variable" && "name" in part && isNameOfModule(part.name)
      ? { ...part, kind: "parameter" }
      : part,
  );
}

function isNameOfModule(name: unknown): boolean {
  return typeof name === "string" && isOfModule(name);
}
