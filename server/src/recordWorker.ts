// Entry of dist/record.js: the thread that looks at what a recording's proxy hands on.
import { serveIntake } from "./record/thread/thread";

serveIntake();
