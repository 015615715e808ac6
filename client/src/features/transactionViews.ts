// The server's transactions, re-read when they change: shared by the gutter icons and the Test view.
import { Disposable, EventEmitter } from "vscode";
import type { Event } from "vscode";
import type { TreeFile } from "../../../server/src/protocol/requests";
import type { ServerClient } from "./serverClient";

export interface TransactionFiles extends Disposable {
  /** The files of the last answer. */
  readonly files: () => readonly TreeFile[];
  readonly onChanged: Event<void>;
  /** Reads them now. */
  refresh(): Promise<readonly TreeFile[]>;
}

/** Milliseconds between updates: findings arrive one by one during a check. */
const PAUSE = 200;

/** Nothing is requested while nobody `wants` it. */
export function createTransactionFiles(
  server: Pick<ServerClient, "request" | "onFindings" | "log">,
  wants: () => boolean,
): TransactionFiles {
  const changed = new EventEmitter<void>();
  let files: readonly TreeFile[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = async (): Promise<readonly TreeFile[]> => {
    try {
      files = wants() ? await server.request("isolens/tree", {}) : [];
    } catch (error) {
      server.log.warn(`transactions were not read: ${String(error)}`);
    }
    changed.fire();
    return files;
  };
  const listening = server.onFindings(() => {
    if (!wants()) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void refresh();
    }, PAUSE);
  });
  return {
    files: () => files,
    onChanged: changed.event,
    refresh,
    dispose: () => {
      clearTimeout(timer);
      Disposable.from(changed, listening).dispose();
    },
  };
}
