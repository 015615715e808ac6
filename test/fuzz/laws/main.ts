// `npm run fuzz:laws -- [EXAMPLE...]`: every law on every example program. Ends with 1 where one does not hold.
import process from "node:process";
import { lawBroken, verdictWords } from "./compare";
import { examples } from "./examples";
import { LAWS } from "./laws";

void main();

async function main(): Promise<void> {
  let held = 0;
  let broken = 0;
  const names = process.argv.slice(2);
  for (const example of names.length > 0 ? examples(names) : examples()) {
    const started = performance.now();
    const expected = await verdictWords(example.level, example.files);
    console.log(`${example.name}: ${String(expected.length)} verdicts`);
    for (const law of LAWS) {
      if (law.change(example.files) === undefined) continue;
      const difference = await lawBroken(example, expected, law);
      if (difference === undefined) {
        held += 1;
        continue;
      }
      broken += 1;
      console.log(`${example.name}: ${law.name}\n${difference.replace(/^/gm, "  ")}`);
    }
    console.log(`  ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  console.log(`${String(held)} hold, ${String(broken)} do not`);
  process.exitCode = broken === 0 ? 0 : 1;
}
