// `npm run bench:typing -- [--rhythm 180] [--runs 3]`: types a comment, a string and a statement into example
// programs and prints what moved that should not, and how long the verdict took after the last key. What the clock says
// is compared within one run alone.
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { root, withServerProcess } from "../lsp/client";
import { TYPED } from "../lsp/typed";
import { typeInto } from "../lsp/typist";
import { median } from "./statistics";

const { values: options } = parseArgs({
  options: {
    rhythm: { type: "string", default: "180" },
    runs: { type: "string", default: "1" },
  },
});

async function main(): Promise<void> {
  const latencies: number[] = [];
  for (const { name, app, file, languageId, after, keys, changes } of TYPED) {
    for (const whole of [false, true]) {
      for (let run = 0; run < Number(options.runs); run++) {
        const text = readFileSync(path.join(root, "test", "apps", app, file), "utf8");
        const line = text.split("\n").findIndex((each) => each.includes(after)) + 1;
        await withServerProcess("stdio", app, async ({ client, uri }) => {
          const typed = await typeInto(client, {
            uri: uri(file),
            text: text.replace(after, `${after}\n`),
            languageId,
            at: { line, character: 0 },
            keys,
            rhythm: Number(options.rhythm),
            whole,
            ...(changes !== undefined && { edited: (message) => message.includes(changes) }),
          });
          latencies.push(typed.latency);
          process.stdout.write(
            `${app} ${name}${whole ? " (whole text)" : ""}: ${String(typed.vanished.length)} vanished, ${String(typed.appeared.length)} appeared, ${String(typed.bodies.length)} over bodies, ${String(typed.grown)} totals grew, verdict after ${typed.latency.toFixed(0)} ms, ${String(typed.published)} messages\n`,
          );
          for (const each of new Set([...typed.vanished, ...typed.appeared, ...typed.bodies]))
            process.stdout.write(`    ${each.slice(0, 150)}\n`);
        });
      }
    }
  }
  process.stdout.write(
    `verdict after the last key: median ${median(latencies).toFixed(0)} ms, worst ${Math.max(...latencies).toFixed(0)} ms; load ${os.loadavg()[0]?.toFixed(1) ?? "?"}\n`,
  );
}

void main();
