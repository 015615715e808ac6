// `npm test`: a build, then all stages with the checks among them. With names (`npm test -- history e2e`) those rooms or stages
// alone: rooms run from the sources, stages after a build.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const names = process.argv.slice(2);

/** The stages that run what `npm run build` writes. */
const BUILT = ["lsp", "webview", "e2e", "cli"];

process.exitCode = names.length > 0 ? await some() : await everything();

async function some() {
  const built = names.some((name) => BUILT.includes(name)) ? await run("../esbuild.mjs") : 0;
  return built === 0 ? await run("run.mjs", names) : built;
}

async function everything() {
  const built = await run("../esbuild.mjs");
  return built === 0 ? await run("run.mjs", ["checks"]) : built;
}

/**
 * Runs a script of this folder and returns its exit code.
 * @param {string} script
 * @param {readonly string[]} [args]
 * @returns {Promise<number>}
 */
function run(script, args = []) {
  const child = spawn(process.execPath, [path.join(here, script), ...args], {
    cwd: path.dirname(here),
    stdio: "inherit",
  });
  return new Promise((resolve) => {
    child.once("close", (code) => {
      resolve(code ?? 1);
    });
  });
}
