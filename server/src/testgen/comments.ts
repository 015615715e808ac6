// The head of every generated file, as plain lines; each language adds its comment signs.
import { wrapText } from "./lineWrap";
import type { TestPlan } from "./plan";

/** Lines for the top of a test. */
export function headOf(plan: TestPlan): readonly string[] {
  const loaded = plan.definitions.filter(({ text }) => text === undefined);
  const copied = plan.definitions.filter(({ text }) => text !== undefined);
  const copies = plan.sessions.some(({ script }) => script.length > 1) || copied.length > 0;
  return [
    ...wrapText(`${plan.title} (isolens ${plan.id})`),
    "",
    ...wrapText(plan.message),
    "",
    ...wrapText(
      "The sessions run at the same time, stopped and let go in the order of SCHEDULE; then every order of them one after" +
        " the other. The test passes when running at the same time gives what one of the orders gives, and fails while" +
        " the anomaly is possible. Nothing depends on time: whether a session is stopped or waits for a lock is what the" +
        " server says. A session that the server rolls back (40001, 40P01) is tried again, as an application should do.",
    ),
    ...(loaded.length > 0
      ? wrapText(`Read from their files at each run: ${loaded.map(({ file }) => file).join(", ")}.`)
      : []),
    ...(copies
      ? wrapText(
          `Copied here: ${[
            ...new Set([
              ...copied.map(({ file }) => `definitions of ${file}`),
              ...plan.sessions
                .filter(({ script }) => script.length > 1)
                .map(({ transaction, from }) => `${transaction} (${from})`),
            ]),
          ].join(", ")}. What you change there, change here.`,
        )
      : []),
  ];
}

/** The message of the failing assertion, before the two results. */
export function failureOf(plan: TestPlan): string {
  return `${plan.title}: running at the same time gives what no order one after the other gives.`;
}
