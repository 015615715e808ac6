// Entry of dist/database.js: what needs a database, one of its own or a real one. It is loaded only when it is asked for,
// since clients of databases and the SQL of the mock are large.
export { recordCommand } from "./cli/recordCommand";
export { replayCommand } from "./cli/replayCommand";
export { serveCommand } from "./cli/serveCommand";
export { testgenCommand } from "./cli/testgenCommand";
