import { randomBytes } from "node:crypto";
import { Uri } from "vscode";
import type { Webview } from "vscode";

/** The page around dist/webview.js. Its content policy allows nothing else. */
export function panelHtml(webview: Webview, extension: Uri): string {
  const nonce = randomBytes(16).toString("base64url");
  const script = webview.asWebviewUri(Uri.joinPath(extension, "dist", "webview.js")).toString();
  const style = webview.asWebviewUri(Uri.joinPath(extension, "dist", "webview.css")).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; img-src data:`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="${style}" />
    <title>Isolens</title>
  </head>
  <body>
    <div id="panel"></div>
    <script nonce="${nonce}" src="${script}"></script>
  </body>
</html>`;
}
