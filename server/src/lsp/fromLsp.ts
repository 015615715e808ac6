// Conversion of clients' values. Only this file validates what a client sends: a malformed value becomes a default.
import type { TextDocumentContentChangeEvent } from "vscode-languageserver/node";
import { ownEntry } from "../protocol/dictionary";
import type { InitializationOptions, Requests, Settings } from "../protocol/requests";
import type { Position } from "../protocol/source";
import { DEFAULT_CONFIGURATION, isMaxTransactions, isUnroll } from "../workspace/configuration";
import { parseDuration } from "../workspace/duration";
import { SEVERITY_KEYS, findingSeverity, type Severities } from "../workspace/severities";
import type { TextEdit } from "./editRange";

export const DEFAULT_SETTINGS: Settings = {
  check: "onChange",
  scope: "openFiles",
  level: "",
  codeLens: true,
  inlayHints: false,
  maxTransactions: DEFAULT_CONFIGURATION.maxTransactions,
  budget: DEFAULT_CONFIGURATION.budget,
  unroll: 1,
  prove: false,
  severities: {},
};

/** The answer to `workspace/configuration` for the section `isolens`. */
export function toSettings(value: unknown): Settings {
  const given = record(value);
  const lens = record(given["codeLens"])["enabled"];
  const budget = text(given["budget"]);
  const most = given["maxTransactions"];
  return {
    check: oneOf(given["check"], ["onChange", "onSave", "manual"], DEFAULT_SETTINGS.check),
    scope: oneOf(given["scope"], ["openFiles", "workspace"], DEFAULT_SETTINGS.scope),
    level: text(given["level"]) ?? DEFAULT_SETTINGS.level,
    codeLens: typeof lens === "boolean" ? lens : DEFAULT_SETTINGS.codeLens,
    inlayHints: record(given["inlayHints"])["enabled"] === true,
    maxTransactions:
      typeof most === "number" && isMaxTransactions(most) ? most : DEFAULT_SETTINGS.maxTransactions,
    budget: (budget === undefined ? undefined : parseDuration(budget)) ?? DEFAULT_SETTINGS.budget,
    unroll:
      typeof given["unroll"] === "number" && isUnroll(given["unroll"])
        ? given["unroll"]
        : DEFAULT_SETTINGS.unroll,
    prove: given["prove"] === true,
    severities: toSeverities(given["severities"]),
  };
}

/** The settings in `workspace/didChangeConfiguration`, which contains the section or is it. Undefined if there are none. */
export function toPushedSettings(params: unknown): Settings | undefined {
  const { settings } = record(params);
  if (typeof settings !== "object" || settings === null) return undefined;
  return toSettings(record(settings)["isolens"] ?? settings);
}

function toSeverities(value: unknown): Severities {
  const given = record(value);
  return Object.fromEntries(
    SEVERITY_KEYS.flatMap((key) => {
      const severity = findingSeverity(ownEntry(given, key));
      return severity === undefined ? [] : [[key, severity] as const];
    }),
  );
}

export function toInitializationOptions(value: unknown): InitializationOptions {
  const given = record(value);
  const nodePath = text(given["nodePath"]);
  const cacheFolder = text(given["cacheFolder"]);
  return {
    commandLinks: given["commandLinks"] === true,
    showAnomaly: given["showAnomaly"] === true,
    trusted: toTrust(value),
    ...(nodePath !== undefined && nodePath !== "" && { nodePath }),
    ...(cacheFolder !== undefined && cacheFolder !== "" && { cacheFolder }),
  };
}

/** True if the workspace stays trusted: everything except a `trusted` other than true. */
export function toTrust(value: unknown): boolean {
  const { trusted = true } = record(value);
  return trusted === true;
}

/** Undefined if the change replaces the whole document. */
export function toTextEdit(change: TextDocumentContentChangeEvent): TextEdit | undefined {
  return "range" in change ? { range: change.range, text: change.text } : undefined;
}

export function toCheckParams(value: unknown): Requests["isolens/check"]["params"] {
  const given = record(value);
  const level = text(given["level"]);
  const uri = text(given["uri"]);
  return {
    ...(level !== undefined && { level }),
    ...(uri !== undefined && { uri }),
    ...(given["prove"] === true && { prove: true }),
  };
}

export function toAnomaliesParams(value: unknown): {
  readonly uri?: string;
  readonly position?: Position;
} {
  const given = record(value);
  const uri = text(given["uri"]);
  const { line, character } = record(given["position"]);
  return {
    ...(uri !== undefined && { uri }),
    ...(typeof line === "number" &&
      typeof character === "number" && { position: { line, character } }),
  };
}

export function toHistoryParams(value: unknown): {
  readonly uri: string;
  readonly strict: boolean;
} {
  const given = record(value);
  return { uri: text(given["uri"]) ?? "", strict: given["strict"] === true };
}

export function toExploreParams(value: unknown): { readonly uri: string; readonly level?: string } {
  const given = record(value);
  const level = text(given["level"]);
  return { uri: text(given["uri"]) ?? "", ...(level !== undefined && level !== "" && { level }) };
}

/** The ids that a lens passes. */
export function toAnomalyIds(value: unknown): readonly string[] {
  const { ids } = record(value);
  return Array.isArray(ids) ? ids.flatMap((id: unknown) => text(id) ?? []) : [];
}

/** The id of an anomaly; empty if there is none. */
export function toAnomalyId(value: unknown): string {
  return text(record(value)["id"]) ?? "";
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  // A non-null object can be indexed by any name; each field is validated on use.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], otherwise: T): T {
  return allowed.find((each) => each === value) ?? otherwise;
}
