// Prints how the store compares with the measured litmus outcomes: one line per cell, and sums.
import {
  paperComparisons,
  productComparisons,
  unreadLitmus,
  type Comparison,
} from "../unit/store/litmusCells";

const started = performance.now();
print("PostgreSQL levels", productComparisons());
print("papers' levels", paperComparisons());
console.log(`not read exactly by the front end: ${unreadLitmus().join(", ") || "none"}`);
console.log(`${Math.round(performance.now() - started)} ms`);

function print(title: string, cells: readonly Comparison[]): void {
  console.log(title);
  for (const cell of cells) {
    const { litmus, level, coverage, measured, modelled, missing, extra } = cell;
    console.log(
      `  ${litmus.id} ${level.padEnd(50)} ${coverage.padEnd(6)} measured ${measured} store ${modelled}` +
        ` missing ${missing.length} extra ${extra.length}  ${litmus.name}`,
    );
    for (const outcome of missing) console.log(`      missing: ${outcome}`);
    for (const outcome of extra) console.log(`      extra:   ${outcome}`);
  }
  const sum = (count: (cell: Comparison) => number) =>
    cells.reduce((total, cell) => total + count(cell), 0);
  const full = cells.filter((cell) => cell.coverage === "all");
  console.log(
    `  ${cells.length} cells, ${sum((cell) => cell.measured)} outcomes measured,` +
      ` ${sum((cell) => cell.missing.length)} missing;` +
      ` ${full.filter((cell) => cell.extra.length === 0).length} of ${full.length} fully covered cells equal`,
  );
}
