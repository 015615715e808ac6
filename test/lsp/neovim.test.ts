// A second client that knows nothing of us: neovim, where it is installed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { root } from "./client";

const installed = spawnSync("nvim", ["--version"]).status === 0;
const name = installed
  ? "neovim shows an anomaly and its end"
  : "neovim is not installed: not tried";

test(name, { timeout: 180_000 }, (context) => {
  if (!installed) {
    context.diagnostic("install neovim to have the server tried in it");
    return;
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-nvim-"));
  try {
    cpSync(path.join(root, "test", "apps", "bank"), folder, { recursive: true });
    const script = path.join(root, "test", "lsp", "neovim.lua");
    const run = spawnSync("nvim", ["--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", script], {
      cwd: folder,
      encoding: "utf8",
      env: {
        ...process.env,
        ISOLENS_FILE: path.join(folder, "bank.sql"),
        ISOLENS_SERVER: path.join(root, "dist", "server.js"),
        ISOLENS_NODE: process.execPath,
      },
    });
    assert.match(run.stdout, /found=true gone=true/, run.stderr);
    assert.equal(run.status, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
