// Random edits in the language server: what a person types, deletes, pastes and undoes, with the requests that an editor sends
// meanwhile.
import {
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
} from "vscode-languageserver-protocol/node";
import { examples } from "../laws/examples";
import { randomOf } from "../servers/random";
import { openMemory } from "./memory";
import { residentMegabytes, startBundle } from "./processes";

/** Milliseconds between two edits. */
const PAUSE = 60;
const TYPED = [
  "x",
  " ",
  "\n",
  ";",
  "(",
  ")",
  "'",
  "select ",
  "update ",
  "where id = 1",
  "-- ",
  "BEGIN;\n",
  "$$",
];

/** Gives whether memory stayed flat and every request was answered. */
export async function endureEdits(minutes: number, seed: number): Promise<boolean> {
  const child = startBundle("server.js", ["--stdio"]);
  if (child.stdout === null || child.stdin === null) throw new Error("the server has no streams");
  const client = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  client.listen();
  await client.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  });
  await client.sendNotification("initialized", {});
  const random = randomOf(seed);
  const documents = examples(["bank", "oncall", "smallbank-ts", "inventory"]).flatMap(
    ({ name, files }) =>
      files.map((file) => ({
        uri: `untitled:${name}/${file.name}`,
        languageId: file.name.endsWith(".sql") ? "sql" : "typescript",
        original: file.text,
        text: file.text,
        version: 1,
      })),
  );
  for (const { uri, languageId, version, text } of documents)
    await client.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId, version, text },
    });
  const memory = openMemory("editor", minutes, () => residentMegabytes(child));
  const end = Date.now() + minutes * 60_000;
  let edits = 0;
  let slowest = 0;
  while (Date.now() < end) {
    const document = random.pick(documents);
    const at = random.below(document.text.length + 1);
    const gone = random.chance(0.4) ? 1 + random.below(30) : 0;
    const isUndone = document.version % 40 === 0;
    document.text = isUndone
      ? document.original
      : document.text.slice(0, at) +
        (gone > 0 ? "" : random.pick(TYPED)) +
        document.text.slice(at + gone);
    document.version += 1;
    edits += 1;
    await client.sendNotification("textDocument/didChange", {
      textDocument: { uri: document.uri, version: document.version },
      contentChanges: [{ text: document.text }],
    });
    if (edits % 20 === 0) {
      const started = performance.now();
      await client.sendRequest("textDocument/codeLens", { textDocument: { uri: document.uri } });
      slowest = Math.max(slowest, performance.now() - started);
    }
    memory.look(() => `${String(edits)} edits, slowest answer ${slowest.toFixed(0)} ms`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  await client.sendRequest("shutdown");
  await client.sendNotification("exit");
  return memory.isFlat();
}
