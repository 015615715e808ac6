// Exports the panel's content: figures as files, texts to the clipboard.
import { Uri, env, window, workspace } from "vscode";
import type { PanelExport } from "../../../server/src/protocol/requests";

/** Asks for the destination of a figure; copies a text to the clipboard and reports that. `name` is the default file name. */
export async function exportFigure({ format, content }: PanelExport, name: string): Promise<void> {
  if (format === "mermaid" || format === "markdown") {
    await env.clipboard.writeText(content);
    const what = format === "mermaid" ? "the diagram (Mermaid)" : "the text (Markdown)";
    window.setStatusBarMessage(`Isolens: ${what} is in the clipboard`, SHOWN);
    return;
  }
  const [folder] = workspace.workspaceFolders ?? [];
  const target = await window.showSaveDialog({
    ...(folder && { defaultUri: Uri.joinPath(folder.uri, `${name}.${format}`) }),
    filters: format === "svg" ? { "SVG images": ["svg"] } : { "PNG images": ["png"] },
    title: "Export figure",
  });
  if (!target) return;
  await workspace.fs.writeFile(target, Buffer.from(content, format === "png" ? "base64" : "utf8"));
  window.setStatusBarMessage(`Isolens: exported to ${target.fsPath}`, SHOWN);
}

const SHOWN = 8000;
