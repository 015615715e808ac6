// Recordings of the mock database, as the history checker reads them.
import assert from "node:assert/strict";
import { startReading } from "../../../server/src/history/formats/readHistory";
import type { History } from "../../../server/src/history/history";
import type { RecordedHistory } from "../../../server/src/mock/store/recordHistory";

/** Through the JSON that is written to files. */
export function recordedHistory(recorded: RecordedHistory): History {
  const bytes = new TextEncoder().encode(JSON.stringify(recorded));
  const reading = startReading("json", bytes.length);
  reading.file("run.json");
  assert.equal(reading.feed(bytes), undefined);
  assert.equal(reading.endFile(), undefined);
  return reading.finish();
}
