// Sums of the servers' fuzzer, for all programs and for each feature.
import type { Judgement } from "./judge";
import type { FuzzProgram } from "./program";

interface Sums {
  programs: number;
  safe: number;
  anomaly: number;
  undecided: number;
  confirmed: number;
  interleavings: number;
  contradictions: number;
}

export interface Tally {
  add(program: FuzzProgram, judgement: Judgement): void;
  /** Programs that were judged. */
  count(): number;
  print(): void;
}

export function openTally(): Tally {
  const features = new Map<string, Sums>();
  const reasons = new Map<string, number>();
  const refusals = new Map<string, number>();
  const sumsOf = (name: string): Sums => {
    const known = features.get(name);
    if (known) return known;
    const fresh = {
      programs: 0,
      safe: 0,
      anomaly: 0,
      undecided: 0,
      confirmed: 0,
      interleavings: 0,
      contradictions: 0,
    };
    features.set(name, fresh);
    return fresh;
  };
  return {
    add: (program, judgement) => {
      if (judgement.verdict === "refused") {
        countEach(refusals, judgement.reasons);
        return;
      }
      for (const name of ["all", program.level, ...program.features]) {
        const sums = sumsOf(name);
        sums.programs += 1;
        sums[judgement.verdict] += 1;
        sums.confirmed += judgement.confirmed;
        sums.interleavings += judgement.interleavings;
        sums.contradictions += judgement.contradictions.length;
      }
      countEach(reasons, judgement.reasons);
    },
    count: () => features.get("all")?.programs ?? 0,
    print: () => {
      const columns = [
        "programs",
        "safe",
        "anomaly",
        "undecided",
        "confirmed",
        "interleavings",
        "contradictions",
      ] as const;
      console.log(["feature".padEnd(34), ...columns].join("  "));
      const rows = [...features].sort(([a, x], [b, y]) =>
        a === "all" ? -1 : b === "all" ? 1 : y.programs - x.programs,
      );
      for (const [name, sums] of rows) {
        const share = `${((100 * sums.undecided) / sums.programs).toFixed(0)} %`;
        const cells = columns.map((column) =>
          (column === "undecided" ? share : String(sums[column])).padStart(column.length),
        );
        console.log([name.padEnd(34), ...cells].join("  "));
      }
      printMost("programs that the server refused, by its reason", refusals);
      printMost("what was undecided, by its reason", reasons);
    },
  };
}

/** Counts the texts, numbers in them aside. */
function countEach(counts: Map<string, number>, texts: readonly string[]): void {
  for (const text of new Set(texts.map((each) => each.replace(/[\d.]+/g, "N"))))
    counts.set(text, (counts.get(text) ?? 0) + 1);
}

function printMost(title: string, counts: ReadonlyMap<string, number>): void {
  if (counts.size > 0) console.log(`\n${title}`);
  for (const [text, times] of [...counts].sort(([, a], [, b]) => b - a).slice(0, 30))
    console.log(`${String(times).padStart(6)}  ${text}`);
}
