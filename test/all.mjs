// `npm test`: a build, then all stages with the checks beside them. With names (`npm test -- history`) those rooms or stages
// alone: rooms run from the sources, stages as they are built now.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const names = process.argv.slice(2);

process.exitCode = names.length > 0 ? await run("run.mjs", names) : await everything();

async function everything() {
  const built = await run("../esbuild.mjs");
  if (built !== 0) return built;
  const [checked, tested] = await Promise.all([run("check.mjs"), run("run.mjs")]);
  if (checked !== 0) console.error("Some of the checks failed; what they found stands above.");
  return checked === 0 ? tested : checked;
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
