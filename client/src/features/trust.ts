// What runs code of the workspace, or writes into it, needs the user's trust in it.
import { window, workspace } from "vscode";

const SHOWN = 10_000;

/** Whether the workspace is trusted; where it is not, the status bar says what for that is needed. */
export function hasTrust(what: string): boolean {
  if (!workspace.isTrusted)
    window.setStatusBarMessage(
      `Isolens: ${what} needs a trusted workspace (Workspaces: Manage Workspace Trust)`,
      SHOWN,
    );
  return workspace.isTrusted;
}
