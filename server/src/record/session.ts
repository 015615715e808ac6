// One recording: the proxy in front of the server, the command that is run against it, and the statements that it sent.
import { spawn } from "node:child_process";
import { fileErrorText } from "../workspace/textFile";
import type { StatementEvent } from "./events";
import type { Environment, RecordedServer } from "./environment";
import type { AnswerChanges } from "./perturbation/answerChanges";
import { startProxy, type RunningProxy } from "./proxy/proxy";
import { openRecording, type RecordingFile } from "./recording";
import { createRetention } from "./retention";
import { recordedStatement, type Glossary, type RecordedStatement } from "./statements";

export interface RecordingOptions {
  readonly server: RecordedServer;
  /** 0: a free one. */
  readonly port: number;
  /** Where the statements are written as they come. */
  readonly recording: RecordingFile;
  readonly remark: (text: string) => void;
}

export interface OpenRecording {
  readonly port: number;
  /** Statements that are kept to be learnt from. */
  statements(): readonly RecordedStatement[];
  /** How many there were. */
  count(): number;
  readonly glossary: Glossary;
  connections(): number;
  /** From now on, answers to connections that begin are changed so. */
  change(changes: AnswerChanges): void;
  close(): Promise<void>;
}

/** Starts to listen and to record. Rejects with the system's error where the port or the file cannot be had. */
export async function openSession({
  server,
  port,
  recording,
  remark,
}: RecordingOptions): Promise<OpenRecording> {
  const retention = createRetention();
  const glossary: Glossary = new Map();
  const said = new Set<string>();
  const once = (text: string): void => {
    if (!said.has(text)) remark(text);
    said.add(text);
  };
  let isWriting = true;
  const writer = openRecording(recording, server.protocol, (error) => {
    // The application goes on, and what was learnt so far is kept in memory.
    isWriting = false;
    once(`${recording.file}: not written any more: ${fileErrorText(error)}`);
  });
  let changes: AnswerChanges | undefined;
  const emit = (event: StatementEvent): void => {
    const own = recordedStatement(event, server.protocol, glossary);
    const statement = changes?.completed(own) ?? own;
    retention.add(statement);
    if (isWriting) writer.add(statement);
  };
  let proxy: RunningProxy;
  try {
    proxy = await startProxy({
      upstream: server,
      port,
      emit,
      remark: once,
      changes: () => changes,
    });
  } catch (error) {
    writer.close();
    throw error;
  }
  return {
    port: proxy.port,
    statements: () => retention.statements(),
    count: () => retention.count,
    glossary,
    connections: () => proxy.connections(),
    change(next) {
      changes = next;
    },
    async close() {
      await proxy.close();
      writer.close();
      if (retention.passedOver > 0)
        remark(
          `${String(retention.passedOver)} statements of runs that did what many had done before are not learnt from`,
        );
    },
  };
}

export type CommandEnd =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "notStarted"; readonly reason: string };

/** Milliseconds in which a command that was asked to stop comes to an end. */
const GRACE = 10_000;

/**
 * Runs a command to its end on this process' own input and output, or without any where `isSilent`; an abort asks it to
 * stop, and ends a silent one that does not, with all that it has started.
 */
export function runCommand(
  command: readonly string[],
  {
    cwd,
    env,
    signal,
    isSilent = false,
  }: {
    readonly cwd: string;
    readonly env: Environment;
    readonly signal: AbortSignal;
    readonly isSilent?: boolean;
  },
): Promise<CommandEnd> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    // Processes that npm and its like start are reached as a group alone.
    const isGroup = isSilent && process.platform !== "win32";
    const child = spawn(program, args, {
      cwd,
      env: { ...env },
      stdio: isSilent ? "ignore" : "inherit",
      detached: isGroup,
    });
    let grace: NodeJS.Timeout | undefined;
    const kill = (by: NodeJS.Signals): void => {
      if (isGroup && child.pid !== undefined) killGroup(child.pid, by);
      else child.kill(by);
    };
    const stop = (): void => {
      kill("SIGINT");
      if (isSilent)
        grace = setTimeout(() => {
          kill("SIGKILL");
        }, GRACE);
    };
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", (error) => {
      signal.removeEventListener("abort", stop);
      resolve({ kind: "notStarted", reason: error.message });
    });
    child.once("close", (code, by) => {
      clearTimeout(grace);
      if (isGroup && signal.aborted) kill("SIGKILL");
      signal.removeEventListener("abort", stop);
      resolve(code === null ? { kind: "signal", signal: by ?? "unknown" } : { kind: "code", code });
    });
  });
}

function killGroup(group: number, by: NodeJS.Signals): void {
  try {
    process.kill(-group, by);
  } catch {
    // All of it has ended.
  }
}
