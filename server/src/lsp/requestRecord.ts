// Request of a project's check, so that it is not asked for again while nothing has changed.
import type { Project } from "../workspace/projects";
import { severitiesOf } from "./verdicts";
import { levelOf, type ServerState } from "./serverState";

export interface CheckRequest {
  /** Level, configuration and what is told of findings, as a text. */
  readonly told: string;
  readonly files: Project["files"];
  readonly context: Project["context"];
}

/** Request of a check of a project now. */
export function askedNow(state: ServerState, project: Project): CheckRequest {
  const { files, context, configuration, baseline } = project;
  const level = levelOf(state, project).name;
  const told = JSON.stringify([level, configuration, severitiesOf(state, project), baseline]);
  return { told, files, context };
}

/** True if both are the same. Texts that are one in memory are not gone over: typing asks this of all files. */
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
