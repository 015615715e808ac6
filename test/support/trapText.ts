// A file of code that makes the runtime of its parser trap.

/** A text whose recovery from errors makes the runtime trap. Other names, other texts. */
export function trapText(name: string): string {
  const elements = `${"<a>".repeat(2224)}1${"</a>".repeat(2224)}`;
  const ors = "'a'||\n".repeat(200);
  return `import { db } from "./db";
const ${name} = await db("t").where({ id: x${elements}y }).first("n");${ors}`;
}
