// Times as multiples of a calibration, so that figures of different machines can be compared.

/** "2.5 x": how many of that unit a time is. */
export function multiple(milliseconds: number, of: number, unit: string): string {
  return `${(milliseconds / of).toFixed(1)} ${unit}`;
}
