// `Isolens: Check History`: judges a recorded run. A document is recognised by its first lines, never by its name.
import type { Disposable } from "vscode";
import { looksLikeHistory } from "../../../server/src/protocol/historyText";
import { headOf, registerDocumentTask } from "./documentTask";
import type { Panel } from "./panel";
import type { ServerClient } from "./serverClient";

const LOOKED_AT_LINES = 40;
const LOOKED_AT_CHARACTERS = 4000;

export function registerCheckHistory(server: ServerClient, panel: Panel): Disposable {
  return registerDocumentTask(server, {
    command: "isolens.checkHistory",
    // The language ids of histories with usual names.
    languages: ["isolens-history", "plaintext", "json", "jsonl", "jsonc", "clojure", "log"],
    applies: (document) =>
      looksLikeHistory(headOf(document, LOOKED_AT_CHARACTERS, LOOKED_AT_LINES)),
    run: (uri) => server.request("isolens/checkHistory", { uri }),
    forget: (uri) => server.request("isolens/forgetHistory", { uri }),
    found: ({ violation }) => violation,
    open: (violation) => panel.open(violation, "cycle"),
    words: {
      offer: "Check history",
      running: "judging this run",
      again: "Check again",
      none: "open a recorded history, or choose one in the explorer",
      failed: "the history could not be judged",
      name: "history",
    },
  });
}
