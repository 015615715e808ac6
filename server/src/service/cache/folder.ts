// The folder in which results are kept between runs, by each platform's convention.
import { statSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** The cache folder: the value of ISOLENS_CACHE ("off" for none), else the platform's cache folder. Undefined if nothing is cached. */
export function cacheFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homeFolder(),
): string | undefined {
  const asked = env["ISOLENS_CACHE"] ?? "";
  if (asked.toLowerCase() === "off") return undefined;
  if (asked !== "") return path.resolve(asked);
  const under = (
    folder: string | undefined,
    ...otherwise: readonly string[]
  ): string | undefined => {
    if (folder !== undefined && folder !== "") return path.join(folder, NAME);
    return home === undefined ? undefined : path.join(home, ...otherwise, NAME);
  };
  if (platform === "win32") return under(env["LOCALAPPDATA"], "AppData", "Local");
  if (platform === "darwin") return under(undefined, "Library", "Caches");
  // The XDG rules ignore a path that is not absolute.
  const xdg = env["XDG_CACHE_HOME"] ?? "";
  return under(path.isAbsolute(xdg) ? xdg : undefined, ".cache");
}

const NAME = "isolens";

function homeFolder(): string | undefined {
  try {
    return os.homedir();
  } catch {
    // An account without a home, as in some containers.
    return undefined;
  }
}

/**
 * The identity of a build, so that no build uses another one's results: version, size and time of the running scripts, missing ones
 * included.
 */
export function buildOf(tool: string, scripts: readonly string[]): string {
  const stamps = scripts.map((script) => {
    const known = statSync(script, { throwIfNoEntry: false });
    return known ? `${String(known.size)}-${String(known.mtimeMs)}` : "none";
  });
  return [tool, process.version, ...stamps].join(" ");
}
