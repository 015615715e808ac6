import { Disposable, commands } from "vscode";
import type { Panel } from "./panel";

/** Commands that move among the panel's steps, for key bindings, and the command back into the panel. */
export function registerStepCommands(panel: Panel): Disposable {
  const move = (to: Parameters<Panel["move"]>[0]) => () => {
    panel.move(to);
  };
  return Disposable.from(
    commands.registerCommand("isolens.nextStep", move("next")),
    commands.registerCommand("isolens.previousStep", move("previous")),
    commands.registerCommand("isolens.firstStep", move("first")),
    commands.registerCommand("isolens.lastStep", move("last")),
    commands.registerCommand("isolens.focusPanel", () => {
      panel.focus();
    }),
  );
}
