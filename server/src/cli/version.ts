// The version of the package that this file was installed with.
import { readFileSync } from "node:fs";
import path from "node:path";

/** From the nearest package.json of ours upwards: beside dist/ in a build, at the root in a checkout. */
export const VERSION: string = findVersion(__dirname);

/** The tool's name in reports. */
export const TOOL = `isolens ${VERSION}`;

function findVersion(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    const version = versionIn(path.join(at, "package.json"));
    if (version !== undefined) return version;
    if (path.dirname(at) === at) return "0.0.0";
  }
}

function versionIn(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // No such file: the search continues upwards.
    return undefined;
  }
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest !== "object" || manifest === null) return undefined;
  const { name, version } = manifest as { readonly name?: unknown; readonly version?: unknown };
  return name === "isolens" && typeof version === "string" ? version : undefined;
}
