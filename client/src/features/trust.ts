// Workspace trust, required by features that run the workspace's code or write into it.
import { window, workspace } from "vscode";

const SHOWN = 10_000;

/** True if the user trusts the workspace; otherwise the status bar names the feature that needs it. */
export function hasTrust(what: string): boolean {
  if (!workspace.isTrusted)
    window.setStatusBarMessage(
      `Isolens: ${what} needs a trusted workspace (Workspaces: Manage Workspace Trust)`,
      SHOWN,
    );
  return workspace.isTrusted;
}
