// Tests and scripts generated from an anomaly, in the requested language.
import type { TestLanguage } from "./languages";
import { planTest } from "./plan";
import { javaTest } from "./java";
import { pythonTest } from "./python";
import { twoSessionScript } from "./twoSessions";
import { typescriptTest } from "./typescript";
import type { TestInput } from "./input";

export type GeneratedTest =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** The test's text, or the reason why there is none. */
export function generateTest(input: TestInput, language: TestLanguage): GeneratedTest {
  const { status, reason } = input.anomaly;
  if (status === "unconfirmed")
    return { ok: false, reason: `it is not confirmed: ${reason ?? "its run is not known"}` };
  if (language === "sql") return { ok: true, text: twoSessionScript(input) };
  const planned = planTest(input);
  if (!planned.ok) return planned;
  switch (language) {
    case "ts":
      return { ok: true, text: typescriptTest(planned.plan) };
    case "python":
      return { ok: true, text: pythonTest(planned.plan) };
    case "java":
      return { ok: true, text: javaTest(planned.plan, input.fileName) };
  }
}
