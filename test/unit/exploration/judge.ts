// A history of the explorer as the history checker takes it, which shares no code with the explorer.
import { HistoryBuilder } from "../../../server/src/history/builder";
import { HISTORY_LEVELS, checkHistory } from "../../../server/src/history/check";
import { ABORTED, READ, WRITE } from "../../../server/src/history/history";
import type { AxiomaticLevel } from "../../../server/src/exploration/exploration";
import type { History } from "../../../server/src/exploration/history";
import { INITIAL, OWN } from "../../../server/src/exploration/history";

/** The checker's answer on the level, or undefined for levels that it does not know. */
export function checkerSays(history: History, level: AxiomaticLevel): string | undefined {
  const asked = HISTORY_LEVELS.find((each) => each === level);
  if (asked === undefined) return undefined;
  const builder = new HistoryBuilder({ zeroIsInitial: false, placeUnit: "line" });
  history.transactions.forEach(({ id, session, events, status }) => {
    const transaction = builder.textTransaction(builder.textSession(`s${session}`), `t${id}`);
    if (status === "aborted") builder.setStatus(transaction, ABORTED);
    events.forEach((event, at) => {
      const key = builder.textKey(event.key);
      const last = events.findLastIndex((each) => each.kind === "write" && each.key === event.key);
      const versionBy = (writer: number, place: number): number =>
        builder.textVersion(key, place < 0 ? `t${writer}` : `t${writer}, write ${place}`);
      if (event.kind === "write")
        builder.add(WRITE, transaction, key, versionBy(id, at === last ? -1 : at), at + 1);
      else if (event.from === INITIAL)
        builder.add(READ, transaction, key, builder.initialVersion(key), at + 1);
      else if (event.from !== OWN)
        builder.add(READ, transaction, key, versionBy(event.from, -1), at + 1);
    });
  });
  return checkHistory(builder.finish(), { levels: [asked] }).verdicts.get(asked);
}
