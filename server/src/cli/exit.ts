/** Exit codes, as documented in the help text. */
export const EXIT = { clean: 0, anomaly: 1, unknown: 2, usage: 3, internal: 4 } as const;
