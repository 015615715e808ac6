// The arguments of `isolens testgen`: the anomaly, the language and the destination.
import { TEST_LANGUAGES, type TestLanguage } from "../testgen/languages";
import type { CommonArguments } from "./commonArguments";

export interface TestgenArguments extends CommonArguments {
  readonly command: "testgen";
  readonly anomaly: string;
  readonly language: TestLanguage;
  /** Standard output if absent. */
  readonly out?: string;
}

/** The output for `--lang` and `--out`, or the error in them. */
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
