/** A remark on lines of a recording or of a log that are no statements. */
export function lostLines(count: number, source: string): string {
  const lines = count === 1 ? "1 line" : `${String(count)} lines`;
  return `${lines} of ${source} ${count === 1 ? "is" : "are"} cut off or of something else, and passed over`;
}
