// A language server in this process over streams, with a checker that reads its findings from the text itself:
// "transaction NAME" begins a transaction, "anomaly KIND" in it is one on that line, "unknown REASON" and "note TEXT"
// are what they say.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import {
  StreamMessageReader,
  StreamMessageWriter,
  createConnection,
} from "vscode-languageserver/node";
import {
  ErrorCodes,
  ResponseError,
  createProtocolConnection,
  type ConfigurationParams,
  type Diagnostic,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import { indexLines } from "../../../server/src/frontend/sql/text/lines";
import { readSuppressions } from "../../../server/src/frontend/suppressions";
import { KINDS } from "../../../server/src/analysis/explain/kinds/kinds";
import type { Level } from "../../../server/src/isolation/levels";
import type { Checker, CheckOutcome } from "../../../server/src/lsp/checker";
import { startServer } from "../../../server/src/lsp/server";
import type { Note } from "../../../server/src/program/program";
import type { Allocation } from "../../../server/src/protocol/allocation";
import type { Fix, FixReport } from "../../../server/src/protocol/fixes";
import type {
  Anomaly,
  Assumption,
  LevelReport,
  ReportTransaction,
  Unknown,
} from "../../../server/src/protocol/report";
import type { Notifications, Requests } from "../../../server/src/protocol/requests";
import type { FileId, Range } from "../../../server/src/protocol/source";
import type { PlacedSuppression } from "../../../server/src/service/findings/suppressions";
import type { Project } from "../../../server/src/workspace/projects";

export interface Harness {
  readonly client: ProtocolConnection;
  readonly folder: string;
  uri(file: string): string;
  open(file: string, text: string): Promise<void>;
  /** Replaces a range of an open document. */
  edit(file: string, range: Range, text: string): Promise<void>;
  /** Sends the whole text of an open document. */
  replace(file: string, text: string): Promise<void>;
  /** Resolves when the diagnostics of a file fulfil the condition. */
  until(
    file: string,
    condition: (diagnostics: readonly Diagnostic[]) => boolean,
  ): Promise<readonly Diagnostic[]>;
  /** Resolves when the diagnostics of a file, as "line code", are these. */
  diagnostics(file: string, expected: readonly string[]): Promise<readonly Diagnostic[]>;
  request<Method extends keyof Requests>(
    method: Method,
    params: Requests[Method]["params"],
  ): Promise<Requests[Method]["result"]>;
  /** Resolves with the first status from now on, or the present one, that fulfils the condition. */
  status(
    condition: (status: Notifications["isolens/status"]) => boolean,
  ): Promise<Notifications["isolens/status"]>;
  readonly published: readonly PublishDiagnosticsParams[];
}

export interface HarnessOptions {
  readonly files: Readonly<Record<string, string>>;
  /** Called before each check answers; a check waits for its promise, or for its abort. */
  readonly before?: (
    project: Project,
    level: Level,
    first: readonly string[] | undefined,
  ) => Promise<void> | void;
  readonly settings?: unknown;
  /** Settings of folders, by the names that these have in the test's folder; each becomes one of the workspace. */
  readonly folders?: Readonly<Record<string, unknown>>;
  /** The client's name for itself; by default our own. */
  readonly initialization?: unknown;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Methods that the client does not have, whatever it says of itself. */
  readonly refuses?: readonly string[];
}

/** Runs a test on a server whose workspace is a new folder with these files. */
export async function withServer(
  options: HarnessOptions,
  body: (harness: Harness) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-lsp-"));
  for (const [name, text] of Object.entries(options.files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const up = new PassThrough();
  const down = new PassThrough();
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  startServer(server, "0.0.0", () => textChecker(options));
  const client = createProtocolConnection(
    new StreamMessageReader(down),
    new StreamMessageWriter(up),
  );
  try {
    const harness = drive(client, folder, options);
    client.listen();
    const result = await client.sendRequest("initialize", {
      processId: null,
      rootUri: null,
      workspaceFolders: Object.keys(options.folders ?? { "": {} }).map((name) => ({
        uri: pathToFileURL(path.join(folder, name)).href,
        name: name === "" ? "test" : name,
      })),
      initializationOptions: options.initialization ?? { commandLinks: true, showAnomaly: true },
      capabilities: {
        workspace: { configuration: true, workspaceFolders: true },
        textDocument: { publishDiagnostics: { relatedInformation: true } },
        ...options.capabilities,
      },
    });
    assert.ok(result);
    await client.sendNotification("initialized", {});
    await body(harness);
    await client.sendRequest("shutdown");
  } finally {
    client.dispose();
    server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function drive(client: ProtocolConnection, folder: string, options: HarnessOptions): Harness {
  const published: PublishDiagnosticsParams[] = [];
  const uri = (file: string): string => pathToFileURL(path.join(folder, file)).href;
  const latest = new Map<string, readonly Diagnostic[]>();
  const watchers = new Set<() => void>();
  let lastStatus: Notifications["isolens/status"] | undefined;
  const tell = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  client.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
    published.push(params);
    latest.set(params.uri, params.diagnostics);
    tell();
  });
  client.onNotification("isolens/status", (status: Notifications["isolens/status"]) => {
    lastStatus = status;
    tell();
  });
  client.onRequest("workspace/configuration", ({ items }: ConfigurationParams) =>
    items.map(({ scopeUri = "" }) => {
      const own = Object.entries(options.folders ?? {}).find(([name]) => scopeUri === uri(name));
      return own?.[1] ?? options.settings ?? {};
    }),
  );
  client.onRequest("client/registerCapability", () => null);
  client.onRequest("window/workDoneProgress/create", () => null);
  for (const method of options.refuses ?? [])
    client.onRequest(method, () => new ResponseError(ErrorCodes.MethodNotFound, method));
  const versions = new Map<string, number>();
  const until = <T>(get: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = (): void => {
        const value = get();
        if (value === undefined) return;
        watchers.delete(look);
        resolve(value);
      };
      watchers.add(look);
      look();
    });
  return {
    client,
    folder,
    uri,
    published,
    open: (file, text) => {
      versions.set(file, 1);
      return client.sendNotification("textDocument/didOpen", {
        textDocument: { uri: uri(file), languageId: "sql", version: 1, text },
      });
    },
    edit: (file, range, text) => {
      const version = (versions.get(file) ?? 1) + 1;
      versions.set(file, version);
      return client.sendNotification("textDocument/didChange", {
        textDocument: { uri: uri(file), version },
        contentChanges: [{ range, text }],
      });
    },
    replace: (file, text) => {
      const version = (versions.get(file) ?? 1) + 1;
      versions.set(file, version);
      return client.sendNotification("textDocument/didChange", {
        textDocument: { uri: uri(file), version },
        contentChanges: [{ text }],
      });
    },
    until: (file, condition) =>
      until(() => {
        const now = latest.get(uri(file)) ?? [];
        return condition(now) ? now : undefined;
      }),
    diagnostics: (file, expected) =>
      until(() => {
        const now = latest.get(uri(file)) ?? [];
        const told = now.map((each) => `${String(each.range.start.line)} ${String(each.code)}`);
        return JSON.stringify(told) === JSON.stringify(expected) ? now : undefined;
      }),
    request: (method, params) => client.sendRequest(method, params),
    status: (condition) =>
      until(() => (lastStatus && condition(lastStatus) ? lastStatus : undefined)),
  };
}

function textChecker(options: HarnessOptions): Checker {
  return {
    async check(project, level, signal, events, asked) {
      events.progress(0, 3, 2);
      const { suppressions: placed, report } = outcomeOf(project, level, false);
      events.read({ placed, transactions: report.transactions });
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          resolve();
        });
      });
      await Promise.race([options.before?.(project, level, asked?.first), aborted]);
      return outcomeOf(project, level, signal.aborted);
    },
    fixes: async (project, _level, anomaly, signal, found) => {
      const report = fixesOf(project, anomaly);
      report.fixes.forEach(found);
      // "slowly" anywhere in the project: the search ends only when it is stopped.
      if (!project.files.some(({ text }) => text.includes("slowly"))) return report;
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return { ...report, isPartial: true };
    },
    allocation: (project, level) => Promise.resolve(allocationOf(project, level)),
    dispose: () => Promise.resolve(),
  };
}

