// Starts the browser-hosted VS Code on a folder, with the extension loaded from this checkout, and stops it again.
// Used by `npm start` and by the end to end tests. It listens on 127.0.0.1 only: from another address the browser
// would not run the panel (no service worker outside a secure context).
import { execFile, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { descendants, end } from "./processes.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const host = "127.0.0.1";

/**
 * @typedef {object} LaunchOptions
 * @property {string} folder absolute path of the workspace
 * @property {number} [port] wanted; a free one is taken when it is busy or not given
 * @property {Record<string, unknown>} [settings] user settings beside those that every run has
 * @property {string} [log] file for the server's output
 * @property {string | undefined} [extension] folder of the extension; this checkout by default
 * @property {string | undefined} [vsix] a packed extension, which is installed in the fresh profile and takes the place of a folder
 *
 * @typedef {object} Editor
 * @property {number} port
 * @property {string} logs folder with the logs of the extension host
 * @property {(file?: string) => string} url the page, with a file (relative to the folder) opened in it
 * @property {Promise<number | null>} exited
 * @property {() => Promise<void>} stop ends all its processes and removes its profile
 */

/** Settings of every run: nothing asks, nothing moves, nothing calls home. */
const quiet = {
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "workbench.reduceMotion": "on",
  "security.workspace.trust.enabled": false,
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "editor.cursorBlinking": "solid",
  "editor.minimap.enabled": false,
  "git.enabled": false,
};

/**
 * Starts the editor and resolves when it answers. `prepare` must have run.
 * @param {LaunchOptions} options
 * @returns {Promise<Editor>}
 */
export async function launchEditor(options) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(attempt === 1 ? options.port : undefined);
    const editor = await startOn(port, options);
    const outcome = await answering(port, editor);
    if (outcome === "up") return editor;
    await editor.stop();
    // Between the choice of the port and its use another process may have taken it.
    if (attempt === 3) {
      throw new Error(
        `The editor did not start (${outcome}).${options.log === undefined ? "" : ` See ${options.log}.`}`,
      );
    }
  }
}

/**
 * @param {number} port
 * @param {LaunchOptions} options
 * @returns {Promise<Editor>}
 */
