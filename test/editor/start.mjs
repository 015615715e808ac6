// `npm start`: a real VS Code in the browser, on the example programs, with the extension loaded.
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { launchEditor } from "./launch.mjs";
import { prepareEditor, unsupportedReason } from "./prepare.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const folder = path.join(root, "test", "apps");
const firstFile = "bank/bank.sql";

const reason = unsupportedReason();
if (reason === undefined) await start();
else console.log(reason);

async function start() {
  await prepareEditor(say);
  say("Starting VS Code ...");
  const editor = await launchEditor({ folder, port: 8080 });
  say("");
  say(`  Open  ${editor.url(existsSync(path.join(folder, firstFile)) ? firstFile : undefined)}`);
  say("");
  say("  Ctrl+C stops it.");
  let asked = false;
  const stop = () => {
    if (asked) return;
    asked = true;
    say("Stopping VS Code ...");
    void editor.stop().then(() => process.exit(0));
  };
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, stop);
  }
  const code = await editor.exited;
  if (!asked) {
    await editor.stop();
    console.error(`VS Code ended by itself (exit code ${code}).`);
    process.exitCode = 1;
  }
}

/** @param {string} line */
function say(line) {
  console.log(line);
}
