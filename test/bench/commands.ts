// `npm run bench:commands`: checks every example program, and asks `show`, `replay` and `testgen` for each anomaly by the
// command that was printed, with nothing kept between runs. Prints the shares that are found again; exits with 1 below all.
//
//   npm run bench:commands -- [--apps NAME,NAME] [--commands show,replay,testgen] [--options "--max-transactions 2"]
import { readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { isolens, reportsOf } from "../cli/cli";
import { askedFor, printedShow } from "../support/printedCommand";

const { values: options } = parseArgs({
  options: {
    apps: { type: "string" },
    commands: { type: "string" },
    options: { type: "string", default: "" },
  },
});

const APPS = path.join(__dirname, "../apps");
const COMMANDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["show", ["show"]],
  ["replay", ["replay"]],
  ["testgen", ["testgen", "--lang", "sql"]],
]);
const asked = options.options.split(" ").filter((word) => word !== "");

main().then(
  (isWhole) => {
    process.exitCode = isWhole ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);

async function main(): Promise<boolean> {
  const commands = options.commands?.split(",") ?? [...COMMANDS.keys()];
  const found = new Map(commands.map((command) => [command, { found: 0, of: 0 }]));
  for (const name of options.apps?.split(",") ?? readdirSync(APPS)) {
    const check = ["check", path.join(APPS, name), "--no-cache", ...asked];
    const text = await isolens(check);
    const ids = reportsOf(await isolens([...check, "--format", "json"])).flatMap(({ anomalies }) =>
      anomalies.filter(({ status }) => status === "confirmed").map(({ id }) => id),
    );
    console.log(`${name}: ${String(ids.length)} anomalies`);
    if (ids.length === 0) continue;
    const show = printedShow(text.out);
    for (const id of ids) {
      for (const [command, counts] of found) {
        const line = askedFor(show, COMMANDS.get(command) ?? [command], id);
        const { code, error } = await isolens(line, { timeout: 600_000 });
        counts.of += 1;
        // A server or a language is found here or not; whether it can be had is another matter.
        const isFound = code !== null && !error.includes(`there is no anomaly "${id}"`);
        if (isFound) counts.found += 1;
        else console.log(`  not found: isolens ${line.join(" ")}\n  ${error.trim()}`);
      }
    }
  }
  for (const [command, counts] of found) {
    const share = counts.of === 0 ? 100 : (100 * counts.found) / counts.of;
    console.log(
      `${command}: ${String(counts.found)} of ${String(counts.of)} found again (${share.toFixed(1)} %)`,
    );
  }
  return [...found.values()].every((counts) => counts.found === counts.of);
}
