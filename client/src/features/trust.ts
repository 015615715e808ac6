// Features that run code of the workspace, or write into it, need a trusted workspace.
import { window, workspace } from "vscode";

const SHOWN = 10_000;

/** Returns whether the user trusts the workspace; if not, the status bar says what needs the trust. */
export function hasTrust(what: string): boolean {
  if (!workspace.isTrusted)
    window.setStatusBarMessage(
      `Isolens: ${what} needs a trusted workspace (Workspaces: Manage Workspace Trust)`,
      SHOWN,
    );
  return workspace.isTrusted;
}
