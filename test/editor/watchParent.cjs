// Preloaded into the editor's server: ends it when the process that started it is gone, however that one ended.
const process = require("node:process");
const { isMainThread } = require("node:worker_threads");

if (isMainThread) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid === parent) return;
    try {
      process.kill(-process.pid, "SIGTERM");
    } catch {
      // Not the leader of a group: only this process.
    }
    process.exit(0);
  }, 500).unref();
}
