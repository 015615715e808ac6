// `Isolens: Record a Test Run...`: the command line records the user's test command as a task, in a visible terminal; the learnt
// transactions are written into the workspace, where the server finds them.
import {
  Disposable,
  ProcessExecution,
  ProgressLocation,
  Task,
  commands,
  tasks,
  window,
  workspace,
} from "vscode";
import { Uri, type Memento, type TaskExecution, type WorkspaceFolder } from "vscode";
import type { ServerClient } from "./serverClient";
import { hasTrust } from "./trust";

const SHOWN = 10_000;
const LAST = "isolens.recordedCommand";

export function registerRecordRun(
  server: ServerClient,
  { extension, memory }: { readonly extension: Uri; readonly memory: Memento },
): Disposable {
  const script = Uri.joinPath(extension, "dist", "cli.js").fsPath;

  async function record(): Promise<void> {
    if (!hasTrust("recording a test run")) return;
    const folder = await chosenFolder();
    if (!folder) return;
    const command = await window.showInputBox({
      title: "Record a test run",
      prompt:
        "The command that runs your tests; the database is the one that its environment names",
      placeHolder: "python manage.py test",
      value: memory.get<string>(LAST, ""),
    });
    if (command === undefined || command.trim() === "") return;
    await memory.update(LAST, command);
    const code = await ended(await tasks.executeTask(taskOf(folder, command)));
    if (code === undefined) return;
    const told = code === 0 || code === 1 || code === 2;
    window.setStatusBarMessage(
      told
        ? "Isolens: recorded; the transactions are in isolens/recorded"
        : "Isolens: nothing was recorded; the terminal says why",
      SHOWN,
    );
    if (told) await server.start();
  }

  function taskOf(folder: WorkspaceFolder, command: string): Task {
    const shell = process.platform === "win32" ? ["cmd", "/d", "/c"] : ["/bin/sh", "-c"];
    const execution = new ProcessExecution(
      process.execPath,
      [script, "record", "--", ...shell, command],
      { cwd: folder.uri.fsPath, env: { ELECTRON_RUN_AS_NODE: "1" } },
    );
    return new Task({ type: "isolens" }, folder, "record a test run", "Isolens", execution, []);
  }

  return commands.registerCommand("isolens.recordRun", record);
}

async function chosenFolder(): Promise<WorkspaceFolder | undefined> {
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  if (folders.length > 1) return window.showWorkspaceFolderPick();
  if (folders.length === 0)
    window.setStatusBarMessage("Isolens: recording needs a folder on this machine", SHOWN);
  return folders[0];
}

/** The exit code of a task, with a cancellable progress; undefined if the task was closed. */
async function ended(execution: TaskExecution): Promise<number | undefined> {
  return window.withProgress(
    { location: ProgressLocation.Notification, title: "Isolens: recording", cancellable: true },
    (_, token) =>
      new Promise((resolve) => {
        const watching = Disposable.from(
          token.onCancellationRequested(() => {
            execution.terminate();
          }),
          tasks.onDidEndTaskProcess((each) => {
            if (each.execution !== execution) return;
            watching.dispose();
            resolve(each.exitCode);
          }),
        );
      }),
  );
}
