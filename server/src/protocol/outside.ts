// Advice on an anomaly of something that is not a single transaction.
import type { Anomaly } from "./report";

/** Advice if no level prevents the anomaly because some participants commit on the way. */
export function outsideAdvice({ outside = [], preventedBy }: Anomaly): string | undefined {
  const names = [...new Set(outside)];
  if (names.length === 0 || preventedBy.length > 0) return undefined;
  const [whose, them] =
    names.length === 1
      ? [`${names.join("")} commits`, "it"]
      : [`${names.join(" and ")} commit`, "each"];
  return `No isolation level prevents it, since ${whose} on the way. Put all that ${them} does into one transaction first.`;
}

/** The transactions of an anomaly that committed on the way in the executed run, in order. */
export function committingOnTheWay({ steps, witness }: Anomaly): readonly string[] {
  const names = witness.instances.flatMap(({ instance, transaction }) => {
    const commits = steps.filter((step) => step.instance === instance && step.commits);
    return commits.length > 1 ? transaction : [];
  });
  return [...new Set(names)];
}
