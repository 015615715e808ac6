// The help against the refusals of a server, in one sentence for all faces.
import type { Anomaly } from "./report";

/** The advice; undefined for anomalies, which break data. */
export function refusalAdvice({ severity }: Pick<Anomaly, "severity">): string | undefined {
  if (severity !== "refused") return undefined;
  return "lock in one order everywhere, and run the whole transaction again when the server ends it";
}
