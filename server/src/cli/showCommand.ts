// `isolens show`: one anomaly in full.
import type { ShowArguments } from "./arguments";
import { keyOf } from "./checkCommand";
import { chooseAnomaly } from "./anomalyChoice";
import { paintFor } from "./io";
import type { CliIo } from "./io";
import { anomalyDetails } from "./reporters/anomalyText";
import { jsonAnomaly } from "./reporters/json";
import { EXIT } from "./exit";
import type { CheckSurroundings } from "./run";

/** Runs the command and returns the exit code: 0 when an anomaly was shown. */
export async function showCommand(
  args: ShowArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const chosen = await chooseAnomaly(args, io, surroundings);
  if (typeof chosen === "number") return chosen;
  const style = { paint: paintFor(io), columns: io.columns, keyOf: keyOf(chosen.done) };
  io.out(
    args.format === "json"
      ? jsonAnomaly(chosen.anomaly)
      : `${anomalyDetails(chosen.anomaly, style)}\n`,
  );
  return EXIT.clean;
}
