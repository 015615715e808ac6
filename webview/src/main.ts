// Entry of dist/webview.js: puts the page into its element and lets the host begin.
import "./styles/theme.css";
import "./styles/panel.css";
import "./styles/figures.css";
import { openHost } from "./host";
import { createPage } from "./page";

const root = document.getElementById("panel");
if (!root) throw new Error('the page has no element "panel"');
createPage(root, openHost());
