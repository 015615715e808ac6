// The process in which inputs are tried: it says what became of each. A new one is started after anything that may have left
// something behind.
import process from "node:process";
import { loadFace } from "./faces";
import { exceptionText } from "./face";
import type { Answer } from "./answers";

process.on("uncaughtException", (error) => {
  answer({ kind: "crash", text: `uncaught: ${error.stack ?? error.message}` });
});
process.on("unhandledRejection", (error) => {
  answer({
    kind: "crash",
    text: `unhandled: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  });
});

void main();

async function main(): Promise<void> {
  const open = await (await loadFace(process.argv[2] ?? "")).open();
  process.on("message", (message: unknown) => {
    const input = Buffer.from(String(message), "base64");
    open
      .take(input)
      .then(({ said, way }): Answer => {
        const found = exceptionText(said, input);
        return found === undefined
          ? { kind: "taken", way }
          : { kind: "exception text", text: found };
      })
      .catch((error: unknown): Answer => ({
        kind: "crash",
        text: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }))
      .then(answer, answer);
  });
  answer({ kind: "ready" });
}

function answer(text: Answer): void {
  process.send?.(text);
}
