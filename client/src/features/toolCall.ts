// One call of a tool of `isolens mcp`, in a separate process.
import { spawn } from "node:child_process";

export interface ToolCall {
  readonly name: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/** Milliseconds after which the process is killed. */
const LONGEST = 120_000;

/** The tool's text. Rejects with the tool's error, and on abort. */
export async function callTool(
  script: string,
  { name, given }: ToolCall,
  signal: AbortSignal,
): Promise<string> {
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: given },
  };
  const child = spawn(process.execPath, [script, "mcp"], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
    stdio: ["pipe", "pipe", "ignore"],
    signal,
    timeout: LONGEST,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      resolve();
    });
  });
  child.stdin.on("error", () => {
    // The process has ended: its output or error gives the reason.
  });
  child.stdin.end(`${JSON.stringify(request)}\n`);
  await ended;
  return answerOf(printed);
}

function answerOf(printed: string): string {
  const message: unknown = printed.trim() === "" ? undefined : JSON.parse(printed);
  const result = field(message, "result");
  const content = field(result, "content");
  const texts: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = texts.map((each) => field(each, "text")).find((each) => typeof each === "string");
  if (typeof text === "string" && field(result, "isError") !== true) return text;
  const told = text ?? field(field(message, "error"), "message");
  throw new Error(typeof told === "string" ? told : "the tool gave no answer");
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
