// Writes changed files: all or none, and none that changed since it was read.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileErrorText, openRegularFile } from "./regularFile";

export interface ChangedText {
  /** Absolute path. */
  readonly path: string;
  /** The text before the change; undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The failure with its file; undefined if everything was written. */
export interface WriteFailure {
  readonly path: string;
  readonly reason: string;
}

interface Ready {
  readonly target: string;
  /** The new text in a temporary file. */
  readonly beside: string;
  /** The old content; undefined if there was none. */
  readonly own: Buffer | undefined;
}

/** The bits of a mode by which somebody may write. */
const WRITABLE = 0o222;
const MARK = "\ufeff";

/**
 * Replaces the contents of files, in UTF-8 with their byte order mark. Files that have changed, have another encoding, are not writable, or
 * exist although they should be new are refused before any is touched.
 */
export function writeTexts(changes: readonly ChangedText[]): WriteFailure | undefined {
  const ready: Ready[] = [];
  const refuse = (where: string, reason: string): WriteFailure => {
    for (const { beside } of ready) rmSync(beside, { force: true });
    return { path: where, reason };
  };
  for (const change of changes) {
    try {
      if (change.before === undefined) {
        if (existsSync(change.path)) return refuse(change.path, "there is such a file already");
        mkdirSync(path.dirname(change.path), { recursive: true });
        const beside = path.join(
          path.dirname(change.path),
          `.${path.basename(change.path)}.isolens`,
        );
        writeFileSync(beside, change.after);
        ready.push({ target: change.path, beside, own: undefined });
        continue;
      }
      const target = realpathSync(change.path);
      const own = contentOf(target);
      const mark = own.toString("utf8").startsWith(MARK) ? MARK : "";
      if (!own.equals(Buffer.from(mark + change.before))) {
        const isOther = own.toString("utf8").includes("\ufffd") || own.includes(0);
        const reason = isOther ? "it is not in UTF-8" : "it has changed since it was read";
        return refuse(change.path, reason);
      }
      accessSync(target, constants.W_OK);
      const { mode } = statSync(target);
      // A user with all rights may write it, and yet somebody said no.
      if ((mode & WRITABLE) === 0) return refuse(change.path, "it is read-only");
      const beside = path.join(path.dirname(target), `.${path.basename(target)}.isolens`);
      writeFileSync(beside, mark + change.after, { mode });
      ready.push({ target, beside, own });
    } catch (error) {
      return refuse(change.path, fileErrorText(error));
    }
  }
  for (const [at, { target, beside }] of ready.entries()) {
    try {
      renameSync(beside, target);
    } catch (error) {
      for (const done of ready.slice(0, at))
        if (done.own) writeFileSync(done.target, done.own);
        else rmSync(done.target, { force: true });
      return refuse(target, fileErrorText(error));
    }
  }
  return undefined;
}

/** Throws as `stat` does, and for anything but a regular file of its workspace. */
function contentOf(target: string): Buffer {
  const opened = openRegularFile(target);
  if (!opened.ok) throw new Error(opened.reason);
  const { file } = opened;
  try {
    const own = Buffer.alloc(file.size);
    let length = 0;
    for (let count = 1; count > 0 && length < own.length; length += count)
      count = file.read(own.subarray(length));
    return own.subarray(0, length);
  } finally {
    file.close();
  }
}
