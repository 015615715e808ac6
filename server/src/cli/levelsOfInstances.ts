import { findLevel, type Level } from "../isolation/levels";
import { ownEntry } from "../protocol/dictionary";
import type { ChosenAnomaly } from "./anomalyChoice";

/** The levels of the anomaly's instances, in order. */
export function levelsOfInstances({ done, anomaly }: ChosenAnomaly): readonly Level[] {
  const { default: usual, perTransaction } = done.check.report.levels;
  return anomaly.witness.instances.map(({ transaction }) => {
    const name = ownEntry(perTransaction, transaction) ?? usual;
    return findLevel(name, done.project.configuration.defined) ?? done.level;
  });
}
