// `Isolens: Reproduce on a Database`: lets the command line replay an anomaly on a real server, and shows what it said. A
// process of its own does it, so that nothing of it can disturb the language server.
import { spawn } from "node:child_process";
import path from "node:path";
import { Disposable, ProgressLocation, Uri, commands, window, workspace } from "vscode";
import type { CancellationToken, OutputChannel } from "vscode";
import type { AnomalyPayload } from "../../../server/src/protocol/requests";
import type { ServerClient } from "./serverClient";
import { chooseAnomaly, idsOf } from "./showAnomaly";
import { hasTrust } from "./trust";

const SHOWN = 10_000;

/** What the command line's exit codes mean for the status bar. */
const WORDS: Readonly<Record<number, string>> = {
  0: "it was not reproduced",
  1: "it happened on the server",
  2: "it could not be tried",
};

export function registerReproduce(server: ServerClient, extension: Uri): Disposable {
  const output = window.createOutputChannel("Isolens Replay");

  async function reproduce(argument: unknown): Promise<void> {
    if (!hasTrust("a replay")) return;
    const id = await chooseAnomaly(server, idsOf(argument));
    const payload = id === undefined ? null : await server.request("isolens/anomaly", { id });
    if (!payload) return;
    const folder = folderOf(payload);
    if (folder === undefined) return;
    if (saysUnsaved(payload)) return;
    const { anomaly, level } = payload;
    const script = Uri.joinPath(extension, "dist", "cli.js").fsPath;
    const args = [script, "replay", folder, "--anomaly", anomaly.id, "--level", level.name];
    const options = { location: ProgressLocation.Notification, cancellable: true };
    const title = `Reproducing ${payload.title.toLowerCase()} on a database`;
    output.clear();
    const code = await window.withProgress({ ...options, title }, (_, token) =>
      run(args, output, token),
    );
    output.show(true);
    const words = WORDS[code ?? -1] ?? "the replay failed, see the output";
    window.setStatusBarMessage(`Isolens: ${words}`, SHOWN);
  }

  return Disposable.from(output, commands.registerCommand("isolens.reproduce", reproduce));
}

/** Whether files of the anomaly are not saved, which is then said: other processes read what is on disk. */
export function saysUnsaved({ uris }: AnomalyPayload): boolean {
  const unsaved = Object.values(uris).some((uri) =>
    workspace.textDocuments.some((each) => each.isDirty && each.uri.toString() === uri),
  );
  if (unsaved)
    window.setStatusBarMessage("Isolens: save the files first; they are read from the disk", SHOWN);
  return unsaved;
}

/** The folder in which the anomaly was found; undefined where its files are on no disk. */
export function folderOf({ uris }: AnomalyPayload): string | undefined {
  const [first] = Object.values(uris);
  if (first === undefined) return undefined;
  const uri = Uri.parse(first);
  if (uri.scheme !== "file") {
    window.setStatusBarMessage("Isolens: this needs files on this machine", SHOWN);
    return undefined;
  }
  return workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
}

/** Runs the command line to its end; its exit code, null where it was stopped or could not be started. */
function run(
  args: readonly string[],
  output: OutputChannel,
  token: CancellationToken,
): Promise<number | null> {
  const address = workspace.getConfiguration("isolens").get<string>("replay.server", "");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      // The address may hold a password, which others could read among the arguments.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", ISOLENS_SERVER: address, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stop = token.onCancellationRequested(() => child.kill("SIGINT"));
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output.append(text);
      });
    child.once("error", (error) => {
      output.appendLine(`The replay could not be started: ${error.message}`);
      stop.dispose();
      resolve(null);
    });
    child.once("close", (code) => {
      stop.dispose();
      resolve(code);
    });
  });
}
