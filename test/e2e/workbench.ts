// A real VS Code on a copy of a workspace, in a headless browser: how a test starts it, finds things in it and ends it.
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { errors, type FrameLocator, type Locator, type Page } from "playwright-core";
import { launchEditor } from "../editor/launch.mjs";
import { openBrowser, patience, resultFile, root } from "../support/browser";

export interface WorkbenchOptions {
  /** A folder of the repository; the test works on a copy of it. */
  readonly workspace: string;
  /** The file that is open at the start, relative to the workspace. */
  readonly file: string;
  /** User settings beside the quiet ones that every run has. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A packed extension that is installed, in place of this checkout. */
  readonly vsix?: string;
}

export interface Workbench {
  readonly page: Page;
  /** The copy of the workspace. */
  readonly folder: string;
  /** Opens the palette at a command, again while it does not list it: a command of an extension can come late. */
  find(title: string): Promise<void>;
  /** Runs a command of the palette by its title. */
  run(title: string): Promise<void>;
  /** Squiggles of a severity in the open editors. */
  squiggles(severity: "error" | "warning" | "info"): Locator;
  /** Opens the Problems view; its rows that hold a text. */
  problems(text: string | RegExp): Promise<Locator>;
  /** An entry of the open quick pick that holds a text. */
  choice(text: string | RegExp): Locator;
  /** The inside of the webview that is open. */
  webview(): FrameLocator;
  statusItem(text: string | RegExp): Locator;
  /** The first lens that holds a text. */
  lens(text: string): Locator;
  /** Waits until a check has ended, by the lens of a line's transaction without findings: a lens is drawn anew where it is seen. */
  checked(line: number): Promise<void>;
  /** Clicks a lens until it is gone: the editor draws its lenses anew now and then, and loses a click on the way. */
  clickLens(text: string): Promise<void>;
  /** Clicks a row of a tree until an editor has the keyboard: a tree that is drawn anew loses a click on the way. */
  clickRow(row: Locator): Promise<void>;
  /** Opens a file of the workspace by its name. */
  open(file: string): Promise<void>;
  /** Makes an open file the active one, with the keyboard in its text. */
  focusEditor(file: string): Promise<void>;
  /** Moves the cursor of the active editor, both numbers from 1. */
  goTo(line: number, column: number): Promise<void>;
  /** The errors in the browser's console, except for the editor's own known gaps. */
  consoleErrors(): readonly string[];
  /** Hosts that the page asked for anything. */
  hosts(): readonly string[];
  screenshot(name: string): Promise<void>;
}

/**
 * Runs a test in an editor of its own, and ends the editor, its browser and its folders afterwards. The server's
 * output goes to `test-results/<name>.log`; a failure leaves `test-results/<name>-failed.png` and the editor's logs.
 */
