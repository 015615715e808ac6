// `npm run endurance -- --minutes N`: random edits in the language server, load on `serve`, and thousands of connections. Ends
// with 1 where memory grows or somebody is not answered. docs/fuzzing.md tells more.
import process from "node:process";
import { parseArgs } from "node:util";
import { endureEdits } from "./editor";
import { endureConnections, endureLoad } from "./serve";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    connections: { type: "string", default: "10000" },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

const minutes = Number(values.minutes);
const seed = Number(values.seed);

const PARTS: ReadonlyMap<string, () => Promise<boolean>> = new Map([
  ["connections", () => endureConnections(Number(values.connections), seed)],
  ["serve", () => endureLoad(minutes, seed)],
  ["editor", () => endureEdits(minutes, seed)],
]);

void main();

async function main(): Promise<void> {
  const grown: string[] = [];
  for (const [name, part] of PARTS) {
    if (values.only !== undefined && values.only !== name) continue;
    if (!(await part())) grown.push(name);
  }
  console.log(grown.length === 0 ? "memory stays flat" : `memory grows: ${grown.join(", ")}`);
  process.exit(grown.length === 0 ? 0 : 1);
}
