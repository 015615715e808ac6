// The arguments of `isolens testgen`: which anomaly, in which language, where to.
import { TEST_LANGUAGES, type TestLanguage } from "../testgen/languages";
import type { CommonArguments } from "./commonArguments";

export interface TestgenArguments extends CommonArguments {
  readonly command: "testgen";
  readonly anomaly: string;
  readonly language: TestLanguage;
  /** Absent: standard output. */
  readonly out?: string;
}

/** Output that `--lang` and `--out` ask for, or the fault of those. */
export function testgenOutput(
  lang: string | undefined,
  out: string | undefined,
): Pick<TestgenArguments, "language" | "out"> | string {
  const known = TEST_LANGUAGES.join(", ");
  if (lang === undefined) return `"testgen" needs --lang, one of ${known}`;
  const language = TEST_LANGUAGES.find((each) => each === lang);
  if (!language) return `--lang must be one of ${known}, and is "${lang}"`;
  if (out === "") return "--out needs a file";
  return { language, ...(out !== undefined && { out }) };
}
