// The command of a recording: what it has started ends with it.
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { runCommand } from "../../../server/src/record/session";

test("a silent command that is stopped leaves no process behind", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  // It does not listen to an interrupt, and is connected as long as it lives.
  const inner = `process.on("SIGINT", () => {});
    require("node:net").connect(${String(address.port)}, "127.0.0.1").on("error", () => {});`;
  const outer = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}]);`;
  const controller = new AbortController();
  const ended = runCommand([process.execPath, "-e", outer], {
    cwd: process.cwd(),
    env: process.env,
    signal: controller.signal,
    isSilent: true,
  });
  const [connected] = (await once(server, "connection")) as [net.Socket];
  connected.on("error", () => undefined).resume();
  const left = once(connected, "close");
  controller.abort();
  assert.deepEqual(await ended, { kind: "signal", signal: "SIGINT" });
  // Windows has no groups of processes.
  if (process.platform === "win32") connected.destroy();
  await left;
  server.close();
});
