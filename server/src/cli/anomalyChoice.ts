// Resolves an anomaly id on the command line: checks as `check` does, and lists the anomalies if there is none with the id.
import { causeOf } from "../protocol/cause";
import type { Anomaly } from "../protocol/report";
import type { ReplayArguments } from "./replayArguments";
import type { FixArguments } from "./fixArguments";
import { exitCode } from "./checkCommand";
import type { CliIo } from "./io";
import { EXIT } from "./exit";
import { runChecks } from "./run";
import type { CheckSurroundings, ProjectCheck } from "./run";
import type { TestgenArguments } from "./testgenArguments";
import type { ShowArguments } from "./commonArguments";

export interface ChosenAnomaly {
  readonly done: ProjectCheck;
  readonly anomaly: Anomaly;
}

/** Milliseconds for finding an anomaly that was seen before. */
const LONGER = 120_000;

/** The anomaly, or an exit code after printing why there is none. */
export async function chooseAnomaly(
  args: ShowArguments | FixArguments | ReplayArguments | TestgenArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<ChosenAnomaly | number> {
  const all: ProjectCheck[] = [];
  const failed = await runChecks(args, io, surroundings, (done) => all.push(done));
  if (failed !== undefined) return failed;
  const wanted = args.anomaly.toLowerCase();
  const found = all.flatMap((done) =>
    done.check.report.anomalies.map((anomaly) => ({ done, anomaly })),
  );
  // A cause is represented by its worst anomaly, at the first of several levels.
  const caused = all.flatMap((done) => {
    const cause = causeOf(done.check.report.causes ?? [], wanted);
    return found.filter((each) => each.done === done && each.anomaly.id === cause?.anomalies[0]);
  });
  const matching = [
    ...found.filter(({ anomaly }) => anomaly.id.startsWith(wanted)),
    ...caused.slice(0, 1),
  ];
  const exact = matching.find(
    ({ anomaly, done }) =>
      anomaly.id === wanted ||
      done.check.report.causes?.some(
        ({ ids, anomalies }) => ids.includes(wanted) && anomalies[0] === anomaly.id,
      ),
  );
  const chosen = exact ?? (matching.length === 1 ? matching[0] : undefined);
  if (chosen) return chosen;
  const longer = Math.max(...all.map(({ project }) => project.configuration.budget), LONGER);
  const isOpen = all.some(({ check }) => check.report.unknown.length > 0);
  if (
    matching.length === 0 &&
    isOpen &&
    (args.budget ?? 0) < longer &&
    !surroundings.signal.aborted
  ) {
    // The user has seen the anomaly: this check gets more time, so that it finds it again.
    return chooseAnomaly({ ...args, budget: longer }, io, surroundings);
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
  // Undecided questions may be the reason; otherwise the id is wrong.
  return code === EXIT.unknown ? EXIT.unknown : EXIT.usage;
}
