// Runs of learnt transactions that leave what was seen: a statement that found or changed rows in all recorded runs has none here,
// or the other way round. Nobody knows the program behind it, which may give up there.
import type { Statement } from "../program/statement";
import type { ExecutedStep, Execution } from "./execution";

/**
 * The reason against a run with such a statement; undefined without one. A transaction of that statement alone does nothing else
 * that could be otherwise.
 */
export function rowCountObjection({ steps }: Pick<Execution, "steps">): string | undefined {
  for (const step of steps) {
    const { source, instance } = step;
    if (source?.seenRows === undefined || step.waitsFor || isSeen(step, source)) continue;
    const isAlone = steps.every(
      (other) => other === step || other.instance !== instance || other.source === undefined,
    );
    if (!isAlone) return reasonOf(source);
  }
  return undefined;
}

function isSeen({ result, affected }: ExecutedStep, { kind, seenRows }: Statement): boolean {
  const rows = kind === "select" ? result.length : affected;
  return rows > 0 === (seenRows === "some");
}

function reasonOf({ kind, text, seenRows }: Statement): string {
  const does = kind === "select" ? "finds" : "changes";
  const what = seenRows === "some" ? "no row" : "a row";
  return `no recorded run showed what follows where "${shortText(text)}" ${does} ${what}`;
}

const LONGEST = 60;

function shortText(text: string): string {
  const plain = text.replace(/\s+/g, " ");
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST).replace(/ \S*$/, "")} ...`;
}
