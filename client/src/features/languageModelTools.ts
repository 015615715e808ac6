// The tools of `isolens mcp` for assistants in the editor, if it supports tools (VS Code 1.95 and later). They read files of the workspace
// and write none.
import * as vscode from "vscode";
import type { CancellationToken, Uri } from "vscode";
import { callTool } from "./toolCall";
import { workspacePath } from "./workspacePath";

/** The prefix of the names in the manifest's `languageModelTools`. */
const PREFIX = "isolens_";
export const TOOL_NAMES = ["check", "show", "fix", "explain"] as const;

export function registerLanguageModelTools(extension: Uri): vscode.Disposable {
  const api = toolApi();
  if (!api) return vscode.Disposable.from();
  const script = vscode.Uri.joinPath(extension, "dist", "cli.js").fsPath;
  return vscode.Disposable.from(
    ...TOOL_NAMES.map((name) =>
      api.register(`${PREFIX}${name}`, async (input, token) => {
        const controller = new AbortController();
        const listening = token.onCancellationRequested(() => {
          controller.abort();
        });
        try {
          return await callTool(script, { name, given: withinWorkspace(input) }, controller.signal);
        } finally {
          listening.dispose();
        }
      }),
    ),
  );
}

/** The input with an absolute path, which must be in a folder of the workspace. */
function withinWorkspace(input: unknown): Readonly<Record<string, unknown>> {
  const given = typeof input === "object" && input !== null ? { ...input } : {};
  const asked: unknown = Reflect.get(given, "path");
  if (typeof asked !== "string") return given;
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const path = workspacePath(asked, folders);
  if (path === undefined) throw new Error(`${asked} is not in this workspace`);
  return { ...given, path };
}

interface ToolApi {
  register(
    name: string,
    invoke: (input: unknown, token: CancellationToken) => Promise<string>,
  ): vscode.Disposable;
}

/** The editor's tool interface; undefined in the oldest supported editors. */
function toolApi(): ToolApi | undefined {
  const lm: unknown = Reflect.get(vscode, "lm");
  const register: unknown =
    typeof lm === "object" && lm !== null ? Reflect.get(lm, "registerTool") : undefined;
  const Result: unknown = Reflect.get(vscode, "LanguageModelToolResult");
  const Part: unknown = Reflect.get(vscode, "LanguageModelTextPart");
  if (typeof register !== "function" || typeof Result !== "function" || typeof Part !== "function")
    return undefined;
  return {
    register: (name, invoke) => {
      const tool = {
        invoke: async ({ input }: { readonly input: unknown }, token: CancellationToken) => {
          const text = await invoke(input, token);
          const result: unknown = Reflect.construct(Result, [[Reflect.construct(Part, [text])]]);
          return result;
        },
      };
      const registered: unknown = Reflect.apply(register, lm, [name, tool]);
      return registered instanceof vscode.Disposable ? registered : vscode.Disposable.from();
    },
  };
}
