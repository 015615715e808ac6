// Notes on levels whose names mean something else in other versions of their product.
import { basisOf } from "../../isolation/levelBasis";
import { distinctLevels, levelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Note, Transaction } from "../../program/program";

/** One note per such level, at the place that declares it or else at the first transaction that runs at it. */
export function versionNotes(
  transactions: readonly Transaction[],
  levels: Levels,
): readonly Note[] {
  return distinctLevels(levels).flatMap((level): readonly Note[] => {
    const { version } = basisOf(level);
    const first = transactions.find(({ id }) => levelAt(levels, id).name === level.name);
    if (version === undefined || first === undefined) return [];
    const source = first.level?.source ?? first.header;
    return [{ severity: "information", code: "level-version", message: version, source }];
  });
}
