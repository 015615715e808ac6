import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isolens } from "./cli";

function message(content: unknown): string {
  const text = JSON.stringify({ jsonrpc: "2.0", ...(content as object) });
  return `Content-Length: ${String(Buffer.byteLength(text))}\r\n\r\n${text}`;
}

describe("isolens lsp --stdio", () => {
  it("speaks the Language Server Protocol and ends when it is told to", async () => {
    const result = await isolens(["lsp", "--stdio"], {
      watch: (child) => {
        const params = { processId: null, rootUri: null, capabilities: {} };
        child.stdin?.write(message({ id: 1, method: "initialize", params }));
        child.stdin?.write(message({ method: "initialized", params: {} }));
        child.stdin?.write(message({ id: 2, method: "shutdown" }));
        child.stdin?.write(message({ method: "exit" }));
      },
    });
    assert.equal(result.code, 0, result.error);
    assert.match(result.out, /"id":1,"result":\{.*"capabilities":/u);
    assert.match(result.out, /"id":2,"result":null/u);
  });
});
