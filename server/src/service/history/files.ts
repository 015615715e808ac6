// Finds recorded histories in files and folders by their content.
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import {
  FORMAT_TITLES,
  HEAD_BYTES,
  recogniseFormat,
  type FormatName,
} from "../../history/formats/format";
import { fileErrorText, openRegularFile } from "../../workspace/regularFile";

/** One recorded history: a file, or the related logs of a folder. */
export interface HistoryInput {
  /** The name for messages: relative to the working directory, with `/`. */
  readonly name: string;
  readonly format: FormatName;
  /** Absolute paths in reading order. */
  readonly files: readonly string[];
  /** The total size of the files. */
  readonly bytes: number;
}

export interface FoundHistories {
  readonly inputs: readonly HistoryInput[];
  /** The requested files that cannot be read, with advice. */
  readonly problems: readonly string[];
  /** Files of a folder that contain no history. */
  readonly skipped: readonly string[];
}

/** Looks at a file, or at everything in a folder. Never rejects for what it finds. */
export async function findHistories(asked: string, cwd: string): Promise<FoundHistories> {
  const absolute = path.resolve(cwd, asked);
  try {
    const found = await stat(absolute);
    return found.isDirectory() ? await inFolder(absolute, cwd) : oneFile(absolute, cwd);
  } catch (error) {
    return { inputs: [], problems: [`${asked}: not read: ${fileErrorText(error)}`], skipped: [] };
  }
}

function oneFile(absolute: string, cwd: string): FoundHistories {
  const looked = look(absolute);
  const name = shortName(absolute, cwd);
  if ("reason" in looked)
    return { inputs: [], problems: [`${name}: ${looked.reason}`], skipped: [] };
  if (!looked.format) {
    const why = looked.bytes === 0 ? "the file is empty" : "this is no recorded history";
    return { inputs: [], problems: [`${name}: ${why}; ${KNOWN}`], skipped: [] };
  }
  return {
    inputs: [{ name, files: [absolute], ...looked, format: looked.format }],
    problems: [],
    skipped: [],
  };
}

const KNOWN = `histories are read from ${Object.values(FORMAT_TITLES).join(", ")}`;

async function inFolder(folder: string, cwd: string): Promise<FoundHistories> {
  const inputs: HistoryInput[] = [];
  const problems: string[] = [];
  const skipped: string[] = [];
  const logs = new Map<string, { file: string; bytes: number }[]>();
  for (const file of await filesBelow(folder)) {
    const name = shortName(file, cwd);
    const looked = look(file);
    if ("reason" in looked) {
      problems.push(`${name}: ${looked.reason}`);
      continue;
    }
    const { format, bytes } = looked;
    if (!format) skipped.push(name);
    else if (format !== "cobra") inputs.push({ name, format, files: [file], bytes });
    else {
      const own = path.dirname(file);
      logs.set(own, [...(logs.get(own) ?? []), { file, bytes }]);
    }
  }
  for (const [own, files] of logs) inputs.push(logsOf(own, files, cwd));
  inputs.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (inputs.length === 0 && problems.length === 0)
    problems.push(
      `${shortName(folder, cwd)}: there is no recorded history in this folder; ${KNOWN}`,
    );
  return { inputs, problems, skipped };
}

/** Cobra writes one log per session into one folder. */
function logsOf(
  folder: string,
  files: readonly { readonly file: string; readonly bytes: number }[],
  cwd: string,
): HistoryInput {
  const ordered = [...files].sort((a, b) =>
    path.basename(a.file).localeCompare(path.basename(b.file), "en", { numeric: true }),
  );
  return {
    name: shortName(folder, cwd),
    format: "cobra",
    files: ordered.map(({ file }) => file),
    bytes: ordered.reduce((sum, each) => sum + each.bytes, 0),
  };
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.split(path.sep).includes("node_modules"))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function look(
  absolute: string,
):
  | { readonly format: FormatName | undefined; readonly bytes: number }
  | { readonly reason: string } {
  const opened = openRegularFile(absolute);
  if (!opened.ok) return { reason: opened.reason };
  const { file } = opened;
  try {
    const head = new Uint8Array(Math.min(file.size, HEAD_BYTES));
    return { format: recogniseFormat(head.subarray(0, file.read(head))), bytes: file.size };
  } catch (error) {
    return { reason: `not read: ${fileErrorText(error)}` };
  } finally {
    file.close();
  }
}

function shortName(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  if (relative === "") return ".";
  return relative.startsWith("..") ? file : relative.split(path.sep).join("/");
}
