// `npm run bench:cuts -- [--every 1] [--first 0] [APP...]`: cuts each file of the example programs behind its tokens, after the
// whole file was read and as the first that is read, and prints what is told that is not told of the whole file.
import { readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { cutsOf, type Cut } from "../support/cuts";
import { openTestSession } from "../unit/service/testSession";

const APPS = path.resolve(__dirname, "../apps");

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: "string", default: "1" },
    first: { type: "string", default: "0" },
  },
});

async function main(): Promise<void> {
  const session = await openTestSession();
  const all: Cut[] = [];
  try {
    for (const app of positionals.length > 0 ? positionals : readdirSync(APPS).sort()) {
      const own: Cut[] = [];
      const started = performance.now();
      const sampling = { every: Number(options.every), first: Number(options.first) };
      for await (const cut of cutsOf(session, path.join(APPS, app), sampling)) {
        own.push(cut);
        if (isNoise(cut))
          print(`  ${cut.file} ${String(cut.at)} after ${cut.before}: ${cut.more.join(" | ")}`);
      }
      all.push(...own);
      print(`${app}: ${figures(own)}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
    }
  } finally {
    await session.dispose();
  }
  print(`all: ${figures(all)}`);
  if (all.some(isNoise)) process.exitCode = 1;
}

/** A text that is whole is a program of its own, of which other things may be true. */
function isNoise({ state, more }: Cut): boolean {
  return state !== "program" && more.length > 0;
}

function figures(cuts: readonly Cut[]): string {
  const of = (before: Cut["before"]): string => {
    const own = cuts.filter((each) => each.before === before);
    const states = (["stands", "broken", "program"] as const).map((state) => {
      const these = own.filter((each) => each.state === state);
      const more = these.filter((each) => each.more.length > 0).length;
      return `${String(these.length)} ${state} (${String(more)} tell more)`;
    });
    return `${String(own.length)} cuts after ${before}: ${states.join(", ")}`;
  };
  return `${of("whole")}; ${of("nothing")}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

void main();
