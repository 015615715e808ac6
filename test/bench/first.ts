// `npm run bench:first -- FOLDER...`: how long after its start the built server shows the first finding of a file, where
// nobody has it open and where somebody does. Each figure is of a server of its own; files are drawn from those in which
// something is found. What the clock says is compared within one run alone.
//
//   npm run bench:first -- FOLDER... [--files N | --file NAME...]
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import {
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import type { ServerStatus } from "../../server/src/protocol/requests";
import { median } from "./statistics";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: "string", default: "3" },
    file: { type: "string", multiple: true, default: [] },
  },
});

interface Moment {
  /** Milliseconds from the start of the server. */
  readonly clock: number;
  /** Milliseconds of processor time that the server took until then, whatever else ran. */
  readonly processor: number;
}

interface Times {
  /** When something was first found in a file, by its URI. */
  readonly found: ReadonlyMap<string, Moment>;
  readonly whole: Moment;
}

async function main(): Promise<void> {
  for (const folder of positionals) {
    const usual = await measure(folder, undefined);
    const named = options.file.map((file) => uriOf(path.resolve(folder, file)));
    const files = named.length > 0 ? named : spread([...usual.found.keys()], Number(options.files));
    print(
      `${folder}: checked in ${seconds(usual.whole)}, found something in ${String(usual.found.size)} files`,
    );
    const ratios: number[] = [];
    for (const file of files) {
      const open = await measure(folder, file);
      const [without, opened] = [usual.found.get(file), open.found.get(file)];
      if (without !== undefined && opened !== undefined) ratios.push(opened.clock / without.clock);
      print(
        `  ${path.relative(folder, fileURLToPath(file))}: first finding after ${seconds(opened)}, not open ${seconds(without)}; whole check ${seconds(open.whole)}`,
      );
    }
    if (ratios.length > 0)
      print(`  an open file takes ${median(ratios).toFixed(2)} of the time (median)`);
  }
}

/** Runs one server until its check has ended; with a file open, if there is one. */
async function measure(folder: string, file: string | undefined): Promise<Times> {
  const script = path.join(__dirname, "..", "..", "dist", "server.js");
  const child = spawn(process.execPath, [script, "--stdio"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const client = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const found = new Map<string, Moment>();
  const started = performance.now();
  const now = (): Moment => ({
    clock: performance.now() - started,
    processor: processorTime(child.pid),
  });
  const note = (uri: string): void => {
    if (!found.has(uri)) found.set(uri, now());
  };
  client.onNotification(
    "textDocument/publishDiagnostics",
    ({ uri, diagnostics }: PublishDiagnosticsParams) => {
      for (const { relatedInformation } of diagnostics) {
        if (!relatedInformation) continue;
        note(uri);
        for (const { location } of relatedInformation) note(location.uri);
      }
    },
  );
  client.onRequest("workspace/configuration", () => [{ scope: "workspace" }]);
  client.onRequest("client/registerCapability", () => null);
  const ended = new Promise<void>((resolve) => {
    let isBusy = false;
    client.onNotification("isolens/status", ({ health }: ServerStatus) => {
      if (isBusy && health !== "busy") resolve();
      isBusy = health === "busy";
    });
  });
  client.listen();
  try {
    await client.sendRequest("initialize", {
      processId: process.pid,
      rootUri: uriOf(folder),
      workspaceFolders: [{ uri: uriOf(folder), name: path.basename(folder) }],
      capabilities: {
        workspace: { configuration: true, workspaceFolders: true },
        textDocument: { publishDiagnostics: { relatedInformation: true } },
      },
    });
    await client.sendNotification("initialized", {});
    if (file !== undefined) {
      const text = readFileSync(fileURLToPath(file), "utf8");
      const languageId = file.endsWith(".sql") ? "sql" : "typescript";
      const textDocument = { uri: file, languageId, version: 1, text };
      await client.sendNotification("textDocument/didOpen", { textDocument });
    }
    await ended;
    return { found, whole: now() };
  } finally {
    client.dispose();
    child.kill();
  }
}

/** So many of a list, from its beginning to its end. */
function spread(all: readonly string[], count: number): readonly string[] {
  const step = Math.max(1, (all.length - 1) / Math.max(1, count - 1));
  return all
    .filter((_, at) => Math.floor(at % step) === 0 || at === all.length - 1)
    .slice(0, count);
}

function uriOf(file: string): string {
  return pathToFileURL(file).href;
}

/** "2.1 s (1.7 s of processor time)" */
function seconds(moment: Moment | undefined): string {
  if (moment === undefined) return "-";
  const [clock, processor] = [moment.clock, moment.processor].map((time) => time / 1000);
  return `${clock?.toFixed(1) ?? ""} s (${processor?.toFixed(1) ?? ""} s of processor time)`;
}

/** Milliseconds of user and system time of a process with all its threads; Linux counts them in hundredths of a second. */
function processorTime(pid: number | undefined): number {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function print(line: string): void {
  console.log(line);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
