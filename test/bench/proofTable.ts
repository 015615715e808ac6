// `npm run bench:prove`: prints what is proved of each example program at each level of its kind, by which scheme, resting
// on what, and how long that takes. With --removal also what becomes of each proof without each thing that it may rest on.
//
//   npm run bench:prove -- [--only EXAMPLE]... [--level NAME]... [--removal]
import { parseArgs } from "node:util";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../server/src/engine/treeSitter";
import { createProjectReader } from "../../server/src/service/readProject";
import type { Program } from "../../server/src/program/program";
import { proveRead } from "../unit/analysis/proof/proveSql";
import type { Proving } from "../unit/analysis/proof/proveSql";
import { removalsOf } from "../unit/analysis/proof/removals";
import { exampleNames, loadExample } from "./scenarios";
import { printTable } from "./statistics";
import type { Column } from "./statistics";

const LEVELS = [
  "read-atomic",
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
];
const POSTGRES = ["postgres:read-committed", "postgres:repeatable-read"];
const MYSQL = ["mysql:read-committed", "mysql:repeatable-read"];

const left = (title: string): Column => ({ title, align: "left" });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      level: { type: "string", multiple: true, default: [] },
      removal: { type: "boolean", default: false },
    },
  });
  const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
  const rows: string[][] = [];
  const removed: string[][] = [];
  let whole = 0;
  for (const name of values.only.length > 0 ? values.only : exampleNames()) {
    const program = reader.read(await loadExample(name));
    const product = name.endsWith("-mysql") ? MYSQL : POSTGRES;
    for (const level of values.level.length > 0 ? values.level : [...LEVELS, ...product]) {
      const started = process.cpuUsage();
      const proving = await proveRead(program, level);
      const { user, system } = process.cpuUsage(started);
      const milliseconds = (user + system) / 1000;
      whole += milliseconds;
      rows.push([name, level, `${milliseconds.toFixed(0)} ms`, ...told(proving)]);
      if (values.removal && proving.answer.kind === "proved")
        for (const each of await removalRows(program, level, proving.answer.assumed))
          removed.push([name, level, ...each]);
    }
  }
  printTable(
    [
      left("example"),
      left("level"),
      { title: "CPU", align: "right" },
      left("answer"),
      left("rests on"),
    ],
    rows,
    console.log,
  );
  console.log(`${String(rows.length)} questions, all together ${(whole / 1000).toFixed(1)} s`);
  if (!values.removal) return;
  console.log("");
  printTable([left("example"), left("level"), left("without"), left("then")], removed, console.log);
  process.exitCode = removed.some(([, , , then]) => then === STILL_NAMED) ? 1 : 0;
}

function told({ answer, chains }: Proving): readonly [string, string] {
  switch (answer.kind) {
    case "proved":
      return [`proved (${answer.scheme})`, answer.assumed.join("; ")];
    case "unknown":
      return ["unknown", answer.reason];
    case "blocked":
      return ["no proof", answer.restrictions[0]?.reason ?? chains[0] ?? answer.reason ?? ""];
  }
}

const STILL_NAMED = "proved, and named again";

/** Without each name that the proof tells, and without each key, lock and update in place of the program. */
async function removalRows(
  program: Program,
  level: string,
  names: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  const rows: (readonly [string, string])[] = [];
  for (const name of names) {
    const { answer } = await proveRead(program, level, { without: new Set([name]), brief: true });
    const isNamed = answer.kind === "proved" && answer.assumed.includes(name);
    rows.push([name, isNamed ? STILL_NAMED : thenText(answer.kind)]);
  }
  for (const { what, program: without } of removalsOf(program)) {
    const { answer } = await proveRead(without, level, { brief: true });
    rows.push([what, thenText(answer.kind)]);
  }
  return rows;
}

function thenText(kind: Proving["answer"]["kind"]): string {
  return kind === "proved" ? "proved without it" : "no proof";
}

void main().then(() => process.exit());
