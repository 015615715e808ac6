// `Isolens: Explore Client Program`: runs a client program in every way that its level allows. A document is recognised by its text.
import { workspace, type Disposable } from "vscode";
import { looksLikeCodeClient, looksLikeJsonClient } from "../../../server/src/protocol/clientText";
import { headOf, registerDocumentTask } from "./documentTask";
import type { Panel } from "./panel";
import type { ServerClient } from "./serverClient";
import { hasTrust } from "./trust";

const JSON_LANGUAGES = ["json", "jsonc"];
const CODE_LANGUAGES = ["javascript", "typescript"];
const LOOKED_AT_CHARACTERS = 20_000;

export function registerExploreClient(server: ServerClient, panel: Panel): Disposable {
  return registerDocumentTask(server, {
    command: "isolens.exploreClient",
    languages: [...JSON_LANGUAGES, ...CODE_LANGUAGES],
    applies: (document) => {
      if (!workspace.isTrusted) return false;
      const text = headOf(document, LOOKED_AT_CHARACTERS);
      return JSON_LANGUAGES.includes(document.languageId)
        ? looksLikeJsonClient(text)
        : looksLikeCodeClient(text);
    },
    mayRun: () => hasTrust("exploring a client program"),
    run: (uri) => server.request("isolens/explore", { uri }),
    forget: (uri) => server.request("isolens/forgetExploration", { uri }),
    found: ({ violations }) => violations[0],
    open: (violation) => panel.open(violation, "schedule"),
    words: {
      offer: "Explore client program",
      running: "exploring",
      again: "Explore again",
      none: "open a client program, or choose one in the explorer",
      failed: "the client program could not be explored",
      name: "explore",
    },
  });
}
