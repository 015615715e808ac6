// Entry of dist/check.js: the language server's thread that reads and checks.
import { serveChecks } from "./lsp/checkThread";

serveChecks();
