// `Isolens: Open Example Program...`: opens an example program as a new document.
import { commands, window, workspace } from "vscode";
import type { Disposable } from "vscode";
import { EXAMPLE_PROGRAMS } from "./examplePrograms";

export function registerOpenExample(): Disposable {
  return commands.registerCommand("isolens.openExample", async () => {
    const items = EXAMPLE_PROGRAMS.map(({ title, about, text }) => ({
      label: title,
      detail: about,
      text,
    }));
    const picked = await window.showQuickPick(items, {
      title: "Open example program",
      placeHolder: "What goes wrong between its transactions?",
      matchOnDetail: true,
    });
    if (!picked) return;
    const document = await workspace.openTextDocument({ language: "sql", content: picked.text });
    await window.showTextDocument(document);
  });
}
