// Reports the server's status to the client: at most a few times a second, and at once when its health changes.
import { undecidedCount } from "../protocol/report";
import type { ProgressUnit, ServerStatus } from "../protocol/requests";
import type { Range } from "../protocol/source";
import { countOfTold, type ProjectResult } from "./results";
import { levelName, levelOf, settingProblem, type ServerState } from "./serverState";
import { sendNotification } from "./customMessages";

export interface StatusReporter {
  /** Something of the status may have changed. */
  update(): void;
  /** Stops the timer. */
  dispose(): void;
}

const PAUSE = 100;

export function createStatusReporter(state: ServerState): StatusReporter {
  let last = "";
  let lastHealth = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    const status = statusOf(state);
    const content = JSON.stringify(status);
    if (content === last) return;
    last = content;
    lastHealth = status.health;
    sendNotification(state.connection, "isolens/status", status);
  }

  return {
    update() {
      if (state.phase !== "running") return;
      if (statusOf(state).health !== lastHealth) send();
      else timer ??= setTimeout(send, PAUSE);
    },
    dispose() {
      clearTimeout(timer);
    },
  };
}

/** Files that are not read as they are: replaced by an earlier text, or read in part. */
function openTexts({ standing, notes }: ProjectResult): readonly string[] {
  const place = (file: string, { start }: Range): string => `${file}:${String(start.line + 1)}`;
  return [
    ...standing.map(
      ({ file, range, message }) =>
        `${place(file, range)}: ${message} What is shown is of the text before that.`,
    ),
    ...notes
      .filter(({ code }) => code === "code-syntax")
      .map(({ source, message }) => `${place(source.file, source.range)}: ${message}`),
  ];
}

const UNITS: readonly ProgressUnit[] = ["files", "pairs", "groups of three", "larger groups"];

/** The current status. */
export function statusOf(state: ServerState): ServerStatus {
  const results = [...state.results.values()];
  const [project] = state.projects.values();
  const busy = state.running.size > 0;
  const progress = [...state.running.values()];
  // The check with the least progress determines the wait.
  const unit = UNITS.find((each) => progress.some((one) => one.unit === each));
  const counted = progress.filter((each) => each.unit === unit);
  const sum = (pick: (each: { done: number; total: number }) => number): number =>
    counted.reduce((total, each) => total + pick(each), 0);
  const level = results[0]?.level ?? levelOf(state, project);
  const found = project?.configuration.detected?.level;
  const trouble = state.trouble === "" ? settingProblem(state, project) : state.trouble;
  return {
    health: trouble !== "" ? "degraded" : busy ? "busy" : "ok",
    message: trouble,
    level: levelName(level),
    chosen: state.chosen !== undefined,
    ...(state.chosen === undefined &&
      found?.value.name === level.name && { levelFrom: found.place }),
    anomalies: results.reduce((count, each) => count + countOfTold(each.report), 0),
    unknown: results.reduce((count, each) => count + undecidedCount(each.report.unknown), 0),
    open: results.flatMap(openTexts),
    ...(busy && {
      progress: {
        done: sum((each) => each.done),
        total: sum((each) => each.total),
        ...(unit && { unit }),
      },
    }),
    ...(state.milliseconds !== undefined && { milliseconds: state.milliseconds }),
  };
}
