// Highlights statements in the editor for the panel: a decoration and the selection, with keyboard focus on request only.
import {
  OverviewRulerLane,
  Range,
  Selection,
  TextEditorRevealType,
  ThemeColor,
  Uri,
  ViewColumn,
  commands,
  window,
  workspace,
} from "vscode";
import type { Disposable, TextEditor } from "vscode";
import type { Place } from "../../../server/src/protocol/requests";

export interface Reveal extends Disposable {
  /** Shows the first place and highlights all; resolves when the editor shows it. */
  show(places: readonly Place[], options: { readonly takeFocus: boolean }): Promise<void>;
  clear(): void;
}

/** Context key: Escape in an editor returns to the panel. */
const CAME_FROM_PANEL = "isolens.cameFromPanel";

export function createReveal(): Reveal {
  const decoration = window.createTextEditorDecorationType({
    backgroundColor: new ThemeColor("isolens.statementBackground"),
    borderColor: new ThemeColor("isolens.statementBorder"),
    borderStyle: "solid",
    borderWidth: "1px",
    overviewRulerColor: new ThemeColor("isolens.statementBorder"),
    overviewRulerLane: OverviewRulerLane.Center,
  });
  let shown: readonly Place[] = [];

  function decorate(editor: TextEditor): void {
    const uri = editor.document.uri.toString();
    const own = shown.filter((place) => Uri.parse(place.uri).toString() === uri);
    editor.setDecorations(decoration, own.map(rangeOf));
  }

  const leave = (): void => {
    void commands.executeCommand("setContext", CAME_FROM_PANEL, false);
  };
  const subscriptions = [
    decoration,
    window.onDidChangeVisibleTextEditors((editors) => {
      editors.forEach(decorate);
    }),
    // After the user moves or edits, Escape has its usual meaning.
    window.onDidChangeTextEditorSelection(({ kind }) => {
      if (kind !== undefined) leave();
    }),
    workspace.onDidChangeTextDocument(leave),
  ];
  return {
    async show(places, { takeFocus }) {
      shown = places;
      window.visibleTextEditors.forEach(decorate);
      const [first] = places;
      if (!first) return;
      const uri = Uri.parse(first.uri);
      const range = rangeOf(first);
      const editor = await window.showTextDocument(await workspace.openTextDocument(uri), {
        viewColumn: columnOf(uri),
        preserveFocus: !takeFocus,
      });
      editor.selection = new Selection(range.start, range.end);
      editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport);
      decorate(editor);
      if (takeFocus) await commands.executeCommand("setContext", CAME_FROM_PANEL, true);
    },
    clear() {
      shown = [];
      window.visibleTextEditors.forEach(decorate);
      leave();
    },
    dispose() {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function rangeOf({ range }: Place): Range {
  const { start, end } = range;
  return new Range(start.line, start.character, end.line, end.character);
}

/** The column that already shows the document, or else the first one. */
function columnOf(uri: Uri): ViewColumn {
  const open = window.visibleTextEditors.find(
    (editor) => editor.document.uri.toString() === uri.toString(),
  );
  return open?.viewColumn ?? ViewColumn.One;
}
