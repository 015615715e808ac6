// Tells the client how the server is: at most a few times a second, and at once when the kind of state changes.
import { undecidedCount } from "../protocol/report";
import type { ServerStatus } from "../protocol/requests";
import { freshAnomalies } from "./results";
import { levelName, levelOf, settingProblem, type ServerState } from "./serverState";
import { sendTyped } from "./typed";

export interface StatusReporter {
  /** Something of the status may have changed. */
  update(): void;
  /** Ends its timer. */
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
    sendTyped(state.connection, "isolens/status", status);
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

/** The status as it is now. */
export function statusOf(state: ServerState): ServerStatus {
  const results = [...state.results.values()];
  const [project] = state.projects.values();
  const busy = state.running.size > 0;
  const progress = [...state.running.values()];
  // While some are still reading, what they read is what there is to wait for.
  const reading = progress.filter(({ unit }) => unit === "files");
  const counted = reading.length > 0 ? reading : progress;
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
    anomalies: results.reduce((count, each) => count + freshAnomalies(each).length, 0),
    unknown: results.reduce((count, each) => count + undecidedCount(each.report.unknown), 0),
    ...(busy && {
      progress: {
        done: sum((each) => each.done),
        total: sum((each) => each.total),
        ...(reading.length > 0 && { unit: "files" }),
      },
    }),
    ...(state.milliseconds !== undefined && { milliseconds: state.milliseconds }),
  };
}
