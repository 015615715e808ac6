// Secrets of names and commands, which must not stand in files that people share.

/** Names of what is secret. */
export const SECRET =
  /pass|pwd|secret|token|salt|hash|api_?key|private|credential|session|otp|cvv/i;

/** A command in one line, without the passwords in its URLs and the values of what is named like a secret. */
export function commandText(command: readonly string[]): string {
  const words = command.map((word, at) => {
    const before = command[at - 1] ?? "";
    if (before.startsWith("-") && !before.includes("=") && SECRET.test(before)) return HIDDEN;
    const [, name, sign] = /^([^=:\s]*)([=:])/.exec(word) ?? [];
    if (name !== undefined && SECRET.test(name)) return `${name}${sign ?? ""}${HIDDEN}`;
    return word.replace(/(:\/\/[^/@\s:]*):[^\s/]*@/g, `$1:${HIDDEN}@`);
  });
  // Line breaks would end the comment that this stands in.
  return words.join(" ").replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ");
}

const HIDDEN = "...";
