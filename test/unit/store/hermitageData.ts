// The scenarios of the Hermitage project as servers answered them: data/hermitage-postgres.json and hermitage-mariadb.json.
import { readFileSync } from "node:fs";

export interface HermitageStep {
  readonly session: string;
  readonly sql: string;
  readonly rows?: string;
  readonly affected?: number;
  readonly blocked?: boolean;
  readonly error?: string;
  readonly skipped?: boolean;
}

export interface HermitageRun {
  readonly level: string;
  readonly name: string;
  readonly anomaly: boolean | null;
  readonly steps: readonly HermitageStep[];
}

/** One for each scenario and level. */
export function readHermitage(product: "postgres" | "mariadb"): readonly HermitageRun[] {
  const file = new URL(`../../data/hermitage-${product}.json`, import.meta.url);
  // The file is ours, in the shape above.
  return JSON.parse(readFileSync(file, "utf8")) as readonly HermitageRun[];
}
