// `Isolens: Reproduce on a Database`: the command line replays an anomaly on a real server; the panel shows the result. It runs in a
// separate process, isolated from the language server.
import { spawn } from "node:child_process";
import path from "node:path";
import { Disposable, ProgressLocation, Uri, commands, window, workspace } from "vscode";
import type { CancellationToken, OutputChannel } from "vscode";
import type { AnomalyPayload, PanelReplay } from "../../../server/src/protocol/requests";
import type { Panel } from "./panel";
import type { ServerClient } from "./serverClient";
import { chooseAnomaly, idsOf } from "./showAnomaly";
import { hasTrust } from "./trust";

const SHOWN = 10_000;

/** The command line's exit codes in words, for the status bar. */
const WORDS: Readonly<Record<number, string>> = {
  0: "it was not reproduced",
  1: "it happened on the server",
  2: "it could not be tried, or not with all that the program does",
};

export function registerReproduce(server: ServerClient, panel: Panel, extension: Uri): Disposable {
  const output = window.createOutputChannel("Isolens Replay");

  async function reproduce(argument: unknown): Promise<void> {
    if (!hasTrust("a replay")) return;
    const asked = idsOf(argument) ?? panel.current();
    const choice = { title: "Reproduce on a database", ids: asked };
    const id = await chooseAnomaly(server, choice);
    const payload = id === undefined ? null : await server.request("isolens/anomaly", { id });
    if (!payload) return;
    const folder = folderOf(payload);
    if (folder === undefined) return;
    if (warnUnsaved(payload)) return;
    const { anomaly, level } = payload;
    const script = Uri.joinPath(extension, "dist", "cli.js").fsPath;
    const args = [
      ...[script, "replay", folder, "--anomaly", anomaly.id, "--level", level.name],
      ...["--format", "json"],
    ];
    const options = { location: ProgressLocation.Notification, cancellable: true };
    const title = `Reproducing ${payload.title.toLowerCase()} on a database`;
    output.clear();
    await panel.open(anomaly.id, "serial");
    panel.replayed({ id: anomaly.id, server: "", verdict: "running" });
    const { code, text } = await window.withProgress({ ...options, title }, (_, token) =>
      run(args, output, token),
    );
    panel.replayed(replayOf(anomaly.id, text));
    output.appendLine(text);
    const words = WORDS[code ?? -1];
    window.setStatusBarMessage(`Isolens: ${words ?? "the replay failed, see the output"}`, SHOWN);
    if (words === undefined) output.show(true);
  }

  return Disposable.from(output, commands.registerCommand("isolens.reproduce", reproduce));
}

/** True if files of the anomaly are unsaved, which is reported: other processes read the disk. */
export function warnUnsaved({ uris }: AnomalyPayload): boolean {
  const unsaved = Object.values(uris).some((uri) =>
    workspace.textDocuments.some((each) => each.isDirty && each.uri.toString() === uri),
  );
  if (unsaved)
    window.setStatusBarMessage("Isolens: save the files first; they are read from the disk", SHOWN);
  return unsaved;
}

/** The folder in which the anomaly was found; undefined if its files are not on disk. */
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

const VERDICTS = [
  "reproduced",
  "reproduced in part",
  "followed",
  "not reproduced",
  "not replayed",
] as const;

/** The command line's report for the panel; other output becomes the reason. */
function replayOf(id: string, text: string): PanelReplay {
  const report = parsed(text);
  const field = (name: string): unknown =>
    typeof report === "object" && report !== null ? Reflect.get(report, name) : undefined;
  const verdict = VERDICTS.find((each) => each === field("verdict"));
  const [server, outcome, leftOut] = [field("server"), field("outcome"), field("leftOut")];
  const left = Array.isArray(leftOut) ? leftOut.map(String).join("; ") : undefined;
  const reason = field("reason") ?? left;
  if (verdict === undefined || typeof server !== "string") {
    return { id, server: "", verdict: "not replayed", reason: "see the output Isolens Replay" };
  }
  const tables: unknown =
    typeof outcome === "object" && outcome !== null ? Reflect.get(outcome, "tables") : undefined;
  const rows = Object.entries(typeof tables === "object" && tables !== null ? tables : {}).flatMap(
    ([table, own]: [string, unknown]) =>
      Array.isArray(own) ? [[table, own.map(String)] as const] : [],
  );
  return {
    ...{ id, server, verdict },
    ...(typeof reason === "string" && { reason }),
    ...(rows.length > 0 && { rows: Object.fromEntries(rows) }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that it is no report.
    return undefined;
  }
}

interface Ended {
  /** Null if it was stopped or could not be started. */
  readonly code: number | null;
  /** Its standard output. */
  readonly text: string;
}

/** Runs the command line; its progress messages go to the output channel. */
function run(
  args: readonly string[],
  output: OutputChannel,
  token: CancellationToken,
): Promise<Ended> {
  const address = workspace.getConfiguration("isolens").get<string>("replay.server", "");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      // The address may contain a password, which process lists would show among the arguments.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", ISOLENS_SERVER: address, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stop = token.onCancellationRequested(() => child.kill("SIGINT"));
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      output.append(part);
    });
    child.once("error", (error) => {
      output.appendLine(`The replay could not be started: ${error.message}`);
      stop.dispose();
      resolve({ code: null, text });
    });
    child.once("close", (code) => {
      stop.dispose();
      resolve({ code, text });
    });
  });
}
