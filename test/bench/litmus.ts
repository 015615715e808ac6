// Compares the store with measured outcomes: `npm run litmus -- FILE` (by default the recorded ones) prints a line per
// program and level, every outcome that one side lacks, and the sums. Exits with 1 when an observed outcome is missing
// or a program was not read exactly.
import { resolve } from "node:path";
import {
  paperComparisons,
  productComparisons,
  unreadLitmus,
  type Comparison,
} from "../unit/store/litmusCells";
import { readLitmus } from "../unit/store/litmus";

const [file] = process.argv.slice(2);
const started = performance.now();
const programs = readLitmus(...(file === undefined ? [] : [resolve(file)]));
const products = productComparisons(programs);
const papers = paperComparisons(programs);
const unread = unreadLitmus(programs);
for (const cell of [...products, ...papers]) print(cell);
if (unread.length > 0) console.log(`not read exactly by the front end: ${unread.join(", ")}`);
sums("papers' levels", papers);
sums("products' levels", products);
const missing = count([...products, ...papers], (cell) => cell.missing.length);
console.log(`${String(Math.round(performance.now() - started))} ms`);
if (missing > 0 || unread.length > 0) process.exitCode = 1;

function print(cell: Comparison): void {
  const { litmus, level, coverage, measured, modelled } = cell;
  console.log(
    `${litmus.id} ${level.padEnd(50)} observed ${String(measured)} allowed ${String(modelled)}` +
      ` missing ${String(cell.missing.length)} extra ${String(cell.extra.length)}  ${litmus.name}`,
  );
  for (const outcome of cell.missing) console.log(`    missing: ${outcome}`);
  const cause =
    coverage === "sample" ? "only a sample of the interleavings was run" : "the model is larger";
  for (const outcome of cell.extra) console.log(`    extra: ${outcome} (${cause})`);
}

function sums(title: string, cells: readonly Comparison[]): void {
  const full = cells.filter((cell) => cell.coverage === "all");
  const equal = full.filter((cell) => cell.extra.length === 0 && cell.missing.length === 0);
  console.log(
    `${title}: ${String(cells.length)} cells,` +
      ` ${String(count(cells, (cell) => cell.measured))} outcomes observed,` +
      ` ${String(count(cells, (cell) => cell.modelled))} allowed,` +
      ` ${String(count(cells, (cell) => cell.missing.length))} missing,` +
      ` ${String(count(cells, (cell) => cell.extra.length))} extra;` +
      ` ${String(equal.length)} of ${String(full.length)} fully covered cells equal`,
  );
}

function count(cells: readonly Comparison[], of: (cell: Comparison) => number): number {
  return cells.reduce((total, cell) => total + of(cell), 0);
}