async function startOn(port, options) {
  const profile = await createProfile(options.settings ?? {});
  const env = serverEnvironment(profile);
  if (options.vsix !== undefined) await installExtension(profile, options.vsix, env);
  const child = spawn(process.execPath, serverArguments(port, profile, options.folder), {
    env,
    cwd: profile,
    // A group of its own: Ctrl+C in the terminal reaches us alone, and we stop it in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log =
    options.log === undefined ? undefined : createWriteStream(options.log, { flags: "a" });
  for (const stream of [child.stdout, child.stderr]) {
    if (log === undefined) stream.resume();
    else stream.pipe(log, { end: false });
  }
  /** @type {Promise<number | null>} */
  const exited = new Promise((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve(null));
  });
  /** @type {Promise<void> | undefined} */
  let stopping;
  const stop = async () => {
    if (child.pid !== undefined) await end(descendants(child.pid));
    await exited;
    log?.end();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    port,
    logs: path.join(profile, "data", "logs"),
    url: (file) => {
      const extension = options.vsix === undefined ? (options.extension ?? root) : undefined;
      return pageUrl(port, options.folder, extension, file);
    },
    exited,
    stop: () => (stopping ??= stop()),
  };
}

/**
 * A fresh profile in a short path, since the sockets in it may have about 100 characters.
 * @param {Record<string, unknown>} settings
 */
async function createProfile(settings) {
  const temporary = os.tmpdir().length > 40 ? "/tmp" : os.tmpdir();
  const profile = await mkdtemp(path.join(temporary, "isolens-"));
  const user = path.join(profile, "data", "User");
  for (const folder of [user, path.join(profile, "extensions"), path.join(profile, "tmp")]) {
    await mkdir(folder, { recursive: true });
  }
  const all = { ...quiet, ...settings };
  await writeFile(path.join(user, "settings.json"), JSON.stringify(all, null, 2));
  await writeFile(path.join(profile, "config.yaml"), "auth: none\n");
  return profile;
}

/**
 * @param {number} port
 * @param {string} profile
 * @param {string} folder
 */
function serverArguments(port, profile, folder) {
  return [
    ...["--require", path.join(here, "watchParent.cjs")],
    ...editorArguments(profile),
    ...["--auth", "none"],
    ...["--bind-addr", `${host}:${port}`],
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    "--disable-getting-started-override",
    "--disable-file-downloads",
    folder,
  ];
}

/**
 * The editor's script, on the folders of a profile.
 * @param {string} profile
 */
function editorArguments(profile) {
  return [
    path.join(here, "node_modules", "code-server"),
    ...["--config", path.join(profile, "config.yaml")],
    ...["--user-data-dir", path.join(profile, "data")],
    ...["--extensions-dir", path.join(profile, "extensions")],
  ];
}

/**
 * Installs a packed extension as a user does.
 * @param {string} profile
 * @param {string} vsix
 * @param {NodeJS.ProcessEnv} env
 */
async function installExtension(profile, vsix, env) {
  const args = [...editorArguments(profile), "--install-extension", vsix];
  await promisify(execFile)(process.execPath, args, { env, cwd: profile });
}

/** @param {string} profile */
function serverEnvironment(profile) {
  const env = {
    ...process.env,
    // No marketplace: nothing is looked up.
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    TMPDIR: path.join(profile, "tmp"),
    XDG_RUNTIME_DIR: path.join(profile, "tmp"),
    XDG_CONFIG_HOME: path.join(profile, "tmp"),
    XDG_DATA_HOME: path.join(profile, "tmp"),
    XDG_CACHE_HOME: path.join(profile, "tmp"),
  };
  // In the terminal of a VS Code, code-server would talk to that editor instead of starting; and the test runner's
  // variable would make nested runs believe that they are its children.
  for (const name of ["VSCODE_IPC_HOOK_CLI", "NODE_OPTIONS", "NODE_TEST_CONTEXT", "PORT"]) {
    Reflect.deleteProperty(env, name);
  }
  return env;
}

/**
 * @param {number} port
 * @param {string} folder
 * @param {string | undefined} extension
 * @param {string | undefined} file
 */
function pageUrl(port, folder, extension, file) {
  const remote = `vscode-remote://${host}:${port}`;
  const payload =
    extension === undefined
      ? []
      : [["extensionDevelopmentPath", `${remote}${encodeURI(extension)}`]];
  if (file !== undefined) payload.push(["openFile", remote + encodeURI(path.join(folder, file))]);
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  return `http://${host}:${port}/?${query.toString().replaceAll("+", "%20")}`;
}

/**
 * @param {number} port
 * @param {Editor} editor
 * @returns {Promise<string>} "up", or why not
 */
async function answering(port, editor) {
  let exited = false;
  void editor.exited.then(() => {
    exited = true;
  });
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    if (exited) return "its process ended";
    try {
      // The signal is that it answers at all; before the first page it calls itself expired.
      const response = await fetch(`http://${host}:${port}/healthz`);
      if (response.ok) return "up";
    } catch {
      // Not listening yet.
    }
    await delay(50);
  }
  return "no answer within a minute";
}

/**
 * The wanted port if it is free, else one that is.
 * @param {number | undefined} wanted
 */
async function choosePort(wanted) {
  if (wanted !== undefined && (await listenOnce(wanted)) !== undefined) return wanted;
  const free = await listenOnce(0);
  if (free === undefined) throw new Error(`No port is free on ${host}.`);
  return free;
}

/**
 * @param {number} port
 * @returns {Promise<number | undefined>} the port that was given, or undefined if it was busy
 */
function listenOnce(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      const given = typeof address === "object" ? address?.port : undefined;
      server.close(() => resolve(given));
    });
  });
}
