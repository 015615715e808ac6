// Advice on refusals by a server, in one sentence for all views.
import { dictionary } from "./dictionary";
import type { Anomaly } from "./report";

/** The advice; undefined for anomalies, which break data. */
export function refusalAdvice({
  severity,
  kind,
}: Pick<Anomaly, "severity" | "kind">): string | undefined {
  return severity === "refused" ? (ADVICE[kind] ?? AGAIN) : undefined;
}

const AGAIN =
  "run the whole transaction again, from BEGIN on and with what it reads, when the server ends it";

const ADVICE = dictionary<string | undefined>({
  deadlock:
    "lock in one order everywhere, and run the whole transaction again when the server ends it",
  "duplicate-key":
    "insert without looking and say what happens where the key is taken (ON CONFLICT, an upsert, or a handler of the error), or try again where the code chose the key",
  "swallowed-error":
    "let the error leave the transaction, or return to a savepoint where it is to go on",
  "retry-in-transaction":
    "put the loop around the whole transaction, so that each try begins with BEGIN",
  "repeated-effect":
    "call it once, behind the loop, or write into a table of the transaction what is to be sent, and send it from there",
});
