// Fixtures: SQL files in which each part is followed by what it must become, in comments that begin with `--=`.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface FixtureCase {
  /** The line where it starts, from 1. */
  readonly line: number;
  readonly sql: string;
  readonly expected: readonly string[];
}

const FOLDER = path.join(__dirname, "fixtures");
const MARK = /^--= ?/;

/** The cases of a file. */
export function fixture(name: string, folder = FOLDER): readonly FixtureCase[] {
  const cases: FixtureCase[] = [];
  let sql: string[] = [];
  let expected: string[] = [];
  let line = 1;
  const lines = readFileSync(path.join(folder, name), "utf8").split("\n");
  const close = (next: number): void => {
    if (expected.length > 0) cases.push({ line, sql: sql.join("\n").trim(), expected });
    if (expected.length > 0) sql = [];
    expected = [];
    line = next;
  };
  lines.forEach((text, at) => {
    if (MARK.test(text)) expected.push(text.replace(MARK, ""));
    else {
      if (expected.length > 0) close(at + 1);
      sql.push(text);
    }
  });
  close(lines.length);
  return cases;
}

/** With UPDATE=1 in the environment, the file is written anew with what the cases give now. */
export function update(name: string, cases: readonly FixtureCase[], folder = FOLDER): void {
  const text = cases.map(({ sql, expected }) => {
    const marks = expected.map((each) => `--= ${each}`.trimEnd());
    return [sql, ...marks].join("\n");
  });
  writeFileSync(path.join(folder, name), `${text.join("\n\n")}\n`);
}

export const UPDATING = process.env["UPDATE"] === "1";
