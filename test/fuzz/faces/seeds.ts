// Inputs to begin with: the example programs, recorded histories and clients of the repository.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { LONGEST } from "./mutate";

const TEST = path.resolve(__dirname, "../..");

/** Files of a folder of test/, long ones in pieces. */
export function filesIn(folder: string, pattern: RegExp): readonly Buffer[] {
  return readdirSync(path.join(TEST, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name) && !name.includes("node_modules"))
    .sort()
    .flatMap((name) => pieces(readFileSync(path.join(TEST, folder, name))));
}

export function texts(...all: readonly string[]): readonly Buffer[] {
  return all.map((text) => Buffer.from(text, "utf8"));
}

/** At lines, so that most of them are whole. */
function pieces(bytes: Buffer): readonly Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < bytes.length && all.length < 8;) {
    const end = bytes.lastIndexOf("\n\n", at + LONGEST * 0.8);
    const next = end > at ? end : Math.min(bytes.length, at + LONGEST);
    all.push(bytes.subarray(at, next));
    at = next;
  }
  return all;
}
