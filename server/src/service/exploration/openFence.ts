// The problem to report if the code of a client program cannot be sandboxed.

/** Node's permission model is off. */
export const NO_FENCE = {
  severity: "error",
  message:
    'the code of a client program runs under Node\'s permission model, which this Node does not have: use Node 20 or newer, or "isolens explore --allow" where you trust the code',
} as const;
