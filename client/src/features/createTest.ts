// `Isolens: Create Test from Anomaly` and `Isolens: Copy as Two-Session Script`: the command line generates them from the files on disk, in
// a separate process.
import { spawn } from "node:child_process";
import { Disposable, Uri, commands, env, window } from "vscode";
import type { QuickPickItem } from "vscode";
import type { AnomalyPayload } from "../../../server/src/protocol/requests";
import type { Panel } from "./panel";
import { folderOf, warnUnsaved } from "./reproduce";
import type { ServerClient } from "./serverClient";
import { chooseAnomaly, idsOf } from "./showAnomaly";
import { hasTrust } from "./trust";

const SHOWN = 10_000;

interface Language extends QuickPickItem {
  readonly name: "ts" | "java" | "python" | "sql";
  readonly fileOf: (words: readonly string[]) => string;
}

const LANGUAGES: readonly Language[] = [
  {
    label: "TypeScript",
    description: "node:test and pg",
    name: "ts",
    fileOf: (words) => `${words.join("-")}.test.ts`,
  },
  {
    label: "Python",
    description: "pytest and psycopg",
    name: "python",
    fileOf: (words) => `test_${words.join("_")}.py`,
  },
  {
    label: "Java",
    description: "JUnit 5 and JDBC",
    name: "java",
    fileOf: (words) =>
      `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Test.java`,
  },
  {
    label: "SQL",
    description: "a script of the sessions, for people",
    name: "sql",
    fileOf: (words) => `${words.join("-")}.sql`,
  },
];

export function registerCreateTest(server: ServerClient, panel: Panel, extension: Uri): Disposable {
  const script = Uri.joinPath(extension, "dist", "cli.js").fsPath;

  /** The command line's arguments for the chosen anomaly; undefined if there is none, which is reported. */
  async function chosen(
    title: string,
    argument: unknown,
  ): Promise<
    | {
        readonly payload: AnomalyPayload;
        readonly folder: string;
        readonly args: readonly string[];
      }
    | undefined
  > {
    const id = await chooseAnomaly(server, { title, ids: idsOf(argument) ?? panel.current() });
    const payload = id === undefined ? null : await server.request("isolens/anomaly", { id });
    const folder = payload ? folderOf(payload) : undefined;
    if (!payload || folder === undefined || warnUnsaved(payload)) return undefined;
    const { anomaly, level } = payload;
    const args = [script, "testgen", folder, "--anomaly", anomaly.id, "--level", level.name];
    return { payload, folder, args };
  }

  async function createTest(argument: unknown): Promise<void> {
    if (!hasTrust("writing a test")) return;
    const found = await chosen("Create test from anomaly", argument);
    if (!found) return;
    const { payload, folder, args } = found;
    const language = await window.showQuickPick(LANGUAGES, { title: "Create test in" });
    if (!language) return;
    const { kind, transactions } = payload.anomaly;
    const words = [kind, ...new Set(transactions)].join(" ").match(/[A-Za-z0-9]+/g) ?? ["anomaly"];
    const target = await window.showSaveDialog({
      defaultUri: Uri.joinPath(Uri.file(folder), language.fileOf(words)),
      title: "Create test",
    });
    if (!target) return;
    const { code, error } = await run([...args, "--lang", language.name, "--out", target.fsPath]);
    if (code === 0) await window.showTextDocument(target);
    else fail(error);
  }

  async function copyScript(argument: unknown): Promise<void> {
    const found = await chosen("Copy as two-session script", argument);
    if (!found) return;
    const { code, out, error } = await run([...found.args, "--lang", "sql"]);
    if (code !== 0) {
      fail(error);
      return;
    }
    await env.clipboard.writeText(out);
    window.setStatusBarMessage("Isolens: the script is in the clipboard", SHOWN);
  }

  function fail(error: string): void {
    server.log.error(error);
    const [line = ""] = error.split("\n");
    window.setStatusBarMessage(line.replace(/^isolens: /, "Isolens: "), SHOWN);
  }

  return Disposable.from(
    commands.registerCommand("isolens.createTest", createTest),
    commands.registerCommand("isolens.copyScript", copyScript),
  );
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the command line to its end. */
function run(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let error = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
    child.once("error", ({ message }) => {
      resolve({ code: null, out, error: `the command line could not be started: ${message}` });
    });
    child.once("close", (code) => {
      resolve({ code, out, error });
    });
  });
}
