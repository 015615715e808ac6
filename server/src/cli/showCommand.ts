// `isolens show`: one anomaly in full.
import { namedFrom } from "../service/findings/applicationPlaces";
import { keyOf } from "./checkCommand";
import { chooseAnomaly } from "./anomalyChoice";
import { paintFor } from "./io";
import type { CliIo } from "./io";
import { anomalyDetails } from "./reporters/anomalyText";
import { jsonAnomaly } from "./reporters/json";
import { EXIT } from "./exit";
import type { CheckSurroundings } from "./run";
import type { ShowArguments } from "./commonArguments";

/** Runs the command and returns the exit code: 0 if an anomaly was shown. */
export async function showCommand(
  args: ShowArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const chosen = await chooseAnomaly(args, io, surroundings);
  if (typeof chosen === "number") return chosen;
  const { anomaly, done } = chosen;
  const style = { paint: paintFor(io), columns: io.columns, keyOf: keyOf(done) };
  const one = { ...done.check.report, anomalies: [anomaly] };
  const [placed = anomaly] = namedFrom(one, done.project.folder, io.cwd).anomalies;
  io.out(args.format === "json" ? jsonAnomaly(anomaly) : `${anomalyDetails(placed, style)}\n`);
  return EXIT.clean;
}
