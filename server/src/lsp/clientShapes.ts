// Validation of the protocol's messages. A malformed message is rejected before a handler or the document library sees it.
import type { Connection, TextDocuments } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";

type DocumentMessages = Parameters<TextDocuments<TextDocument>["listen"]>[0];

interface Field {
  /** A path such as `textDocument.uri`. */
  readonly path: string;
  readonly is: (value: unknown) => boolean;
  readonly expected: string;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isCount = (value: unknown): boolean => typeof value === "number" && value >= 0;
const isPosition = (value: unknown): boolean =>
  isCount(field(value, "line")) && isCount(field(value, "character"));
const isRange = (value: unknown): boolean =>
  isPosition(field(value, "start")) && isPosition(field(value, "end"));
const isChange = (value: unknown): boolean =>
  isText(field(value, "text")) &&
  (field(value, "range") === undefined || isRange(field(value, "range")));

const URI: Field = { path: "textDocument.uri", is: isText, expected: "a text" };
const VERSION: Field = {
  path: "textDocument.version",
  is: (value) => value === null || typeof value === "number",
  expected: "a number",
};
const RANGE: Field = { path: "range", is: isRange, expected: "a range" };

const SHAPES: ReadonlyMap<string, readonly Field[]> = new Map([
  [
    "textDocument/didOpen",
    [
      URI,
      VERSION,
      { path: "textDocument.languageId", is: isText, expected: "a text" },
      { path: "textDocument.text", is: isText, expected: "a text" },
    ],
  ],
  [
    "textDocument/didChange",
    [
      URI,
      VERSION,
      {
        path: "contentChanges",
        is: (value) => Array.isArray(value) && value.every(isChange),
        expected: "a list of changes",
      },
    ],
  ],
  ["textDocument/didClose", [URI]],
  ["textDocument/didSave", [URI]],
  ["textDocument/hover", [URI, { path: "position", is: isPosition, expected: "a position" }]],
  ["textDocument/codeLens", [URI]],
  ["textDocument/inlayHint", [URI, RANGE]],
  ["textDocument/documentSymbol", [URI]],
  ["workspace/executeCommand", [{ path: "command", is: isText, expected: "a text" }]],
  [
    "textDocument/codeAction",
    [URI, RANGE, { path: "context.diagnostics", is: Array.isArray, expected: "a list" }],
  ],
]);

/** The error in a message's parameters, such as "textDocument.uri is not a text"; undefined if there is none. */
export function shapeFault(method: string, params: unknown): string | undefined {
  const wrong = SHAPES.get(method)?.find(
    ({ path, is }) => !is(path.split(".").reduce<unknown>(field, params)),
  );
  return wrong && `${method}: ${wrong.path} is not ${wrong.expected}`;
}

/** The connection for the document library: only well-formed notifications. Others are logged. */
export function documentMessages(connection: Connection): DocumentMessages {
  const checked =
    <Params>(
      method: string,
      handler: (params: Params) => void | Promise<void>,
    ): ((params: Params) => void | Promise<void>) =>
    (params) => {
      const wrong = shapeFault(method, params);
      if (wrong === undefined) return handler(params);
      connection.console.warn(`${wrong}; the message is passed over.`);
    };
  return {
    ...connection,
    onDidOpenTextDocument: (handler) =>
      connection.onDidOpenTextDocument(checked("textDocument/didOpen", handler)),
    onDidChangeTextDocument: (handler) =>
      connection.onDidChangeTextDocument(checked("textDocument/didChange", handler)),
    onDidCloseTextDocument: (handler) =>
      connection.onDidCloseTextDocument(checked("textDocument/didClose", handler)),
    onDidSaveTextDocument: (handler) =>
      connection.onDidSaveTextDocument(checked("textDocument/didSave", handler)),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
