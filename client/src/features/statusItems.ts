// The level in force and the server's health: a language status item with details, and a small status bar item.
import {
  Disposable,
  LanguageStatusSeverity,
  StatusBarAlignment,
  ThemeColor,
  languages,
  window,
} from "vscode";
import type { TextEditor } from "vscode";
import type { ServerStatus } from "../../../server/src/protocol/requests";
import { DOCUMENTS, type ServerClient } from "./serverClient";
import { detailOf } from "./statusText";

export function registerStatusItems(server: ServerClient): Disposable {
  const item = languages.createLanguageStatusItem("isolens.status", DOCUMENTS);
  item.name = "Isolens";
  item.text = "Isolens is starting";
  item.busy = true;
  const bar = window.createStatusBarItem("isolens.level", StatusBarAlignment.Right, 90);
  bar.name = "Isolens: isolation level";
  bar.command = "isolens.check";

  const showStatus = (status: ServerStatus): void => {
    item.text = status.level.label;
    item.detail = detailOf(status);
    item.busy = status.health === "busy";
    item.severity =
      status.health === "degraded"
        ? LanguageStatusSeverity.Error
        : LanguageStatusSeverity.Information;
    item.command =
      status.health === "degraded"
        ? { command: "isolens.restart", title: "Restart" }
        : { command: "isolens.check", title: "Check at level..." };
    bar.text = `$(layers) ${status.level.label}`;
    bar.tooltip = `Isolens: ${detailOf(status)}. Click to check at another isolation level.`;
    bar.accessibilityInformation = { label: `Isolation level ${status.level.label}` };
    bar.backgroundColor =
      status.health === "degraded" ? new ThemeColor("statusBarItem.errorBackground") : undefined;
    showFor(window.activeTextEditor);
  };
  const showStopped = (): void => {
    item.text = "Isolens has stopped";
    item.detail = "its language server ended; see the output";
    item.busy = false;
    item.severity = LanguageStatusSeverity.Error;
    item.command = { command: "isolens.restart", title: "Restart" };
  };
  const showFor = (editor: TextEditor | undefined): void => {
    // Without an active editor (the panel has the focus) the item is unchanged.
    if (!editor || bar.text === "") return;
    if (languages.match(DOCUMENTS, editor.document) > 0) bar.show();
    else bar.hide();
  };
  return Disposable.from(
    item,
    bar,
    server.onStatus(showStatus),
    server.onRunning((running) => {
      if (!running) showStopped();
    }),
    window.onDidChangeActiveTextEditor(showFor),
  );
}
