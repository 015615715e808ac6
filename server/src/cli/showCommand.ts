// `isolens show`: one anomaly in full.
import type { ShowArguments } from "./arguments";
import { exitCode, keyOf } from "./checkCommand";
import { paintFor } from "./io";
import type { CliIo } from "./io";
import { anomalyDetails } from "./reporters/anomalyText";
import { jsonAnomaly } from "./reporters/json";
import { EXIT, runChecks } from "./run";
import type { CheckSurroundings, ProjectCheck } from "./run";

/** Runs the command and returns the exit code: 0 when an anomaly was shown. */
export async function showCommand(
  args: ShowArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const all: ProjectCheck[] = [];
  const failed = await runChecks(args, io, surroundings, (done) => all.push(done));
  if (failed !== undefined) return failed;
  const wanted = args.anomaly.toLowerCase();
  const found = all.flatMap((done) =>
    done.check.report.anomalies.map((anomaly) => ({ done, anomaly })),
  );
  const matching = found.filter(({ anomaly }) => anomaly.id.startsWith(wanted));
  const exact = matching.find(({ anomaly }) => anomaly.id === wanted);
  const chosen = exact ?? (matching.length === 1 ? matching[0] : undefined);
  if (chosen) {
    const style = { paint: paintFor(io), columns: io.columns, keyOf: keyOf(chosen.done) };
    io.out(
      args.format === "json"
        ? jsonAnomaly(chosen.anomaly)
        : `${anomalyDetails(chosen.anomaly, style)}\n`,
    );
    return EXIT.clean;
  }
  const list = (matching.length > 0 ? matching : found).map(
    ({ anomaly }) => `  ${anomaly.id}  ${anomaly.kind}: ${anomaly.transactions.join(", ")}`,
  );
  const levels = [...new Set(all.map(({ level }) => level.name))].join(", ");
  const problem =
    matching.length > 1
      ? `"${args.anomaly}" is the start of several ids`
      : `there is no anomaly "${args.anomaly}" at ${levels}`;
  const hint = list.length > 0 ? `; there are:\n${list.join("\n")}` : "; nothing was found there";
  io.error(`isolens: ${problem}${hint}\n`);
  const code = exitCode(all.map(({ check }) => check.report.verdict));
  // Undecided questions may be why it is missing; otherwise the id is wrong.
  return code === EXIT.unknown ? EXIT.unknown : EXIT.usage;
}
