// Places in the text of a code client, for problems and assertions.
import path from "node:path";
import type { Range } from "../../protocol/source";
import { ModuleFault } from "./moduleLoader";

/** The reason why a program cannot be loaded, with its line (from 1) if known. */
export function faultText(error: unknown, file: string): readonly [string, number | undefined] {
  if (error instanceof ModuleFault) {
    const where = error.file === file ? "" : `${path.relative(path.dirname(file), error.file)}: `;
    return [`${where}${error.message}`, error.file === file ? error.line : undefined];
  }
  if (!(error instanceof Error))
    return [`it throws when it is loaded: ${String(error)}`, undefined];
  const escaped = file.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  const line = new RegExp(`${escaped}:(\\d+)`, "u").exec(error.stack ?? "")?.[1];
  return [
    `it fails when it is loaded: ${error.message}`,
    line === undefined ? undefined : Number(line),
  ];
}

export function lineRange(line: number | undefined): Range {
  const at = Math.max(0, (line ?? 1) - 1);
  return { start: { line: at, character: 0 }, end: { line: at, character: 1000 } };
}

/** Heuristic places of names in a program's text. */
export function placesIn(text: string) {
  const rangeAt = (offset: number, length: number): Range => {
    const before = text.slice(0, offset);
    const line = before.split("\n").length - 1;
    const character = offset - (before.lastIndexOf("\n") + 1);
    const breaks = text.slice(offset, offset + length).indexOf("\n");
    const end = character + (breaks < 0 ? length : breaks);
    return { start: { line, character }, end: { line, character: end } };
  };
  return {
    /** The export of that name, by default the beginning. */
    of(name: string): Range {
      const found = new RegExp(`\\b${name}\\b\\s*(?::[^=\\n]*)?[=:(]`, "u").exec(text);
      return found === null ? rangeAt(0, 1) : rangeAt(found.index, name.length);
    },
    /** The first of these that occurs. */
    ofText(...wanted: readonly string[]): Range {
      const found = wanted.find((each) => text.includes(each));
      return found === undefined ? this.of("assert") : rangeAt(text.indexOf(found), found.length);
    },
  };
}
