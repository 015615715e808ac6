// Settings of the process: what its environment says, read by name.

/** True for the name of an environment variable as code reads it: `process.env.MAX_SEATS`. */
export function isSetting(name: string): boolean {
  return /^process\.env\.\w+$/u.test(name);
}