export async function inWorkbench(
  name: string,
  options: WorkbenchOptions,
  body: (workbench: Workbench) => Promise<void>,
): Promise<void> {
  const temporary = mkdtempSync(path.join(os.tmpdir(), "isolens-workspace-"));
  const folder = path.join(temporary, path.basename(options.workspace));
  cpSync(path.join(root, options.workspace), folder, { recursive: true });
  try {
    const editor = await launchEditor({
      folder,
      settings: { ...options.settings },
      ...(options.vsix !== undefined && { vsix: options.vsix }),
      log: resultFile(`${name}.log`),
    });
    try {
      const browser = await openBrowser();
      try {
        const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
        await inPage(name, page, folder, editor.url(options.file), options.file, body);
      } catch (error) {
        if (existsSync(editor.logs)) {
          cpSync(editor.logs, resultFile(`${name}-logs`), { recursive: true });
        }
        throw error;
      } finally {
        await browser.close();
      }
    } finally {
      await editor.stop();
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function inPage(
  name: string,
  page: Page,
  folder: string,
  url: string,
  file: string,
  body: (workbench: Workbench) => Promise<void>,
): Promise<void> {
  page.setDefaultTimeout(patience);
  const consoleErrors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error")
      consoleErrors.push(`${message.text()} (${message.location().url})`);
  });
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  const workbench: Workbench = {
    ...drive(page),
    page,
    folder,
    consoleErrors: () => consoleErrors.filter((text) => !isKnown(text)),
    hosts: () => [...hosts].filter((host) => host !== ""),
    screenshot: async (picture) => {
      await page.screenshot({ path: resultFile(`${picture}.png`) });
    },
  };
  try {
    await page.goto(url);
    await page.locator(".monaco-workbench").waitFor();
    await page.locator(".tab", { hasText: path.basename(file) }).waitFor();
    await body(workbench);
  } catch (error) {
    await page.screenshot({ path: resultFile(`${name}-failed.png`) });
    throw error;
  }
}

/**
 * Two files of a closed-source module that this build of VS Code asks for and does not have, and its own patience with
 * extensions that may change a text before it is saved, which a busy machine wears out.
 */
function isKnown(text: string): boolean {
  return /vsda(\.js|_bg\.wasm)|Aborted onWillSaveTextDocument-event/.test(text);
}

type Drive = Omit<Workbench, "page" | "folder" | "consoleErrors" | "hosts" | "screenshot">;

function drive(page: Page): Drive {
  const rows = page.locator(".quick-input-list .monaco-list-row");
  const lens = (text: string): Locator =>
    page.locator(".codelens-decoration", { hasText: text }).first();
  const goTo = async (line: number, column: number): Promise<void> => {
    await page.keyboard.press("Control+G");
    const input = page.locator(".quick-input-widget input[type=text]");
    await input.fill(`:${line}:${column}`);
    await page.keyboard.press("Enter");
  };
  const find = async (title: string): Promise<void> => {
    for (const deadline = Date.now() + patience; ;) {
      await page.keyboard.press("F1");
      const input = page.locator(".quick-input-widget input[type=text]");
      await input.waitFor();
      await input.fill(`>${title}`);
      const row = rows.filter({ hasText: title }).first();
      await row.waitFor({ timeout: 5000 }).catch(stillThere);
      if (await row.isVisible()) return;
      if (Date.now() > deadline) throw new Error(`The command "${title}" is not in the palette.`);
      await page.keyboard.press("Escape");
    }
  };
  return {
    find,
    run: async (title) => {
      await find(title);
      await rows.filter({ hasText: title }).first().click();
    },
    squiggles: (severity) => page.locator(`.monaco-editor .squiggly-${severity}`),
    problems: async (text) => {
      const panel = page.locator(".markers-panel");
      if (!(await panel.isVisible())) await page.keyboard.press("Control+Shift+M");
      await panel.waitFor();
      return panel.locator(".monaco-list-row", { hasText: text });
    },
    choice: (text) => rows.filter({ hasText: text }),
    webview: () =>
      page.frameLocator("iframe.webview.ready").last().frameLocator("iframe#active-frame"),
    statusItem: (text) => page.locator(".statusbar-item", { hasText: text }),
    lens,
    clickRow: async (row) => {
      const editor = page.locator(".editor-instance .monaco-editor.focused");
      for (const deadline = Date.now() + patience; ;) {
        await row.click();
        await editor.waitFor({ timeout: 3000 }).catch(stillThere);
        if (await editor.isVisible()) return;
        if (Date.now() > deadline) throw new Error("No editor has the keyboard after all clicks.");
      }
    },
    clickLens: async (text) => {
      const lens = page.locator(".codelens-decoration").getByText(text);
      await lens.waitFor();
      for (const deadline = Date.now() + patience; await lens.isVisible();) {
        if (Date.now() > deadline) throw new Error(`The lens "${text}" is there after all clicks.`);
        await lens.click();
        await lens.waitFor({ state: "detached", timeout: 5000 }).catch(stillThere);
      }
    },
    open: async (file) => {
      await page.keyboard.press("Control+P");
      await page.locator(".quick-input-widget input[type=text]").fill(file);
      await rows.filter({ hasText: file }).first().click();
      await page.locator(".tab.active", { hasText: file }).waitFor();
    },
    focusEditor: async (file) => {
      await page.locator(".tab", { hasText: file }).click();
      await page.locator(".editor-instance .monaco-editor.focused").waitFor();
    },
    goTo,
    checked: async (line) => {
      await page.locator(".codelens-decoration").first().waitFor();
      await goTo(line, 1);
      await lens("up to 3 at a time").waitFor();
      await goTo(1, 1);
    },
  };
}

/** A wait that ended without what it waited for; anything else is a failure of its own. */
function stillThere(error: unknown): void {
  if (!(error instanceof errors.TimeoutError)) throw error;
}
