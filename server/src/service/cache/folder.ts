// Where results are kept between runs: a folder of the user's own, as each platform wants it.
import { statSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/**
 * The folder of the cache: what ISOLENS_CACHE says ("off" for none), else the platform's place for caches. Undefined
 * where nothing is to be kept.
 */
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
  // The XDG rules: a path that is not absolute does not count.
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
 * The identity of a build of the tool, so that no build uses another one's results: version, size and time of
 * the running scripts. Scripts that do not exist count as such.
 */
export function buildOf(tool: string, scripts: readonly string[]): string {
  const stamps = scripts.map((script) => {
    const known = statSync(script, { throwIfNoEntry: false });
    return known ? `${String(known.size)}-${String(known.mtimeMs)}` : "none";
  });
  return [tool, process.version, ...stamps].join(" ");
}
