/** The strongly connected components with a cycle (a self-loop counts), each sorted. O(n^2). */
export function cyclicGroups(
  nodes: readonly number[],
  leads: (from: number, to: number) => boolean,
): readonly (readonly number[])[] {
  const next = new Map(nodes.map((from) => [from, nodes.filter((to) => leads(from, to))]));
  const reach = new Map<number, ReadonlySet<number>>();
  for (const start of nodes) {
    const seen = new Set<number>();
    const queue = [start];
    for (let at = queue.pop(); at !== undefined; at = queue.pop())
      for (const to of next.get(at) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          queue.push(to);
        }
    reach.set(start, seen);
  }
  const grouped = new Set<number>();
  const groups: (readonly number[])[] = [];
  for (const each of nodes) {
    const reached = reach.get(each);
    if (grouped.has(each) || reached?.has(each) !== true) continue;
    const group = nodes.filter(
      (other) => reached.has(other) && reach.get(other)?.has(each) === true,
    );
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups;
}
