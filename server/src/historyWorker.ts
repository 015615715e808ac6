// Entry of dist/history.js: the thread that judges recorded histories.
import { serveHistoryJob } from "./service/history/thread";

serveHistoryJob();
