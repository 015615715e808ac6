// `Isolens: Report an Issue...`: writes diagnostic information into a new document. Nothing is sent.
import os from "node:os";
import { Disposable, commands, extensions, version, window, workspace } from "vscode";
import type { ServerStatus } from "../../../server/src/protocol/requests";
import { issueReport } from "./issueReport";
import type { ServerClient } from "./serverClient";

export function registerReportIssue(server: ServerClient): Disposable {
  let status: ServerStatus | undefined;
  return Disposable.from(
    server.onStatus((now) => {
      status = now;
    }),
    commands.registerCommand("isolens.reportIssue", async () => {
      const document = window.activeTextEditor?.document;
      const picked = await window.showQuickPick(
        [
          { label: "Without source", detail: "Versions, settings and counts", isWith: false },
          ...(document
            ? [{ label: "With the text of this file", detail: document.fileName, isWith: true }]
            : []),
        ],
        { title: "Report an issue", placeHolder: "What may stand in the report? Nothing is sent." },
      );
      if (!picked) return;
      const source =
        picked.isWith && document
          ? { language: document.languageId, text: document.getText() }
          : undefined;
      const manifest: unknown = extensions.getExtension("isolens.isolens")?.packageJSON;
      const content = issueReport({
        levels: levelsOf(manifest),
        versions: {
          Isolens: versionOf(manifest),
          Editor: version,
          Node: process.version,
          System: `${process.platform} ${process.arch} ${os.release()}`,
        },
        settings: { ...workspace.getConfiguration("isolens") },
        status,
        summaries: await summariesOf(server),
        ...(source && { source }),
      });
      const report = await workspace.openTextDocument({ language: "markdown", content });
      await window.showTextDocument(report);
    }),
  );
}

async function summariesOf(
  server: ServerClient,
): Promise<Parameters<typeof issueReport>[0]["summaries"]> {
  try {
    return await server.request("isolens/summaries", {});
  } catch (error) {
    // The report must work without the server, too.
    server.log.warn(`summaries: ${String(error)}`);
    return [];
  }
}

function versionOf(manifest: unknown): string {
  const own = field(manifest, "version");
  return typeof own === "string" ? own : "unknown";
}

/** The levels of the setting's enumeration. */
function levelsOf(manifest: unknown): readonly string[] {
  const pages = field(field(manifest, "contributes"), "configuration");
  const offered = listOf(pages).flatMap((page) =>
    listOf(field(field(field(page, "properties"), "isolens.level"), "enum")),
  );
  return offered.filter((each) => typeof each === "string");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
