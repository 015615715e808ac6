// Entry of dist/explore.js: the thread that explores client programs.
import { serveExploreJob } from "./service/exploreThread";

serveExploreJob();
