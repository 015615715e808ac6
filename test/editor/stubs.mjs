// Native modules that the editor's server asks for and this installation leaves unbuilt, in plain JavaScript.
// Only what it really calls is here; none of it sends anything anywhere.

/** Ends the process soon after the one it was started by is gone. */
const watchdog = `
exports.start = (pid) => {
  const timer = setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch {
      process.exit(87);
    }
  }, 1000);
  timer.unref();
};
`;

/** A logger that appends to its file. */
const spdlog = `
const fs = require("node:fs");
const path = require("node:path");

class Logger {
  constructor(kind, name, file) {
    this.name = name;
    this.file = file;
    this.level = 2;
  }
  write(level, label, message) {
    if (level < this.level) return;
    const line = new Date().toISOString() + " [" + label + "] " + message + "\\n";
    fs.appendFile(this.file, line, () => {});
  }
  trace(message) { this.write(0, "trace", message); }
  debug(message) { this.write(1, "debug", message); }
  info(message) { this.write(2, "info", message); }
  warn(message) { this.write(3, "warning", message); }
  error(message) { this.write(4, "error", message); }
  critical(message) { this.write(5, "critical", message); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() {}
  clearFormatters() {}
  flush() {}
  drop() {}
}

const create = async (name, file) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger("", name, file);
};
exports.version = 0;
exports.Logger = Logger;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
`;

/** Modules by name, with their text. The telemetry modules are imported but never used: telemetry is off. */
export const stubs = {
  "native-watchdog": watchdog,
  "@vscode/spdlog": spdlog,
  "@microsoft/1ds-core-js": "exports.AppInsightsCore = class AppInsightsCore {};\n",
  "@microsoft/1ds-post-js": "exports.PostChannel = class PostChannel {};\n",
};
