// `isolens mcp` as an assistant's client uses it: the built command line, one message a line.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const bank = path.join(root, "test", "apps", "bank");

interface Answer {
  readonly id: number | null;
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly protocolVersion?: string;
    readonly serverInfo?: { readonly name: string };
  };
  readonly error?: { readonly message: string };
}

async function withMcp(body: (ask: (message: unknown) => Promise<Answer>) => Promise<void>) {
  const child = spawn(process.execPath, [path.join(root, "dist", "cli.js"), "mcp"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await body(async (message) => {
    child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    const line = await lines.next();
    return JSON.parse(line.done === true ? "" : line.value) as Answer;
  });
  child.stdin.end();
  const [code] = (await once(child, "exit")) as [number | null];
  assert.equal(code, 0);
}

const call = (id: number, name: string, given: unknown) => {
  const params = { name, arguments: given };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
};

const textOf = ({ result }: Answer): string => result?.content?.[0]?.text ?? "";

describe("isolens mcp", () => {
  it("lists its tools, finds, shows, fixes and explains, and ends with its input", async () => {
    await withMcp(async (ask) => {
      const version = (protocolVersion: string): unknown => ({
        ...{ id: 1, method: "initialize" },
        params: { protocolVersion },
      });
      const begun = await ask(version("2024-11-05"));
      assert.equal(begun.result?.protocolVersion, "2024-11-05");
      const unknown = await ask(version("9999-01-01"));
      assert.equal(unknown.result?.protocolVersion, "2025-06-18");
      assert.equal(begun.result?.serverInfo?.name, "isolens");
      const listed = await ask({ id: 2, method: "tools/list" });
      const names = listed.result?.tools?.map(({ name }) => name);
      assert.deepEqual(names, ["check", "show", "fix", "explain"]);
      const checked = textOf(await ask(call(3, "check", { path: bank })));
      assert.match(checked, /lost.update/iu);
      const id =
        /--anomaly ([0-9a-f]{8})/u.exec(checked)?.[1] ?? /\b([0-9a-f]{8})\b/u.exec(checked)?.[1];
      assert.ok(id !== undefined, checked);
      const shown = textOf(await ask(call(4, "show", { path: bank, anomaly: id })));
      assert.match(shown, /T1[^]*T2/u);
      const before = readFileSync(path.join(bank, "bank.sql"), "utf8");
      const fixed = await ask(call(5, "fix", { path: bank, anomaly: id }));
      assert.match(textOf(fixed), /^@@ .* @@$/mu);
      assert.equal(readFileSync(path.join(bank, "bank.sql"), "utf8"), before);
      const explained = textOf(await ask(call(6, "explain", { name: "write-skew" })));
      assert.match(explained, /^Write skew: /u);
    });
  });

  it("answers what is wrong with an error and goes on; what is given is never an option", async () => {
    await withMcp(async (ask) => {
      assert.match((await ask("{")).error?.message ?? "", /no JSON/u);
      assert.match((await ask({ id: 1, method: "none" })).error?.message ?? "", /no method none/u);
      assert.match((await ask(call(2, "rm", {}))).error?.message ?? "", /no such tool/u);
      assert.match((await ask(call(3, "show", { path: bank }))).error?.message ?? "", /anomaly/u);
      const odd = await ask(call(4, "check", { path: "--write-baseline=/tmp/x" }));
      assert.equal(odd.result?.isError, true);
      const level = await ask(call(5, "check", { path: bank, level: "--output" }));
      assert.equal(level.result?.isError, true);
      assert.match(textOf(level), /no level "--output"/u);
      assert.equal((await ask({ id: 6, method: "ping" })).error, undefined);
    });
  });
});
