/** Exit codes, as the help text says them. */
export const EXIT = { clean: 0, anomaly: 1, unknown: 2, usage: 3, internal: 4 } as const;
