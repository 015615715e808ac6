// `isolens testgen`: an anomaly as a test that fails while it is possible, or as a script of several sessions.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { loadPgParser } from "../engine/pgParser";
import { loadCodeParsers } from "../engine/treeSitter";
import { createProjectReader } from "../service/readProject";
import { generateTest } from "../testgen/generate";
import { fileErrorText, readTextFileNow } from "../workspace/textFile";
import { chooseAnomaly } from "./anomalyChoice";
import type { CliIo } from "./io";
import { levelsOfInstances } from "./levelsOfInstances";
import { EXIT } from "./exit";
import type { CheckSurroundings } from "./run";
import type { TestgenArguments } from "./testgenArguments";

/** Runs the command and returns the exit code: 0 if the test was written, 2 if there is none for this anomaly. */
export async function testgenCommand(
  args: TestgenArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const out = args.out === undefined ? undefined : path.resolve(io.cwd, args.out);
  const chosen = await chooseAnomaly(args, io, surroundings);
  if (typeof chosen === "number") return chosen;
  const { done, anomaly } = chosen;
  const { project } = done;
  const parsers = { pg: await loadPgParser() };
  const levels = levelsOfInstances(chosen);
  const names = anomaly.witness.instances.map(({ instance }) => instance);
  const from = out === undefined ? io.cwd : path.dirname(out);
  const test = generateTest(
    {
      anomaly,
      program: createProjectReader(parsers, await loadCodeParsers()).read(project),
      files: [...project.files, ...project.context],
      dialect: project.configuration.dialect,
      parsers,
      levelOf: (instance) => levels[names.indexOf(instance)] ?? done.level,
      folder: path.relative(from, project.folder).split(path.sep).join("/") || ".",
      ...(out !== undefined && { fileName: path.basename(out) }),
    },
    args.language,
  );
  if (!test.ok) {
    io.error(`isolens: no test for ${anomaly.id}: ${test.reason}\n`);
    return EXIT.unknown;
  }
  if (out === undefined) {
    io.out(test.text);
    return EXIT.clean;
  }
  // A file with other content is not overwritten.
  const there = readTextFileNow(out);
  const isFree = !there.ok && there.isMissing === true;
  if (!isFree && !(there.ok && there.text.includes("(isolens "))) {
    io.error(`isolens: ${args.out ?? ""} exists and was not generated; name another --out\n`);
    return EXIT.usage;
  }
  try {
    // A dangling link is not followed either.
    writeFileSync(out, test.text, { flag: isFree ? "wx" : "w" });
  } catch (error) {
    io.error(`isolens: ${args.out ?? ""}: not written: ${fileErrorText(error)}\n`);
    return EXIT.usage;
  }
  io.error(`isolens: written to ${args.out ?? ""}\n`);
  return EXIT.clean;
}
