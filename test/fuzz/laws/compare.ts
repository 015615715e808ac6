// The answer of `check` on a program, in the words that must not change.
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import type { FileId } from "../../../server/src/protocol/source";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { analyseProgram } from "../../unit/truth/analyse";
import type { Example, ExampleFile } from "./examples";
import { ADDED, type Law } from "./laws";

const parsers = Promise.all([loadPgParser(), loadCodeParsers()]);

/** A word for each group of transactions with findings, and for each of which something is undecided. */
export async function verdictWords(
  level: string,
  files: readonly ExampleFile[],
): Promise<readonly string[]> {
  const [pg, code] = await parsers;
  const program = createProjectReader({ pg }, code).read({
    files: files.map(({ name, text }) => ({
      // A file of a project that is made up.
      file: name as FileId,
      text,
    })),
    context: [],
    configuration: {
      ...DEFAULT_CONFIGURATION,
      dialect: level.startsWith("mysql") ? "mysql" : "postgres",
    },
  });
  const { anomalies, unknown } = await analyseProgram(program, level, 2);
  const words = (names: readonly string[], what: string): readonly string[] =>
    names.some((name) => ADDED.test(name)) ? [] : [`${[...names].sort().join("+")} ${what}`];
  const found = [
    ...anomalies.flatMap(({ transactions, severity, status }) =>
      words(transactions, `${status} ${severity}`),
    ),
    ...unknown.flatMap(({ transactions }) => words(transactions, "undecided")),
  ];
  return [...new Set(found)].sort();
}

/** The verdict's change by a law, though it must not; nothing where it holds or does not apply. */
export async function lawBroken(
  example: Example,
  expected: readonly string[],
  law: Law,
): Promise<string | undefined> {
  const files = law.change(example.files);
  if (files === undefined) return undefined;
  const found = await verdictWords(example.level, files);
  const gone = expected.filter((word) => !found.includes(word));
  const come = found.filter((word) => !expected.includes(word));
  if (gone.length === 0 && come.length === 0) return undefined;
  return [...gone.map((word) => `- ${word}`), ...come.map((word) => `+ ${word}`)].join("\n");
}
