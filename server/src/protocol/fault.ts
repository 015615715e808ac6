// Texts of errors. An error that somebody wrote a sentence for is told by it. Any other one is a defect of the product:
// its own text speaks of code that the reader does not know, so it is told by a code to report.

/**
 * Why something failed, as a part of a sentence: what the error says where it is one of the system's or has a sentence
 * of its own, else `faultText`.
 */
export function reasonOf(error: unknown): string {
  return isTold(error) ? error.message : faultText(error);
}

/** A defect as a part of a sentence: its code, and that it be reported. */
export function faultText(error: unknown): string {
  return `internal fault ${faultCode(error)}, please report it with what you asked for`;
}

/** The same code for the same defect of the same build: made of the error's kind and where it was thrown. */
export function faultCode(error: unknown): string {
  const [name, stack] =
    error instanceof Error ? [error.name, error.stack ?? error.message] : [typeof error, ""];
  const frames = stack.split("\n").filter((line) => /^\s+at /u.test(line));
  const places = frames.slice(0, FRAMES).map((line) => /[^\\/]*$/u.exec(line)?.[0] ?? "");
  let hash = 0x811c9dc5;
  for (const each of [name, ...places].join("\n")) {
    hash = Math.imul(hash ^ (each.codePointAt(0) ?? 0), 0x01000193);
  }
  return `F${(hash >>> 0).toString(16).padStart(8, "0")}`;
}

const FRAMES = 3;

/** True if an error says that calls were nested deeper than the stack allows. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/u.test(error.message);
}

/** True if an error has a sentence for people: none that the language itself throws has. */
function isTold(error: unknown): error is Error {
  return error instanceof Error && error.message !== "" && !DEFECTS.has(error.name);
}

const DEFECTS: ReadonlySet<string> = new Set([
  "TypeError",
  "ReferenceError",
  "RangeError",
  "SyntaxError",
  "EvalError",
  "URIError",
  "RuntimeError",
  "CompileError",
  "LinkError",
  "AssertionError",
  "AssertionError [ERR_ASSERTION]",
]);
