// Messages between the server and the checking thread. Unchanged texts are not sent again, and for importable files only their location.
import type { Level } from "../isolation/levels";
import type { Allocation } from "../protocol/allocation";
import type { Fix, FixReport } from "../protocol/fixes";
import type { Anomaly } from "../protocol/report";
import type { FileId } from "../protocol/source";
import { openCode, type CodeSource, type ProjectCode } from "../workspace/codeFiles";
import type { Project } from "../workspace/projects";
import type { CheckOutcome, TextReading } from "./checker";

/** The start data of the thread. */
export interface CheckThreadData {
  /** "isolens 0.1.0". */
  readonly tool: string;
  readonly nodePath?: string;
  readonly cache?: { readonly folder: string; readonly build: string };
}

export type ToCheckThread =
  | {
      readonly kind: "check";
      readonly id: number;
      readonly project: SentProject;
      readonly level: Level;
      /** Open files. */
      readonly first: readonly FileId[];
      /** One integer, not 0 to stop the check: polled in the middle of work. */
      readonly stop: SharedArrayBuffer;
    }
  | {
      readonly kind: "fixes";
      readonly id: number;
      readonly project: SentProject;
      readonly level: Level;
      readonly anomaly: Anomaly;
    }
  | {
      readonly kind: "allocation";
      readonly id: number;
      readonly project: SentProject;
      readonly level: Level;
    }
  | { readonly kind: "abort"; readonly id: number }
  | { readonly kind: "dispose" };

export type FromCheckThread =
  | { readonly kind: "reading"; readonly id: number; readonly done: number; readonly total: number }
  | {
      readonly kind: "progress";
      readonly id: number;
      readonly done: number;
      readonly total: number;
      readonly size: number;
    }
  | { readonly kind: "read"; readonly id: number; readonly reading: TextReading }
  | { readonly kind: "found"; readonly id: number; readonly anomaly: Anomaly }
  | { readonly kind: "fix"; readonly id: number; readonly fix: Fix }
  | { readonly kind: "fixed"; readonly id: number; readonly report: FixReport }
  | { readonly kind: "allocated"; readonly id: number; readonly allocation: Allocation }
  | { readonly kind: "done"; readonly id: number; readonly outcome: CheckOutcome }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };

/** A project as data. */
interface SentProject {
  readonly rest: Omit<Project, "files" | "context" | "code">;
  readonly files: readonly SentFile[];
  readonly context: readonly SentFile[];
  readonly code?: SentCode;
}

interface SentFile {
  readonly file: FileId;
  /** Absent if unchanged since it was last sent. */
  readonly text?: string;
}

interface SentCode {
  readonly number: number;
  /** Sent the first time only. */
  readonly source?: CodeSource;
}

/** Encodes projects for one thread, which must receive all messages in order. */
export function createSender(): (project: Project) => SentProject {
  const texts = new Map<string, Map<FileId, string>>();
  const numbers = new WeakMap<ProjectCode, number>();
  let last = 0;
  const codeOf = (code: ProjectCode): SentCode => {
    const known = numbers.get(code);
    if (known !== undefined) return { number: known };
    last += 1;
    numbers.set(code, last);
    return { number: last, source: code.source };
  };
  return ({ files, context, code, ...rest }) => {
    const sent = knownIn(texts, rest.folder);
    const without = ({ file, text }: Project["files"][number]): SentFile => {
      if (sent.get(file) === text) return { file };
      sent.set(file, text);
      return { file, text };
    };
    return {
      rest,
      files: files.map(without),
      context: context.map(without),
      ...(code && { code: codeOf(code) }),
    };
  };
}

/** Limit of cached modules: reloading a workspace creates new ones. */
const MOST_CODES = 32;

/** Decodes a sender's projects, in the same order. */
export function createReceiver(): (sent: SentProject) => Project {
  const texts = new Map<string, Map<FileId, string>>();
  const codes = new Map<number, ProjectCode>();
  const codeOf = ({ number, source }: SentCode): ProjectCode | undefined => {
    if (source) {
      codes.set(number, openCode(source));
      for (const oldest of codes.keys()) if (codes.size > MOST_CODES) codes.delete(oldest);
    }
    return codes.get(number);
  };
  return ({ rest, files, context, code }) => {
    const known = knownIn(texts, rest.folder);
    const withText = ({
      file,
      text = known.get(file) ?? "",
    }: SentFile): Project["files"][number] => {
      known.set(file, text);
      return { file, text };
    };
    const own = code && codeOf(code);
    return {
      ...rest,
      files: files.map(withText),
      context: context.map(withText),
      ...(own && { code: own }),
    };
  };
}

function knownIn<Key, Value>(maps: Map<string, Map<Key, Value>>, name: string): Map<Key, Value> {
  const known = maps.get(name) ?? new Map<Key, Value>();
  maps.set(name, known);
  return known;
}
