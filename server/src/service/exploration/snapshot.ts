// The rest of an exploration as a text that can be saved and resumed. A checksum proves that the text is unchanged.
import { createHash } from "node:crypto";
import type { SavedExploration } from "../../clients/exploreLevel";
import type { readTextFile } from "../../workspace/textFile";
import type { LoadedClient } from "./loadClient";

/** The identity and names of an explored client. */
export interface ExplorationSubject {
  readonly identity: string;
  readonly level: string;
}

const FORMAT = 1;

/** A hash of the client's file, its assertions and its transactions. */
export function identityOf(
  { program, assertions }: LoadedClient,
  file: Awaited<ReturnType<typeof readTextFile>>,
): string {
  const { schema, transactions } = program;
  const texts = assertions.map(({ text }) => text);
  return digest(JSON.stringify([file.ok ? file.text : "", texts, schema, transactions]));
}

/** Encodes the rest as JSON. */
export function savedExplorationText(
  { assertions, segments, states, universe }: SavedExploration,
  { identity, level }: ExplorationSubject,
): string {
  const content = JSON.stringify({ assertions, segments, states: [...states], universe }, encode);
  return `${JSON.stringify({
    isolensExploration: FORMAT,
    level,
    identity,
    checksum: digest(content),
    content,
  })}\n`;
}

/** The decoded content, or the reason why it cannot be used here. */
export function readSavedExploration(
  text: string,
  { identity, level }: ExplorationSubject,
): SavedExploration | string {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return NOT_OURS;
  }
  if (typeof file !== "object" || file === null || !("isolensExploration" in file)) return NOT_OURS;
  if (file.isolensExploration !== FORMAT)
    return "the file of --work was written by another version of Isolens: delete it to begin again";
  if (!("content" in file) || typeof file.content !== "string") return NOT_OURS;
  if (!("checksum" in file) || file.checksum !== digest(file.content)) return NOT_OURS;
  if (!("level" in file) || file.level !== level)
    return `the file of --work is of an exploration at ${"level" in file ? String(file.level) : "another level"}, not at ${level}: name another file`;
  if (!("identity" in file) || file.identity !== identity)
    return "the client program has changed since the file of --work was written: delete the file to begin again";
  // The checksum proves that `savedExplorationText` wrote this text.
  return JSON.parse(file.content, decode) as SavedExploration;
}

const NOT_OURS =
  "the file of --work is not what an exploration left, or was changed: name another file, or delete it to begin again";

function encode(_: string, value: unknown): unknown {
  if (value instanceof Map)
    // A key with the value undefined is an absent row.
    return { [MAP]: [...value].filter(([, each]) => each !== undefined) };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    return { [NUMBER]: Object.is(value, -0) ? "-0" : String(value) };
  return value;
}

function decode(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (MAP in value && Array.isArray(value[MAP])) return new Map(value[MAP] as [unknown, unknown][]);
  if (NUMBER in value) return Number(value[NUMBER]);
  return value;
}

const MAP = "$map";
const NUMBER = "$number";

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
