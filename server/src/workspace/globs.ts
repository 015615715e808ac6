// File patterns of the configuration: `*`, `**`, `?`, `[abc]` and `{a,b}` over paths with `/`.
import { RE2JS, RE2JSSyntaxException } from "re2js";

/**
 * A predicate on paths relative to the configuration's folder. A pattern without wildcard also matches everything below it, and one without
 * `/` matches at any depth, as for "node_modules".
 */
export function compileGlobs(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => globToRegExp(pattern));
  return (path) => tests.some((test) => test.test(path));
}

function globToRegExp(pattern: string): RE2JS {
  const trimmed = pattern.replace(/^\.\//u, "").replace(/\/+$/u, "");
  const anywhere = trimmed.includes("/") ? "" : "(?:.*/)?";
  try {
    return RE2JS.compile(`^${anywhere}${translate(trimmed)}(?:/.*)?$`);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    // An invalid class such as [z-a] is matched literally.
    return RE2JS.compile(`^${anywhere}${RE2JS.quote(trimmed)}(?:/.*)?$`);
  }
}

function translate(glob: string): string {
  let out = "";
  let alternatives = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at] ?? "";
    const set = character === "[" ? /^\[[^\]/]+\]/u.exec(glob.slice(at))?.[0] : undefined;
    if (glob.startsWith("**/", at)) {
      out += "(?:.*/)?";
      at += 2;
    } else if (glob.startsWith("**", at)) {
      out += ".*";
      at += 1;
    } else if (character === "*") out += "[^/]*";
    else if (character === "?") out += "[^/]";
    else if (set !== undefined) {
      out += set.replace(/^\[!/u, "[^").replaceAll("\\", "\\\\");
      at += set.length - 1;
    } else if (character === "{" && glob.includes("}", at)) {
      out += "(?:";
      alternatives += 1;
    } else if (character === "}" && alternatives > 0) {
      out += ")";
      alternatives -= 1;
    } else if (character === "," && alternatives > 0) out += "|";
    else out += character.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  }
  return out + ")".repeat(alternatives);
}
