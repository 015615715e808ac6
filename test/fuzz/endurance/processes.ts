// Processes of the product that are watched from outside.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const DIST = path.resolve(__dirname, "../../../dist");

/** Starts a bundle of dist/ with these arguments; its standard streams are pipes. */
export function startBundle(name: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [path.join(DIST, name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ISOLENS_CACHE: "off" },
  });
}

/** Megabytes that a process holds; undefined where the kernel does not tell. */
export function residentMegabytes({ pid }: ChildProcess): number | undefined {
  const file = `/proc/${String(pid)}/status`;
  if (!existsSync(file)) return undefined;
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(file, "utf8"))?.[1];
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
}

/** Resolves with what the pattern finds in what a process prints. Rejects where it ends before. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => {
      reject(new Error(`it ended with ${String(code)} and printed ${text}`));
    });
  });
}
