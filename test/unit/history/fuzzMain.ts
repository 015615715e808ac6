// `npm run fuzz:history -- [count] [seed]`: the checker against brute force; exits with 1 if they disagree anywhere.
import process from "node:process";
import { fuzz } from "./fuzz";

const [count = "50000", seed = "1"] = process.argv.slice(2);
const { mismatches, patterns } = fuzz(Number(count), Number(seed));
for (const [pattern, times] of [...patterns].sort())
  console.log(`${String(times).padStart(8)}  ${pattern}`);
for (const each of mismatches.slice(0, 10)) console.error(`disagreement at ${each}`);
console.log(`${count} histories, seed ${seed}: ${mismatches.length} disagreements`);
process.exitCode = mismatches.length === 0 ? 0 : 1;
