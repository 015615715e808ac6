// `npm test`: the checks, a build and all stages. With names (`npm test -- history`) those rooms or stages alone: rooms run
// from the sources, stages as they are built now.
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const names = process.argv.slice(2);
const steps = [
  ...(names.length > 0 ? [] : [["check.mjs"], ["../esbuild.mjs"]]),
  ["run.mjs", ...names],
];

for (const [script = "", ...args] of steps) {
  const { status } = spawnSync(process.execPath, [path.join(here, script), ...args], {
    cwd: path.dirname(here),
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
  if (process.exitCode !== 0) break;
}
