// Proofs in the background: after a check has reported its findings, the same text is checked again with a proof. A newer check, an edit or
// a cancellation ends it.
import { reasonOf } from "../protocol/fault";
import type { Level } from "../isolation/levels";
import type { ProofReport } from "../protocol/proof";
import type { ProofView } from "../protocol/requests";
import type { Project } from "../workspace/projects";
import type { CheckEvents, CheckOutcome } from "./checker";
import { openFiles } from "./openFiles";
import { beginProgress, countedPhases } from "./progressReporter";
import { clientUri, levelName, withSettings, type ServerState } from "./serverState";

export interface Proofs {
  /** Requests the proof of a project whose check has ended; `told` gets the findings with the proof, unless it ends early. */
  request(key: string, project: Project, level: Level, told: (outcome: CheckOutcome) => void): void;
  /** Ends the proof of a project. */
  cancel(key: string): void;
}

export function createProofs(state: ServerState): Proofs {
  const own = (key: string): string => `proof ${key}`;

  async function run(
    key: string,
    project: Project,
    level: Level,
    signal: AbortSignal,
  ): Promise<CheckOutcome | undefined> {
    const progress = state.capabilities.progress
      ? beginProgress(state.connection, `Isolens: proof at ${level.label}`, () =>
          state.queue.cancel(own(key)),
        )
      : undefined;
    const counted = countedPhases();
    try {
      const asked = proving(withSettings(state, project), true);
      const events = {
        progress: (...told: Parameters<CheckEvents["progress"]>) => {
          const { done, total, unit } = counted(...told);
          progress?.report(done, total, unit);
        },
        reading: () => undefined,
        read: () => undefined,
        found: () => undefined,
      };
      const first = openFiles(state, project);
      const outcome = await state.checker?.check(asked, level, signal, events, { first });
      return signal.aborted ? undefined : outcome;
    } catch (error) {
      state.connection.console.error(`proof of ${key}: ${reasonOf(error)}`);
      return undefined;
    } finally {
      progress?.end();
    }
  }

  return {
    request(key, project, level, told) {
      if (!isWanted(state, project)) return;
      void state.queue.submit(own(key), async (signal) => {
        const outcome = await run(key, project, level, signal);
        // An edit replaces the project object.
        if (outcome && state.projects.get(key) === project) told(outcome);
      });
    },
    cancel(key) {
      state.queue.cancel(own(key));
    },
  };
}

/** True if the settings, or the project itself, request proofs. */
function isWanted(state: ServerState, project: Project): boolean {
  return withSettings(state, project).configuration.prove;
}

/** The project with or without a requested proof. */
export function proving(project: Project, prove: boolean): Project {
  return { ...project, configuration: { ...project.configuration, prove } };
}

/** A proof with the documents that it names. */
export function proofView(
  state: ServerState,
  project: Project,
  level: Level,
  proof: ProofReport,
): ProofView {
  const files = proof.obstacles.flatMap(({ file, dependencies }) => [
    ...(file === undefined ? [] : [file]),
    ...dependencies.flatMap(({ from, to }) => [from.file, to.file]),
  ]);
  const named = [...new Set(files)].filter((file) => file !== "");
  const uris = Object.fromEntries(named.map((file) => [file, clientUri(state, project, file)]));
  return { level: levelName(level), proof, uris };
}
