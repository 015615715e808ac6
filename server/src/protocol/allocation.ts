// The level that each transaction needs for the program to be serializable.

/** A level per transaction, by name. */
export type LevelsByTransaction = Readonly<Record<string, string>>;

export interface Allocation {
  /** The candidate levels, weak to strong. */
  readonly among: readonly string[];
  /**
   * The weakest sufficient allocation: no single transaction can run at a weaker level. Absent if even the strongest level does not
   * suffice, or if nothing was decided in time.
   */
  readonly levels?: LevelsByTransaction;
  /** Other minimal sufficient allocations; empty if only one was sought. */
  readonly alternatives: readonly LevelsByTransaction[];
  /** True if all allocations were tried; else levels were lowered one transaction after the other. */
  readonly isExhaustive: boolean;
  /** The number of concurrent transactions that the answer covers. */
  readonly bound: number;
  /** Reasons why it is undecided, or what was not understood at any level. */
  readonly open: readonly string[];
}
