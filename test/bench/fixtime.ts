// `npm run bench:fixtime -- [EXAMPLE...]`: how long after the lightbulb was asked the first verified fix of a finding is
// there, for every finding of the example programs. The search of one finding is stopped before the next is asked. On a busy
// machine the processor's time is what an idle one would take, at most.
import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  CodeActionTriggerKind,
  type CodeAction,
  type CodeActionParams,
  type Diagnostic,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import type { ServerStatus } from "../../server/src/protocol/requests";
import { root, withServerProcess, type ClientOptions } from "../lsp/client";
import { median } from "./statistics";

/** Milliseconds that a fix is waited for. */
const LIMIT = 60_000;
/** Milliseconds between two questions. */
const RHYTHM = 20;

/** The server's answer for one diagnostic. */
interface Answer {
  readonly end: "fix" | "none" | "late";
  readonly milliseconds: number;
  /** Milliseconds that the server used of all cores. */
  readonly used: number;
  /** True for the first finding that a server was asked of. */
  readonly isFirst: boolean;
}

const CLIENT: ClientOptions = {
  capabilities: {
    workspace: {
      configuration: true,
      workspaceEdit: { documentChanges: true, resourceOperations: ["create"] },
    },
    textDocument: {
      publishDiagnostics: { relatedInformation: true },
      codeAction: { disabledSupport: true },
    },
  },
  answers: {
    "workspace/configuration": () => [{ scope: "workspace" }],
    "client/registerCapability": () => null,
  },
};

async function main(asked: readonly string[]): Promise<void> {
  const examples = asked.length > 0 ? asked : readdirSync(path.join(root, "test", "apps")).sort();
  const answers: Answer[] = [];
  for (const example of examples) {
    const own: Answer[] = [];
    await withServerProcess(
      "stdio",
      example,
      async ({ client, pid }) => {
        for (const [uri, diagnostic] of await findingsOf(client)) {
          const answer = await askUntilFix(client, pid ?? 0, [uri, diagnostic]);
          own.push({ ...answer, isFirst: own.length === 0 });
          await client.sendRequest("isolens/cancel");
        }
      },
      {},
      CLIENT,
    );
    console.log(`${example.padEnd(20)} ${figures(own)}`);
    answers.push(...own);
  }
  console.log(`\nall findings         ${figures(answers)}`);
  console.log(`first of a server    ${figures(answers.filter(({ isFirst }) => isFirst))}`);
  console.log(`load ${os.loadavg()[0]?.toFixed(1) ?? "?"}`);
}

/** The findings of the whole folder, once it is checked. */
async function findingsOf(
  client: ProtocolConnection,
): Promise<readonly (readonly [uri: string, diagnostic: Diagnostic])[]> {
  const latest = new Map<string, readonly Diagnostic[]>();
  let isBusy = false;
  await new Promise<void>((resolve) => {
    client.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
      latest.set(params.uri, params.diagnostics);
    });
    client.onNotification("isolens/status", ({ health }: ServerStatus) => {
      if (isBusy && health !== "busy") resolve();
      isBusy = health === "busy";
    });
  });
  return [...latest].flatMap(([uri, diagnostics]) =>
    diagnostics
      .filter(({ relatedInformation }) => relatedInformation !== undefined)
      .map((each) => [uri, each] as const),
  );
}

async function askUntilFix(
  client: ProtocolConnection,
  pid: number,
  [uri, diagnostic]: readonly [string, Diagnostic],
): Promise<Omit<Answer, "isFirst">> {
  const { range } = diagnostic;
  const context = { diagnostics: [diagnostic], triggerKind: CodeActionTriggerKind.Invoked };
  const params: CodeActionParams = { textDocument: { uri }, range, context };
  const started = performance.now();
  const usedBefore = processorTime(pid);
  for (;;) {
    const actions: readonly CodeAction[] = await client.sendRequest(
      "textDocument/codeAction",
      params,
    );
    const milliseconds = performance.now() - started;
    const used = processorTime(pid) - usedBefore;
    if (actions.some(({ isPreferred }) => isPreferred)) return { end: "fix", milliseconds, used };
    if (actions.some(({ disabled }) => disabled)) return { end: "none", milliseconds, used };
    if (milliseconds > LIMIT) return { end: "late", milliseconds, used };
    await pause(RHYTHM);
  }
}

/** Milliseconds that a process has used of all cores, by Linux's count in hundredths of a second. */
function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  // The second field is the name in parentheses, with spaces of its own.
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13).map(Number); // prettier-ignore
  return (user + system) * 10;
}

function figures(answers: readonly Answer[]): string {
  const fixed = answers.filter(({ end }) => end === "fix");
  const of = (which: "milliseconds" | "used"): string => {
    const sorted = fixed.map((each) => each[which]).sort((a, b) => a - b);
    const late = sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 0;
    const within = sorted.filter((each) => each <= 1000).length;
    return `${median(sorted).toFixed(0)} ms (median), ${late.toFixed(0)} ms (p90), ${String(within)} of ${String(sorted.length)} within 1 s`;
  };
  const count = (end: Answer["end"]): string =>
    String(answers.filter((each) => each.end === end).length);
  return `first fix after ${of("milliseconds")}; of the processor ${of("used")}; without a fix ${count("none")}, none in ${String(LIMIT / 1000)} s ${count("late")}`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
