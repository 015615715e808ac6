// One recording: the proxy in front of the server, the command that is run against it, and the statements that it sent.
import { spawn } from "node:child_process";
import path from "node:path";
import type { Environment, RecordedServer } from "./environment";
import { NOTHING, openIntake, type Intake, type IntakeState } from "./intake";
import type { AnswerChanges } from "./perturbation/answerChanges";
import { checkWritable } from "./privateFile";
import { startProxy, type RunningProxy } from "./proxy/proxy";
import { decodingWatch } from "./proxy/watch";
import type { RecordingFile } from "./recording";
import { startIntakeThread } from "./thread/remoteIntake";

export interface RecordingOptions {
  readonly server: RecordedServer;
  /** 0: a free one. */
  readonly port: number;
  /** The file to which statements are written as they come. */
  readonly recording: RecordingFile;
  readonly remark: (text: string) => void;
  /** Absolute path of the thread's script; `record.js` beside the running bundle by default. */
  readonly script?: string;
}

export interface OpenRecording {
  readonly port: number;
  /** All that was recorded, once the session is closed or in place. */
  state(): IntakeState;
  connections(): number;
  /** Statements of connections that begin from now on are looked at where their bytes pass, so that answers can be changed. */
  moveInPlace(): Promise<void>;
  /** From now on, answers to connections that begin are changed so. To be called in place. */
  change(changes: AnswerChanges): void;
  /** True if the recording ended before its time: its file alone has what came before. */
  readonly isCut: boolean;
  close(): Promise<void>;
}

/** Starts to listen and to record. Rejects with the system's error where the port or the file cannot be had. */
export async function openSession({
  server,
  port,
  recording,
  remark,
  script = path.join(__dirname, "record.js"),
}: RecordingOptions): Promise<OpenRecording> {
  const said = new Set<string>();
  const once = (text: string): void => {
    if (!said.has(text)) remark(text);
    said.add(text);
  };
  const { protocol } = server;
  checkWritable(recording.file);
  const remote = startIntakeThread({ script, protocol, recording, remark: once });
  let isMoved = false;
  let local: Intake | undefined;
  let state: IntakeState = NOTHING;
  let changes: AnswerChanges | undefined;
  let isCut = false;
  const settled = async (): Promise<void> => {
    isMoved = true;
    const last = await remote.close();
    isCut = last === undefined;
    state = last ?? NOTHING;
  };
  let proxy: RunningProxy;
  try {
    proxy = await startProxy({
      ...{ upstream: server, port, remark: once },
      watch: (connection) => {
        if (local === undefined) return remote.watch(connection);
        const { emit, nextOrder } = local;
        return decodingWatch(connection, { protocol, emit, nextOrder, remark: once, changes });
      },
    });
  } catch (error) {
    await remote.close();
    throw error;
  }
  return {
    port: proxy.port,
    state: () => local?.state() ?? state,
    connections: () => proxy.connections(),
    async moveInPlace() {
      await settled();
      local = openIntake({
        ...{ protocol, remark: once, before: state },
        recording: { ...recording, isContinued: true },
        completed: (statement) => changes?.completed(statement) ?? statement,
      });
    },
    change(next) {
      changes = next;
    },
    get isCut() {
      return isCut;
    },
    async close() {
      await proxy.close();
      if (!isMoved) await settled();
      local?.close();
      const { passedOver } = local?.state() ?? state;
      if (passedOver > 0)
        remark(
          `${String(passedOver)} statements of runs that did what many had done before are not learnt from`,
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
