// Limits of a check: time, memory, or the user's stop.

export type StopReason = "cancelled" | "time" | "memory";

/** Called often; throws `OutOfLimits` if the check must stop. */
export type Poll = () => void;

export interface Limits {
  /** Polled every few milliseconds: the reason to stop, or undefined to continue. */
  readonly stop?: () => StopReason | undefined;
  /** Limit for the tables of one level, in bytes. */
  readonly bytes?: number;
}

export const DEFAULT_BYTES = 1.6e9;

/** Thrown if a limit was reached; never leaves `checkHistory`. */
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
