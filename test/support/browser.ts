// A headless Chromium for the tests of the webview and of the workbench, and the place of their screenshots.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { findBrowser } from "../editor/browser.mjs";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** How long a wait may take before a test fails. Generous: a loaded machine is not a failure. */
export const patience = 60_000;

/** Starts the browser that `test/editor/browser.mjs` finds. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, args, env } = await findBrowser();
  return chromium.launch({ executablePath, args, env, timeout: patience });
}

/** The path of a picture in test-results/. */
export function resultFile(name: string): string {
  const folder = path.join(root, "test-results");
  mkdirSync(folder, { recursive: true });
  return path.join(folder, name);
}
