// Files of packages that are loaded at run time.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** The content of a file of a package. Throws where it is missing. */
export function packageBytes(packageName: string, file: string): Uint8Array {
  return readFileSync(packageFile(packageName, file));
}

/** In a bundle beside the script, else in the installed package. */
export function packageFile(packageName: string, file: string): string {
  const beside = path.join(__dirname, path.basename(file));
  if (existsSync(beside)) return beside;
  const own = createRequire(__filename);
  for (const folder of own.resolve.paths(packageName) ?? []) {
    const installed = path.join(folder, packageName, file);
    if (existsSync(installed)) return installed;
  }
  throw new Error(`${path.basename(file)} is missing: no such file`);
}
