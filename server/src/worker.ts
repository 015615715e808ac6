// Entry of dist/worker.js: the solver's thread.
import { serveJobs } from "./engine/worker";

void serveJobs();
