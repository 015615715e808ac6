// The request of a project's check, which is not repeated while nothing has changed.
import type { Project } from "../workspace/projects";
import { severitiesOf } from "./verdicts";
import { levelOf, type ServerState } from "./serverState";

export interface CheckRequest {
  /** Level, configuration and reporting policy, as a text. */
  readonly told: string;
  readonly files: Project["files"];
  readonly context: Project["context"];
}

/** The check request of a project at this moment. */
export function askedNow(state: ServerState, project: Project): CheckRequest {
  const { files, context, configuration, baseline } = project;
  const level = levelOf(state, project).name;
  const told = JSON.stringify([level, configuration, severitiesOf(state, project), baseline]);
  return { told, files, context };
}

/** True if both are the same. Texts are compared by identity first: typing compares all files. */
export function isSameAsked(
  before: CheckRequest | undefined,
  now: CheckRequest | undefined,
): boolean {
  if (before === undefined || now === undefined) return before === now;
  return (
    before.told === now.told &&
    sameFiles(before.files, now.files) &&
    sameFiles(before.context, now.context)
  );
}

function sameFiles(before: Project["files"], now: Project["files"]): boolean {
  return (
    before.length === now.length &&
    before.every(({ file, text }, at) => file === now[at]?.file && text === now[at].text)
  );
}
