// Secrets of names and commands, which must not stand in files that people share.

/** Names of what is secret. */
export const SECRET =
  /pass|pwd|secret|token|salt|hash|api_?key|private|credential|session|otp|cvv|authoriz|bearer|cookie/i;

/** A command in one line, without the passwords in its addresses and the values of what is named like a secret. */
export function commandText(command: readonly string[]): string {
  const isMysql = command.some((word) => /mysql|mariadb/i.test(word));
  const words = command.map((word, at) => {
    const before = command[at - 1] ?? "";
    if (SCHEME.test(before)) return HIDDEN;
    if (before.startsWith("-") && !before.includes("=") && SECRET.test(before)) return HIDDEN;
    const [, name, sign] = /^([^=:\s]*)([=:])/.exec(word) ?? [];
    if (name !== undefined && SECRET.test(name)) return `${name}${sign ?? ""}${HIDDEN}`;
    const shown = word
      .replace(/\S+/g, withoutPassword)
      .replace(ASSIGNMENT, `$1${HIDDEN}`)
      .replace(OPTION, `$1${HIDDEN}`);
    return isMysql ? shown.replace(/(?<!\S)-p\S+/g, `-p${HIDDEN}`) : shown;
  });
  // Line breaks would end the comment that this stands in.
  return words.join(" ").replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ");
}

/** `name:password@place`, where passwords may have any sign. */
function withoutPassword(address: string): string {
  const from = address.search(/:(?!\/\/)/);
  const to = address.lastIndexOf("@");
  return from < 0 || to < from
    ? address
    : `${address.slice(0, from)}:${HIDDEN}${address.slice(to)}`;
}

const HIDDEN = "...";
/** Words before the secret of a header, `Authorization: Bearer ...`. */
const SCHEME = /^(?:bearer|basic|digest|negotiate)$/i;
const NAME = `(?:${SECRET.source})[\\w.-]{0,40}`;
/** In lines of a shell, queries of an address, strings of a connection and JSON. */
const ASSIGNMENT = new RegExp(
  `(${NAME}["']?\\s*[=:]\\s*)(?:(?:bearer|basic|digest|negotiate|token) +\\S+?(?=["'\\s]|$)|"[^"]*"|'[^']*'|[^\\s&;,"']+)`,
  "gi",
);
const OPTION = new RegExp(
  `((?<!\\S)-[\\w-]{0,40}${NAME}\\s+)(?:"[^"]*"|'[^']*'|[^\\s-]\\S*)`,
  "gi",
);
