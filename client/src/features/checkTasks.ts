// Tasks that run `isolens check` on a folder; the problem matcher puts the findings into the Problems view.
import { ProcessExecution, Task, TaskGroup, tasks, workspace, Uri } from "vscode";
import type { Disposable, TaskDefinition, TaskScope, WorkspaceFolder } from "vscode";
import { checkArguments } from "./taskArguments";

const MATCHER = "$isolens";

export function registerCheckTasks(extension: Uri): Disposable {
  const script = Uri.joinPath(extension, "dist", "cli.js").fsPath;
  const taskOf = (definition: TaskDefinition, folder: WorkspaceFolder): Task => {
    const execution = new ProcessExecution(
      process.execPath,
      [script, ...checkArguments(definition)],
      { cwd: folder.uri.fsPath, env: { ELECTRON_RUN_AS_NODE: "1" } },
    );
    const task = new Task(definition, folder, "check", "Isolens", execution, [MATCHER]);
    task.group = TaskGroup.Test;
    return task;
  };
  return tasks.registerTaskProvider("isolens", {
    provideTasks: () =>
      (workspace.workspaceFolders ?? [])
        .filter(({ uri }) => uri.scheme === "file")
        .map((folder) => taskOf({ type: "isolens", command: "check" }, folder)),
    // A task of tasks.json defines the arguments, and its scope the folder.
    resolveTask: ({ definition, scope }) => {
      const folder = isFolder(scope) ? scope : workspace.workspaceFolders?.[0];
      return folder && definition["command"] === "check" ? taskOf(definition, folder) : undefined;
    },
  });
}

function isFolder(scope: WorkspaceFolder | TaskScope | undefined): scope is WorkspaceFolder {
  return typeof scope === "object";
}
