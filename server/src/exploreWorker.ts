// Entry of dist/explore.js: the thread, or the process of its own, that explores client programs.
import { isMainThread } from "node:worker_threads";
import { serveFencedJob } from "./service/exploration/fenceProcess";
import { serveExploreJob } from "./service/exploration/thread";

if (isMainThread) serveFencedJob();
else serveExploreJob();
