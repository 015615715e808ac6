// Durations as people write them: 500ms, 10s, 2m.
import { dictionary } from "../protocol/dictionary";

const UNITS = dictionary<number>({ ms: 1, s: 1000, m: 60_000, min: 60_000 });

/** Milliseconds of "500ms", "10s", "1.5m" (a bare number is seconds); undefined if invalid or below 1 ms. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min)?$/u.exec(text.trim().toLowerCase());
  if (!match) return undefined;
  const milliseconds = Number(match[1]) * (UNITS[match[2] ?? "s"] ?? 1000);
  const whole = Math.round(milliseconds);
  return whole >= 1 && whole <= 86_400_000 ? whole : undefined;
}

/** "500ms", "10s", "2m": the inverse of `parseDuration`. */
export function durationText(milliseconds: number): string {
  if (milliseconds % 60_000 === 0) return `${String(milliseconds / 60_000)}m`;
  if (milliseconds >= 1000) return `${String(Math.round(milliseconds / 100) / 10)}s`;
  return `${String(milliseconds)}ms`;
}

/** "10 s", "500 ms", "2 min": for a sentence. */
export function durationWords(milliseconds: number): string {
  if (milliseconds % 60_000 === 0) return `${String(milliseconds / 60_000)} min`;
  if (milliseconds >= 1000) return `${String(Math.round(milliseconds / 100) / 10)} s`;
  return `${String(milliseconds)} ms`;
}
