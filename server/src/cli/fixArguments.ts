// The arguments of `isolens fix`: the anomaly, the kind of fix, and whether to write it.
import { FIX_KINDS, type FixKind } from "../protocol/fixes";
import type { CommonArguments, Format } from "./commonArguments";

export interface FixArguments extends CommonArguments {
  readonly command: "fix";
  readonly format: Format;
  readonly anomaly: string;
  /** The cheapest verified one if absent. */
  readonly kind?: FixKind;
  /** True to try and show every kind; the cheapest is written. */
  readonly isEveryKind: boolean;
  /** True to write nothing. */
  readonly isDryRun: boolean;
}

/** Interprets `--fix`, `--all-kinds` and `--dry-run`; returns a text for an error. */
export function fixOptions(values: {
  readonly fix?: string | undefined;
  readonly "all-kinds"?: boolean | undefined;
  readonly "dry-run"?: boolean | undefined;
}): Pick<FixArguments, "kind" | "isEveryKind" | "isDryRun"> | string {
  const kind = FIX_KINDS.find((each) => each === values.fix);
  if (values.fix !== undefined && kind === undefined)
    return `--fix must be one of ${FIX_KINDS.join(", ")}, and is "${values.fix}"`;
  return {
    isEveryKind: values["all-kinds"] ?? false,
    isDryRun: values["dry-run"] ?? false,
    ...(kind && { kind }),
  };
}
