// Entry of dist/explore.js: the thread, or the process of its own, that explores client programs.
import { isMainThread } from "node:worker_threads";
import { serveFencedJob } from "./service/exploreFenced";
import { serveExploreJob } from "./service/exploreThread";

if (isMainThread) serveFencedJob();
else serveExploreJob();
