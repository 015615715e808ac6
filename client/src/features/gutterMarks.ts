// Gutter icons at the first line of each transaction: its state, by shape and colour. Off by default, since breakpoints and tests use the
// same place.
import { Disposable, OverviewRulerLane, Range, ThemeColor, Uri, window, workspace } from "vscode";
import type { TextEditorDecorationType } from "vscode";
import type { TransactionVerdict, TreeFile } from "../../../server/src/protocol/requests";
import { createTransactionFiles } from "./transactionViews";
import type { ServerClient } from "./serverClient";

const SETTING = "isolens.gutter.enabled";

/** Each verdict has its own shape; transactions being checked have none. */
const SHAPES: Readonly<Partial<Record<TransactionVerdict, string>>> = {
  anomaly: '<path d="M8 2 15 14H1z" fill="COLOUR"/>',
  unknown: '<circle cx="8" cy="8" r="5" fill="none" stroke="COLOUR" stroke-width="2"/>',
  nothing: '<path d="m3 8 4 4 6-8" fill="none" stroke="COLOUR" stroke-width="2"/>',
  hidden: '<path d="M3 8h10" stroke="COLOUR" stroke-width="2"/>',
};
/** Legible on light and dark backgrounds. */
const COLOURS: Readonly<
  Partial<Record<TransactionVerdict, readonly [light: string, dark: string]>>
> = {
  anomaly: ["#b5401f", "#f48771"],
  unknown: ["#0067b8", "#75beff"],
  nothing: ["#2c7d32", "#89d185"],
  hidden: ["#6b6b6b", "#9d9d9d"],
};

export function registerGutterMarks(server: ServerClient): Disposable {
  const isOn = (): boolean => workspace.getConfiguration().get(SETTING, false);
  const transactions = createTransactionFiles(server, isOn);
  const types = new Map<TransactionVerdict, TextEditorDecorationType>();
  const typeOf = (verdict: TransactionVerdict): TextEditorDecorationType | undefined => {
    const [shape, colours] = [SHAPES[verdict], COLOURS[verdict]];
    if (shape === undefined || colours === undefined) return undefined;
    const [light, dark] = colours.map((colour) => iconOf(shape.replace("COLOUR", colour)));
    const type =
      types.get(verdict) ??
      window.createTextEditorDecorationType({
        ...(light && { light: { gutterIconPath: light } }),
        ...(dark && { dark: { gutterIconPath: dark } }),
        gutterIconSize: "70%",
        ...(verdict === "anomaly" && {
          overviewRulerColor: new ThemeColor("isolens.readWrite"),
          overviewRulerLane: OverviewRulerLane.Left,
        }),
      });
    types.set(verdict, type);
    return type;
  };
  const draw = (): void => {
    for (const editor of window.visibleTextEditors) {
      const places = placesOf(transactions.files(), editor.document.uri.toString());
      for (const verdict of Object.keys(SHAPES) as TransactionVerdict[]) {
        const type = typeOf(verdict);
        if (type) editor.setDecorations(type, [...(places.get(verdict) ?? [])]);
      }
    }
  };
  return Disposable.from(
    transactions,
    transactions.onChanged(draw),
    window.onDidChangeVisibleTextEditors(draw),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SETTING)) void transactions.refresh();
    }),
    new Disposable(() => {
      for (const type of types.values()) type.dispose();
    }),
  );
}

function placesOf(
  files: readonly TreeFile[],
  uri: string,
): ReadonlyMap<TransactionVerdict, Range[]> {
  const places = new Map<TransactionVerdict, Range[]>();
  for (const { verdict, place } of files.flatMap((file) => file.transactions)) {
    if (Uri.parse(place.uri).toString() !== uri) continue;
    const { line } = place.range.start;
    places.set(verdict, [...(places.get(verdict) ?? []), new Range(line, 0, line, 0)]);
  }
  return places;
}

function iconOf(shape: string): Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shape}</svg>`;
  return Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`);
}
