// Suggestions for misspelled names.

/** Up to three known names similar to the written one, nearest first; of equally near ones the shorter. */
export function nearestNames(written: string, known: readonly string[]): readonly string[] {
  const wanted = written.toLowerCase();
  return known
    .map((name, order) => ({ name, order, distance: nameDistance(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length || a.order - b.order)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** The distance of two names; one that contains the other counts as near. */
function nameDistance(written: string, name: string): number {
  const contained = written.length > 2 && (name.includes(written) || written.includes(name));
  const distance = editDistance(written, name);
  return contained ? Math.min(distance, 1) : distance;
}

/** Levenshtein distance, with one row of the table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