/** Transactions with an anomaly need SERIALIZABLE, the others READ COMMITTED. */
function allocationOf(project: Project, level: Level): Allocation {
  const among = ["postgres:read-committed", "postgres:serializable"];
  const { transactions, anomalies } = outcomeOf(project, level, false).report;
  const levels = transactions.map(({ name }): [string, string] => {
    const isRacing = anomalies.some((each) => each.transactions.includes(name));
    return [name, among[isRacing ? 1 : 0] ?? ""];
  });
  const base = { among, alternatives: [], isExhaustive: true, bound: 3, open: [] };
  return { ...base, levels: Object.fromEntries(levels) };
}

/** "fix TEXT" anywhere in the project: its line's end gets "-- fixed" for every anomaly. */
function fixesOf({ files }: Project, { id, cycle }: Anomaly): FixReport {
  const [end] = cycle.map(({ from }) => from);
  const title = files.map(({ text }) => /^fix (.*)$/mu.exec(text)?.[1]).find(Boolean);
  if (title === undefined || !end) {
    const advice = [{ kind: "row-lock" as const, reason: "nothing says how" }];
    return { anomaly: id, fixes: [], advice, isPartial: false };
  }
  const at = end.range.end;
  const fix: Fix = {
    kind: "row-lock",
    title,
    edits: [{ file: end.file, range: { start: at, end: at }, newText: " -- fixed" }],
    costs: [],
    now: "it waits",
    alsoRemoves: [],
    rests: { bound: 3 },
  };
  return { anomaly: id, fixes: [fix], advice: [], isPartial: false };
}

