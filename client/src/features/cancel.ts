import { commands, window } from "vscode";
import type { Disposable } from "vscode";
import type { ServerClient } from "./serverClient";
import { plural } from "./words";

const SHOWN = 4000;

/** `Isolens: Cancel`: stops all checks; the status changes at once. */
export function registerCancel(server: ServerClient): Disposable {
  return commands.registerCommand("isolens.cancel", async () => {
    const stopped = await server.request("isolens/cancel", {});
    const text =
      stopped === 0 ? "nothing is being checked" : `cancelled ${plural(stopped, "check")}`;
    window.setStatusBarMessage(`Isolens: ${text}`, SHOWN);
  });
}
