// Words of editors other than VS Code about themselves at `initialize`: the parts of it that a server's behaviour may depend
// on, as their sources and logs have them.
import type { ClientCapabilities } from "vscode-languageserver-protocol/node";

export interface EditorClient {
  readonly name: string;
  readonly capabilities: ClientCapabilities;
  /** The name that it gives to SQL. */
  readonly languageId: string;
  /** It sends the whole text with each change, whatever the server offers. */
  readonly whole?: boolean;
  /** It does not know of folders of a workspace. */
  readonly rootAlone?: boolean;
}

const QUICK_FIXES = {
  codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } },
  isPreferredSupport: true,
  dataSupport: true,
  resolveSupport: { properties: ["edit", "command"] },
};

export const EDITORS: readonly EditorClient[] = [
  {
    // vim.lsp.protocol.make_client_capabilities() of 0.12.
    name: "Neovim",
    languageId: "sql",
    capabilities: {
      general: { positionEncodings: ["utf-8", "utf-16", "utf-32"] },
      textDocument: {
        codeAction: { ...QUICK_FIXES, disabledSupport: true, dynamicRegistration: true },
        codeLens: { dynamicRegistration: false },
        diagnostic: { dynamicRegistration: false, relatedDocumentSupport: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        hover: { contentFormat: ["markdown", "plaintext"] },
        inlayHint: { dynamicRegistration: true },
        publishDiagnostics: { relatedInformation: true, dataSupport: true },
        synchronization: { didSave: true, willSave: true },
      },
      window: { workDoneProgress: true, showDocument: { support: true } },
      workspace: {
        applyEdit: true,
        configuration: true,
        didChangeConfiguration: { dynamicRegistration: false },
        // On Linux; elsewhere true.
        didChangeWatchedFiles: { dynamicRegistration: false },
        inlayHint: { refreshSupport: true },
        workspaceEdit: { resourceOperations: ["rename", "create", "delete"] },
        workspaceFolders: true,
      },
    },
  },
  {
    // helix-lsp/src/client.rs of 2026-07.
    name: "Helix",
    languageId: "sql",
    capabilities: {
      general: { positionEncodings: ["utf-8", "utf-32", "utf-16"] },
      textDocument: {
        codeAction: { ...QUICK_FIXES, disabledSupport: true },
        diagnostic: { dynamicRegistration: false, relatedDocumentSupport: true },
        hover: { contentFormat: ["markdown"] },
        inlayHint: { dynamicRegistration: false },
        publishDiagnostics: { versionSupport: true, tagSupport: { valueSet: [1, 2] } },
      },
      window: { workDoneProgress: true, showDocument: { support: true } },
      workspace: {
        applyEdit: true,
        configuration: true,
        didChangeConfiguration: { dynamicRegistration: false },
        didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: false },
        executeCommand: { dynamicRegistration: false },
        inlayHint: { refreshSupport: false },
        workspaceEdit: { documentChanges: true, failureHandling: "abort" },
        workspaceFolders: true,
      },
    },
  },
  {
    // crates/lsp of 2026.
    name: "Zed",
    languageId: "sql",
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      textDocument: {
        codeAction: { ...QUICK_FIXES, dynamicRegistration: true },
        codeLens: { dynamicRegistration: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true, dynamicRegistration: true },
        hover: { contentFormat: ["markdown"], dynamicRegistration: true },
        inlayHint: { dynamicRegistration: true },
        publishDiagnostics: { relatedInformation: true, versionSupport: true, dataSupport: true },
      },
      window: { workDoneProgress: true },
      workspace: {
        applyEdit: true,
        codeLens: { refreshSupport: true },
        configuration: true,
        didChangeConfiguration: { dynamicRegistration: true },
        didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
        inlayHint: { refreshSupport: true },
        workspaceEdit: { documentChanges: true },
        workspaceFolders: true,
      },
    },
  },
  {
    // LSP4IJ's ClientCapabilitiesFactory of 2026.
    name: "IntelliJ with LSP4IJ",
    languageId: "sql",
    capabilities: {
      textDocument: {
        codeAction: { ...QUICK_FIXES, dynamicRegistration: true },
        codeLens: { dynamicRegistration: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true, dynamicRegistration: true },
        hover: { contentFormat: ["markdown", "plaintext"], dynamicRegistration: true },
        inlayHint: { dynamicRegistration: true },
        publishDiagnostics: { relatedInformation: true, dataSupport: true },
      },
      window: { workDoneProgress: true, showDocument: { support: true } },
      workspace: {
        applyEdit: true,
        codeLens: { refreshSupport: true },
        configuration: true,
        didChangeConfiguration: { dynamicRegistration: true },
        didChangeWatchedFiles: { dynamicRegistration: true },
        inlayHint: { refreshSupport: true },
        workspaceEdit: { documentChanges: true, failureHandling: "undo" },
        workspaceFolders: true,
      },
    },
  },
  {
    // lisp/progmodes/eglot.el of Emacs 31, with eglot-report-progress off.
    name: "Emacs with Eglot",
    languageId: "sql",
    capabilities: {
      general: { positionEncodings: ["utf-32", "utf-8", "utf-16"] },
      textDocument: {
        codeAction: { ...QUICK_FIXES, dynamicRegistration: false },
        diagnostic: { dynamicRegistration: false },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        hover: { contentFormat: ["markdown", "plaintext"] },
        inlayHint: { dynamicRegistration: false },
        publishDiagnostics: { relatedInformation: false, versionSupport: true },
      },
      window: { workDoneProgress: false, showDocument: { support: true } },
      workspace: {
        applyEdit: true,
        configuration: true,
        didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
        executeCommand: { dynamicRegistration: false },
        workspaceEdit: { documentChanges: true, failureHandling: "abort" },
        workspaceFolders: true,
      },
    },
  },
  {
    // The least that the protocol allows, and a client of its version 2.
    name: "a client that names nothing",
    languageId: "",
    whole: true,
    rootAlone: true,
    capabilities: {},
  },
];