function outcomeOf(project: Project, level: Level, cancelled: boolean): CheckOutcome {
  const transactions: ReportTransaction[] = [];
  const anomalies: Anomaly[] = [];
  const unknown: Unknown[] = [];
  const assumptions: Assumption[] = [];
  const notes: Note[] = [];
  for (const { file, text } of project.files) {
    let current = "";
    const lines = text.split("\n");
    lines.forEach((content, line) => {
      const range = { start: { line, character: 0 }, end: { line, character: content.length } };
      const [word, ...rest] = content.trim().split(" ");
      const argument = rest.join(" ");
      if (word === "transaction") {
        current = argument;
        transactions.push({ name: current, file, range, precision: "exact" });
      } else if (current !== "" && content.trim() !== "") {
        const last = transactions.pop();
        if (last)
          transactions.push({ ...last, range: { start: last.range.start, end: range.end } });
      }
      if (word === "anomaly") anomalies.push(anomalyAt(argument, current, file, range, content));
      if (word === "assume")
        assumptions.push({ kind: "invariant", text: argument, transactions: [current] });
      if (word === "unknown")
        unknown.push({ reason: argument, transactions: [current], file, range });
      if (word === "note")
        notes.push({
          severity: "error",
          code: "syntax",
          message: argument,
          source: { file, range },
        });
    });
  }
  // At a strong level nothing goes wrong.
  const found = cancelled || level.name === "postgres:serializable" ? [] : anomalies;
  const report: LevelReport = {
    tool: "test",
    formatVersion: 1,
    level: level.name,
    levels: { default: level.name, perTransaction: {} },
    verdict: cancelled ? "cancelled" : found.length > 0 ? "anomaly" : "safe",
    rests: { bound: 3 },
    transactions,
    anomalies: found,
    unknown,
    assumptions,
    coverage: { statements: 0, exact: 0, over: 0, approx: 0, opaque: 0 },
    ...(project.configuration.prove && proofAt(project, transactions)),
  };
  const files = project.files.map(({ file }) => ({
    file,
    transactions: transactions.filter((each) => each.file === file).length,
    ...report.coverage,
    unreached: 0,
  }));
  const suppressions = suppressionsOf(project, transactions);
  return { report, notes, remarks: [], suppressions, files, standing: [] };
}

/** Comments in lines of their own; the next line is a transaction, or something in one. */
function suppressionsOf(
  { files }: Project,
  transactions: readonly ReportTransaction[],
): readonly PlacedSuppression[] {
  return files.flatMap(({ file, text }) => {
    const comments = [...text.matchAll(/--.*/gu)].map(({ 0: comment, index }) => ({
      start: index,
      end: index + comment.length,
    }));
    const { suppressions } = readSuppressions(indexLines(file, text), comments);
    return suppressions.map(({ about: at, ...rest }): PlacedSuppression => {
      if (at === "file") return { ...rest, about: { kind: "file", file } };
      const { line } = at;
      const begun = transactions.find(
        (each) => each.file === file && each.range.start.line === line,
      );
      if (begun) return { ...rest, about: { kind: "transactions", ids: [begun.name] } };
      const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
      return { ...rest, about: { kind: "statements", sources: [{ file, range }] } };
    });
  });
}

/** Proved at PostgreSQL SERIALIZABLE; in the way elsewhere is the first transaction. */
function proofAt(
  { files }: Project,
  transactions: readonly ReportTransaction[],
): Pick<LevelReport, "proof" | "sufficient"> {
  const names = transactions.map(({ name }) => name);
  const [first] = transactions;
  const file = files[0]?.file;
  const obstacles =
    first && file !== undefined
      ? [{ chain: [first.name], dependencies: [], reason: "in the way", file, range: first.range }]
      : [];
  return {
    proof: { status: "blocked", steps: [], obstacles, lemmas: [] },
    sufficient: [
      {
        transactions: names,
        level: "postgres:serializable",
        tried: [{ level: "postgres:serializable", status: "proved" }],
      },
    ],
  };
}

function anomalyAt(
  kind: string,
  transaction: string,
  file: FileId,
  range: Range,
  text: string,
): Anomaly {
  const end = { instance: "T1", file, range, text };
  const step = {
    ...end,
    effect: "reads account[1].balance = 100",
    because: "T2 has written nothing here yet",
    statement: 1,
    commits: false,
    reads: [],
    writes: [],
  };
  const outcome = { final: {}, status: {}, returned: {} };
  return {
    id: `${transaction}-${kind}`,
    kind,
    severity: "state",
    title: KINDS.find(({ name }) => name === kind)?.title ?? kind,
    harm: "amount",
    status: "confirmed",
    transactions: [transaction, transaction],
    tables: ["account"],
    cycle: [
      {
        dependency: "rw",
        from: end,
        to: { ...end, instance: "T2" },
        table: "account",
        columns: ["balance"],
      },
    ],
    witness: { instances: [], initial: {}, schedule: [], outcome },
    serial: [],
    steps: [step, { ...step, instance: "T2", because: "" }],
    message: `${kind} in ${transaction}`,
    preventedBy: ["postgres:serializable"],
    allowedAt: [],
  };
}
