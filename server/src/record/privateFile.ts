// Files that their owner alone may read, those that were there before as well.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

const OWNER = 0o600;

/** Opens a file for writing, in a folder that is made where there is none. Throws the system's error. */
export function openPrivate(file: string, flags: "a" | "w"): number {
  mkdirSync(path.dirname(file), { recursive: true });
  const handle = openSync(file, flags, OWNER);
  fchmodSync(handle, OWNER);
  return handle;
}

/** Writes a whole file. Throws the system's error. */
export function writePrivate(file: string, text: string): void {
  const handle = openPrivate(file, "w");
  try {
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}

/** Throws the system's error where the file could not be written, and makes nothing. */
export function checkWritable(file: string): void {
  let place = file;
  while (!existsSync(place) && path.dirname(place) !== place) place = path.dirname(place);
  accessSync(place, constants.W_OK);
}
