// What to do about an anomaly of what is no single transaction.
import type { Anomaly } from "./report";

/** Where no level prevents the anomaly because some commit on the way: what does. */
export function outsideAdvice({ outside = [], preventedBy }: Anomaly): string | undefined {
  const names = [...new Set(outside)];
  if (names.length === 0 || preventedBy.length > 0) return undefined;
  const [whose, them] =
    names.length === 1 ? [names.join(""), "it"] : [names.join(" and "), "each of them"];
  return `No isolation level prevents it: ${whose} commits on the way. Run ${them} in one transaction first.`;
}
