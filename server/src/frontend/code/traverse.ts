/** The results of all items; undefined where one of them has none. */
export function traverse<Item, Result>(
  items: Iterable<Item>,
  read: (item: Item) => Result | undefined,
): Result[] | undefined {
  const results: Result[] = [];
  for (const item of items) {
    const result = read(item);
    if (result === undefined) return undefined;
    results.push(result);
  }
  return results;
}
