// The processes that the editor starts, and how to end all of them.
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

/**
 * A process by its id and start time, so that an id that was given out again is not mistaken for it.
 * @typedef {{ pid: number, started: string, parent: number }} Running
 */

/**
 * All processes below one, that one included.
 * @param {number} pid
 * @returns {Running[]}
 */
export function descendants(pid) {
  const all = running();
  const found = all.filter((one) => one.pid === pid);
  for (let at = 0; at < found.length; at += 1) {
    found.push(...all.filter((one) => one.parent === found[at]?.pid));
  }
  return found;
}

/**
 * Asks the processes to end, and ends those that do not within the grace period.
 * @param {readonly Running[]} processes
 */
export async function end(processes, graceMilliseconds = 5000) {
  for (const one of processes) send(one, "SIGTERM");
  const until = Date.now() + graceMilliseconds;
  while (processes.some(isAlive) && Date.now() < until) await delay(25);
  for (const one of processes) send(one, "SIGKILL");
  while (processes.some(isAlive)) await delay(10);
}

/** @param {Running} one */
function isAlive(one) {
  const now = read(one.pid);
  return now?.started === one.started;
}

/**
 * @param {Running} one
 * @param {NodeJS.Signals} signal
 */
function send(one, signal) {
  if (!isAlive(one)) return;
  try {
    process.kill(one.pid, signal);
  } catch (error) {
    // It ended between the look and the signal.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** @returns {Running[]} */
function running() {
  const found = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => read(Number(name)));
  return found.filter((one) => one !== undefined);
}

/**
 * Undefined when there is none, or only a zombie.
 * @param {number} pid
 * @returns {Running | undefined}
 */
function read(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name in parentheses may hold blanks; the fields after it may not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  const started = fields[19];
  if (state === "Z" || parent === undefined || started === undefined) return undefined;
  return { pid, started, parent: Number(parent) };
}
