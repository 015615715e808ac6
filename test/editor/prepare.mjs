// Makes the browser-hosted VS Code and the headless browser ready: installs this folder's packages when its lock
// file has changed, and completes what their scripts would have built. Running it again does nothing.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findBrowser } from "./browser.mjs";
import { stubs } from "./stubs.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const modules = path.join(here, "node_modules");

/** Why the editor cannot be installed on this machine, with what to do instead; undefined if it can. */
export function unsupportedReason() {
  if (process.platform === "linux" && process.arch === "x64") return undefined;
  return [
    `The browser-hosted VS Code is available on Linux x64 only; this is ${process.platform} ${process.arch}.`,
    "Use a desktop VS Code instead:",
    `  npm run build && code --extensionDevelopmentPath="${root}" "${path.join(root, "test", "apps")}"`,
    "or open this folder in VS Code and press F5.",
  ].join("\n");
}

/**
 * Installs and completes the editor. Throws with a message for the user when it cannot.
 * @param {(line: string) => void} log receives lines of progress
 */
export async function prepareEditor(log) {
  const reason = unsupportedReason();
  if (reason !== undefined) throw new Error(reason);
  const packages = await hash(["package-lock.json"]);
  if ((await recorded("packages")) !== packages) {
    log(
      "Installing the editor into test/editor (about 300 MB, once; half a minute on a good line) ...",
    );
    await install(log);
    await record("packages", packages);
  }
  const additions = await hash(["package-lock.json", "prepare.mjs", "stubs.mjs"]);
  if ((await recorded("additions")) !== additions) {
    await complete();
    await record("additions", additions);
  }
  log("The editor is installed.");
}

/**
 * The versions for which a step was last done; gone when the packages are installed anew.
 * @param {string} step
 */
async function recorded(step) {
  const file = path.join(modules, `.isolens-${step}`);
  return existsSync(file) ? readFile(file, "utf8") : undefined;
}

/**
 * @param {string} step
 * @param {string} value
 */
async function record(step, value) {
  await writeFile(path.join(modules, `.isolens-${step}`), value);
}

/** @param {readonly string[]} files */
async function hash(files) {
  const sum = createHash("sha256");
  for (const name of files) sum.update(await readFile(path.join(here, name)));
  return sum.digest("hex");
}

/** @param {(line: string) => void} log */
async function install(log) {
  const started = Date.now();
  const timer = setInterval(() => {
    log(`  still installing, ${Math.round((Date.now() - started) / 1000)} s`);
  }, 5000);
  try {
    // Scripts would compile native modules and download binaries; `complete` does without both.
    await npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  } finally {
    clearInterval(timer);
  }
}

/** @param {readonly string[]} args */
function npm(args) {
  // Under `npm run` the same npm; else the one on the path.
  const script = process.env.npm_execpath;
  const [command, before] = script?.endsWith(".js") ? [process.execPath, [script]] : ["npm", []];
  const child = spawn(command, [...before, ...args], {
    cwd: here,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`"npm ${args.join(" ")}" in ${here} failed with exit code ${code}.`));
    });
  });
}

async function complete() {
  const vscode = path.join(modules, "code-server", "lib", "vscode");
  // The page loads grammars and the terminal from this path.
  await link(path.join(vscode, "node_modules"), modules);
  // Without it every TypeScript file opens with an error about a missing server.
  await mkdir(path.join(vscode, "extensions", "node_modules"), { recursive: true });
  await link(
    path.join(vscode, "extensions", "node_modules", "typescript"),
    path.join(root, "node_modules", "typescript"),
  );
  for (const [name, text] of Object.entries(stubs)) {
    const folder = path.join(modules, name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const manifest = { name, version: "0.0.0", main: "index.js" };
    await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(path.join(folder, "index.js"), text);
  }
}

/**
 * A relative symbolic link, so that the whole checkout can be moved.
 * @param {string} from
 * @param {string} to
 */
async function link(from, to) {
  const target = path.relative(path.dirname(from), to);
  try {
    if ((await readlink(from)) === target) return;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "EINVAL") throw error;
  }
  await rm(from, { recursive: true, force: true });
  await symlink(target, from);
}

/** The command: the editor, and a browser for the tests. */
async function main() {
  const log = (/** @type {string} */ line) => console.log(line);
  try {
    await prepareEditor(log);
    const browser = await findBrowser(log);
    log(`The browser of the tests is ${browser.executablePath}.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
