// Texts of errors. An error with a sentence for people is reported with it. Any other error is a defect of the product: its text speaks of
// code that the reader does not know, so it is reported by a code.

/** The reason of a failure as a part of a sentence: the error's own text if it is the system's or written for people, else `faultText`. */
export function reasonOf(error: unknown): string {
  return isTold(error) ? error.message : faultText(error);
}

/** A defect as a part of a sentence: its code, and a request to report it. */
export function faultText(error: unknown): string {
  return `internal fault ${faultCode(error)}, please report it with what you asked for`;
}

/** A code that is the same for the same defect of the same build: from the error's kind and the place that threw it. */
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

/** True if an error has a sentence for people, which errors thrown by the language never do. */
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
