// Recognition of client programs by their text, used by the editor.

/** True if a JSON text looks like a client program: it has sessions of calls, unlike histories. */
export function looksLikeJsonClient(text: string): boolean {
  return (
    /^\s*(?:\/\/[^\n]*\n\s*|\/\*[^]*?\*\/\s*)*\{/u.test(text) &&
    /"sessions"\s*:\s*\[\s*\[\s*(?:\]|\[\s*"|\{\s*"call")/u.test(text) &&
    !/"format"\s*:\s*"isolens-history"/u.test(text)
  );
}

/** True if a JavaScript or TypeScript text looks like a client program: a module that exports sessions and assertions. */
export function looksLikeCodeClient(text: string): boolean {
  const gives = (name: string): boolean =>
    new RegExp(
      `(?:\\bexport\\s+(?:const|let|async\\s+function|function)\\s+${name}\\b|\\bexports\\.${name}\\s*=|module\\.exports\\s*=\\s*\\{[^}]*\\b${name}\\b)`,
      "u",
    ).test(text);
  return gives("sessions") && (gives("assert") || gives("schema") || gives("initial"));
}
