// A small CDCL solver (two watched literals, first unique implication point, activities, restarts) with a theory that may reject
// assignments.

/** Literal `2v` says that variable `v` is true, `2v + 1` that it is false. */
export type Literal = number;

export interface Theory {
  /** Asserts a literal. Returns a conflict: true literals, including this one, that cannot hold together. */
  assert(literal: Literal): readonly Literal[] | undefined;
  /** Retracts the last asserted literal. */
  retract(literal: Literal): void;
  /** The literal of a variable to try first. */
  prefer(variable: number): Literal;
}

export interface Solver {
  /** True if the clauses are satisfiable with the theory. May be called again after more clauses. */
  solve(): boolean;
  /** Adds a clause and undoes all decisions. */
  add(clause: readonly Literal[]): void;
  isTrue(literal: Literal): boolean;
  readonly conflicts: () => number;
}

const RESTART_FIRST = 100;
const RESTART_FACTOR = 1.3;
const DECAY = 0.95;

export function createSolver(variables: number, theory: Theory, poll: () => void): Solver {
  const value = new Int8Array(2 * variables);
  const level = new Int32Array(variables);
  const reason: (readonly Literal[] | undefined)[] = new Array<undefined>(variables).fill(
    undefined,
  );
  const watches = new Map<Literal, Literal[][]>();
  const trail: Literal[] = [];
  const levelStart: number[] = [];
  const seen = new Uint8Array(variables);
  const heap = activityHeap(variables);
  let head = 0;
  let consistent = true;
  let conflicts = 0;

  return { solve, add, isTrue: (literal) => value[literal] === 1, conflicts: () => conflicts };

  function solve(): boolean {
    let budget = RESTART_FIRST;
    let used = 0;
    for (let steps = 0; consistent; steps++) {
      if ((steps & 255) === 0) poll();
      const conflict = propagate();
      if (conflict !== undefined) {
        conflicts++;
        used++;
        resolveConflict(conflict);
        if (used > budget) {
          used = 0;
          budget *= RESTART_FACTOR;
          backtrack(0);
        }
        continue;
      }
      const variable = heap.next((v) => value[2 * v] === 0);
      if (variable === undefined) return true;
      levelStart.push(trail.length);
      enqueue(theory.prefer(variable), undefined);
    }
    return false;
  }

  function add(clause: readonly Literal[]): void {
    backtrack(0);
    const open = [...new Set(clause)].filter((literal) => value[literal] !== -1);
    if (open.some((literal) => value[literal] === 1)) return;
    const [first, second] = open;
    if (first === undefined) consistent = false;
    else if (second === undefined) enqueue(first, undefined);
    else watch(open, first, second);
  }

  function watch(clause: Literal[], first: Literal, second: Literal): void {
    watchersOf(first).push(clause);
    watchersOf(second).push(clause);
  }

  function watchersOf(literal: Literal): Literal[][] {
    const known = watches.get(literal);
    if (known !== undefined) return known;
    const fresh: Literal[][] = [];
    watches.set(literal, fresh);
    return fresh;
  }

  function enqueue(literal: Literal, why: readonly Literal[] | undefined): void {
    value[literal] = 1;
    value[literal ^ 1] = -1;
    const variable = literal >> 1;
    level[variable] = levelStart.length;
    reason[variable] = why;
    trail.push(literal);
  }

  function backtrack(to: number): void {
    const start = levelStart[to];
    if (start === undefined) return;
    for (let at = trail.length - 1; at >= start; at--) {
      const literal = trail[at] ?? 0;
      if (at < head) theory.retract(literal);
      value[literal] = 0;
      value[literal ^ 1] = 0;
      heap.insert(literal >> 1);
    }
    trail.length = start;
    levelStart.length = to;
    head = Math.min(head, start);
  }

  /** Propagates new literals to the theory and the clauses; returns a falsified clause as conflict. */
  function propagate(): readonly Literal[] | undefined {
    while (head < trail.length) {
      const literal = trail[head] ?? 0;
      const objection = theory.assert(literal);
      if (objection !== undefined) return objection.map((each) => each ^ 1);
      head++;
      const conflict = propagateClauses(literal ^ 1);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }

  function propagateClauses(falsified: Literal): readonly Literal[] | undefined {
    const list = watches.get(falsified);
    if (list === undefined) return undefined;
    let kept = 0;
    for (let at = 0; at < list.length; at++) {
      const clause: Literal[] | undefined = list[at];
      if (clause === undefined) continue;
      if (clause[0] === falsified) {
        clause[0] = clause[1] ?? 0;
        clause[1] = falsified;
      }
      const first = clause[0] ?? 0;
      const other = value[first] === 1 ? 0 : replacement(clause);
      if (value[first] !== 1 && other > 0) {
        const literal = clause[other] ?? 0;
        clause[1] = literal;
        clause[other] = falsified;
        watchersOf(literal).push(clause);
        continue;
      }
      list[kept++] = clause;
      if (value[first] === 1) continue;
      if (value[first] === -1) {
        for (let rest = at + 1; rest < list.length; rest++) list[kept++] = list[rest] ?? clause;
        list.length = kept;
        return clause;
      }
      enqueue(first, clause);
    }
    list.length = kept;
    return undefined;
  }

  /** The position of an unwatched literal that is not false, or 0. */
  function replacement(clause: readonly Literal[]): number {
    for (let at = 2; at < clause.length; at++) if (value[clause[at] ?? 0] !== -1) return at;
    return 0;
  }

  function resolveConflict(conflict: readonly Literal[]): void {
    // A theory conflict may lie entirely below the newest level.
    const deepest = Math.max(0, ...conflict.map((literal) => level[literal >> 1] ?? 0));
    if (deepest === 0) {
      consistent = false;
      return;
    }
    backtrack(deepest);
    const { clause, level: target } = learn(conflict);
    backtrack(target);
    heap.decay();
    const [first, second] = clause;
    if (first === undefined) return;
    if (second !== undefined) watch(clause, first, second);
    enqueue(first, second === undefined ? undefined : clause);
  }

  function learn(conflict: readonly Literal[]): { clause: Literal[]; level: number } {
    const clause: Literal[] = [];
    const touched: number[] = [];
    let open = 0;
    let index = trail.length - 1;
    let pivot: Literal = -1;
    for (let current: readonly Literal[] = conflict; ;) {
      for (const literal of current) {
        const variable = literal >> 1;
        if (literal === pivot || seen[variable] === 1 || (level[variable] ?? 0) === 0) continue;
        seen[variable] = 1;
        touched.push(variable);
        heap.bump(variable);
        if ((level[variable] ?? 0) >= levelStart.length) open++;
        else clause.push(literal);
      }
      while (seen[(trail[index] ?? 0) >> 1] !== 1) index--;
      pivot = trail[index--] ?? 0;
      open--;
      if (open === 0) break;
      current = reason[pivot >> 1] ?? [];
    }
    for (const variable of touched) seen[variable] = 0;
    const depth = (literal: Literal) => level[literal >> 1] ?? 0;
    clause.sort((one, other) => depth(other) - depth(one));
    const [deepest] = clause;
    return {
      clause: [pivot ^ 1, ...clause],
      level: deepest === undefined ? 0 : depth(deepest),
    };
  }

  function activityHeap(size: number) {
    const activity = new Float64Array(size);
    const items = Int32Array.from({ length: size }, (_, index) => index);
    const place = items.slice();
    let length = size;
    let increment = 1;
    const swap = (one: number, other: number) => {
      const a = items[one] ?? 0;
      const b = items[other] ?? 0;
      items[one] = b;
      items[other] = a;
      place[b] = one;
      place[a] = other;
    };
    const above = (one: number, other: number) =>
      (activity[items[one] ?? 0] ?? 0) > (activity[items[other] ?? 0] ?? 0);
    const up = (from: number) => {
      for (let at = from; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!above(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    };
    const down = (from: number) => {
      for (let at = from; ;) {
        let child = 2 * at + 1;
        if (child >= length) return;
        if (child + 1 < length && above(child + 1, child)) child++;
        if (!above(child, at)) return;
        swap(child, at);
        at = child;
      }
    };
    return {
      insert(variable: number): void {
        if ((place[variable] ?? -1) >= 0) return;
        items[length] = variable;
        place[variable] = length;
        up(length++);
      },
      next(wanted: (variable: number) => boolean): number | undefined {
        while (length > 0) {
          const best = items[0] ?? 0;
          swap(0, --length);
          place[best] = -1;
          down(0);
          if (wanted(best)) return best;
        }
        return undefined;
      },
      bump(variable: number): void {
        activity[variable] = (activity[variable] ?? 0) + increment;
        if ((activity[variable] ?? 0) > 1e100) {
          for (let v = 0; v < size; v++) activity[v] = (activity[v] ?? 0) * 1e-100;
          increment *= 1e-100;
        }
        const at = place[variable] ?? -1;
        if (at >= 0) up(at);
      },
      decay(): void {
        increment /= DECAY;
      },
    };
  }
}
