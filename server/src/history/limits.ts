// When a check has to stop before it knows: time, memory, or the user.

export type StopReason = "cancelled" | "time" | "memory";

/** Called often; throws `OutOfLimits` when the check must stop. */
export type Poll = () => void;

export interface Limits {
  /** Asked every few milliseconds: why the check must end now, or undefined to go on. */
  readonly stop?: () => StopReason | undefined;
  /** Bytes that the tables of one level may take. */
  readonly bytes?: number;
}

export const DEFAULT_BYTES = 1.6e9;

/** The reason why no answer was reached; never escapes `checkHistory`. */
export class OutOfLimits extends Error {
  constructor(readonly reason: StopReason) {
    super(reason);
    this.name = "OutOfLimits";
  }
}

export function pollFor(limits: Limits): Poll {
  return () => {
    const reason = limits.stop?.();
    if (reason !== undefined) throw new OutOfLimits(reason);
  };
}

export function refuseAbove(limits: Limits, bytes: number): void {
  if (bytes > (limits.bytes ?? DEFAULT_BYTES)) throw new OutOfLimits("memory");
}
