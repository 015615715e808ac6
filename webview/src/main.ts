// Entry of dist/webview.js: creates the page and signals the host.
import "./styles/theme.css";
import "./styles/panel.css";
import "./styles/figures.css";
import { openHost } from "./host";
import { createPage } from "./page";

const root = document.getElementById("panel");
if (!root) throw new Error('the page has no element "panel"');
createPage(root, openHost());
