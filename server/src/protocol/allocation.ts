// Which level each transaction needs so that the program is serializable.

/** A level per transaction, by their names. */
export type LevelsByTransaction = Readonly<Record<string, string>>;

export interface Allocation {
  /** The levels that were chosen among, from weak to strong. */
  readonly among: readonly string[];
  /**
   * The weakest that suffices: no transaction can run at a weaker level beside the others as they are. Absent where not
   * even the strongest level suffices, or nothing was decided in time.
   */
  readonly levels?: LevelsByTransaction;
  /** Others that suffice as well and cannot be weakened either; empty where one was looked for alone. */
  readonly alternatives: readonly LevelsByTransaction[];
  /** All allocations were tried; else levels were lowered one transaction after the other. */
  readonly isExhaustive: boolean;
  /** How many transactions at a time the answer is about. */
  readonly bound: number;
  /** The reason why it is not decided, or what was not understood at any level. */
  readonly open: readonly string[];
}
