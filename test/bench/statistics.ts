// Medians of repeated measurements, and how figures are printed.

/** The middle value; of an even number of values the lower of the two. 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Milliseconds that a call takes, and what it returns. */
export async function timed<Result>(
  call: () => Result | Promise<Result>,
): Promise<{ readonly milliseconds: number; readonly result: Result }> {
  const started = performance.now();
  const result = await call();
  return { milliseconds: performance.now() - started, result };
}

/** The median of a call's times over some runs, after one that does not count. */
export async function medianTime(runs: number, call: () => unknown): Promise<number> {
  await call();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push((await timed(call)).milliseconds);
  return median(times);
}

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

/** Prints a table whose columns are as wide as their contents. */
export function printTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  print: (line: string) => void,
): void {
  const all = [columns.map((column) => column.title), ...rows];
  const widths = columns.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  for (const row of all) {
    const cells = columns.map((column, at) => {
      const [text, width] = [row[at] ?? "", widths[at] ?? 0];
      return column.align === "left" ? text.padEnd(width) : text.padStart(width);
    });
    print(`  ${cells.join("  ")}`.trimEnd());
  }
}
