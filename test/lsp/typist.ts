// Types into a document of a running server as a person does, key by key, and counts what a reader of it would be
// disturbed by.
import { setTimeout as pause } from "node:timers/promises";
import type {
  Diagnostic,
  Position,
  ProtocolConnection,
  PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import { NotificationType } from "vscode-languageserver-protocol/node";
import type { ProgressUnit, ServerStatus } from "../../server/src/protocol/requests";

export interface TypingOptions {
  readonly uri: string;
  readonly text: string;
  readonly languageId: string;
  /** Where the cursor stands before the first key. */
  readonly at: Position;
  readonly keys: string;
  /** Milliseconds from key to key. */
  readonly rhythm: number;
  /** The client sends the whole text with every key. */
  readonly whole?: boolean;
  /** A finding may go and another may come when it is about these: their text is what is typed into. */
  readonly edited?: (message: string) => boolean;
}

/** Events between the first key and the verdict after the last one. */
export interface Typing {
  /** Findings before the first key. */
  readonly before: number;
  /** Messages of findings that were shown before and were missing at some moment, once for each time. */
  readonly vanished: readonly string[];
  /** Findings that were not there before: messages. */
  readonly appeared: readonly string[];
  /** Messages of diagnostics over several lines that are not findings. */
  readonly bodies: readonly string[];
  /** Times at which the total of a progress grew. */
  readonly grown: number;
  /** Milliseconds from the last key until the server is at rest. */
  readonly latency: number;
  readonly published: number;
}

const STATUS = new NotificationType<ServerStatus>("isolens/status");

/** The key of a finding. */
function idOf({ data }: Diagnostic): string {
  const id: unknown = isObject(data) ? Reflect.get(data, "anomaly") : undefined;
  return typeof id === "string" ? id : "";
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const textOf = ({ message }: Diagnostic): string =>
  typeof message === "string" ? message : message.value;

const isFinding = ({ data }: Diagnostic): boolean => isObject(data) && "anomaly" in data;

/** Opens the document, waits for its verdict, types, and waits for the verdict again. */
export async function typeInto(
  client: ProtocolConnection,
  options: TypingOptions,
): Promise<Typing> {
  const { uri, languageId, rhythm, keys, whole = false, edited = () => false } = options;
  const shown = new Map<string, readonly Diagnostic[]>();
  const vanished: string[] = [];
  const appeared: string[] = [];
  const bodies: string[] = [];
  const before = new Map<string, string>();
  let isTyping = false;
  let grown = 0;
  let total = 0;
  let unit: ProgressUnit | undefined;
  let published = 0;
  let health = "";
  let atRest = 0;
  const watchers = new Set<() => void>();
  const all = (): readonly Diagnostic[] => [...shown.values()].flat();
  const listeners = [
    client.onNotification("textDocument/publishDiagnostics", (sent: PublishDiagnosticsParams) => {
      const last = new Set(all().map(idOf));
      shown.set(sent.uri, sent.diagnostics);
      published += 1;
      if (!isTyping) return;
      const findings = all().filter((each) => isFinding(each));
      const now = new Set(findings.map(idOf));
      for (const [id, message] of before) if (last.has(id) && !now.has(id)) vanished.push(message);
      for (const each of findings) {
        const id = idOf(each);
        if (!before.has(id) && !edited(textOf(each)) && !last.has(id)) appeared.push(textOf(each));
      }
      for (const each of sent.diagnostics) {
        if (!isFinding(each) && each.range.start.line !== each.range.end.line)
          bodies.push(textOf(each));
      }
    }),
    client.onNotification(STATUS, (status) => {
      const size = status.progress?.total ?? 0;
      if (isTyping && size > total && total > 0 && status.progress?.unit === unit) grown += 1;
      total = size;
      unit = status.progress?.unit;
      if (health === "busy" && status.health !== "busy") atRest = performance.now();
      health = status.milliseconds === undefined ? "busy" : status.health;
      for (const watcher of [...watchers]) watcher();
    }),
  ];
  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (health === "" || health === "busy") return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  let version = 1;
  let text = options.text;
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId, version, text },
  });
  await pause(300);
  await rest();
  await pause(300);
  for (const each of all()) {
    if (isFinding(each) && !edited(textOf(each))) before.set(idOf(each), textOf(each));
  }
  isTyping = true;
  let { line, character } = options.at;
  let last = performance.now();
  for (const key of keys) {
    const range = { start: { line, character }, end: { line, character } };
    text = inserted(text, { line, character }, key);
    version += 1;
    last = performance.now();
    await client.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [whole ? { text } : { range, text: key }],
    });
    if (key === "\n") [line, character] = [line + 1, 0];
    else character += 1;
    await pause(rhythm);
  }
  await pause(400);
  await rest();
  const latency = Math.max(0, atRest - last);
  await pause(200);
  for (const each of listeners) each.dispose();
  return { before: before.size, vanished, appeared, bodies, grown, latency, published };
}

function inserted(text: string, { line, character }: Position, key: string): string {
  const lines = text.split("\n");
  const own = lines[line] ?? "";
  lines[line] = own.slice(0, character) + key + own.slice(character);
  return lines.join("\n");
}
