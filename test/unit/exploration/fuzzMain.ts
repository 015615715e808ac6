// `npm run fuzz:explore -- [count] [seed]`: the explorer against enumeration; exits with 1 if they disagree anywhere.
import process from "node:process";
import { fuzz } from "./fuzz";

const [count = "800", seed = "1"] = process.argv.slice(2);
const { compared, found } = fuzz(Number(count), Number(seed));
for (const each of found.slice(0, 10)) console.error(JSON.stringify(each));
console.log(`${compared} programs, seed ${seed}: ${found.length} disagreements`);
process.exitCode = found.length === 0 ? 0 : 1;
