// One tentative step of one session on the shared copy of the database: the copy is not changed.
import type { Key, ReadRequest, Reply, Request, Value } from "./client";
import type { CopyRules } from "./copyRules";
import { INITIAL, OWN } from "./history";
import type { TransactionId } from "./history";
import type { Ending, OpenTransaction } from "./log";
import type { Step } from "./sequences";
import type { Point } from "./unfolding";

/** The copy at the time of a step. */
export interface Copy {
  readonly rules: CopyRules;
  /** The number of steps taken so far. */
  readonly now: number;
  readonly last: ReadonlyMap<Key, TransactionId>;
  readonly isHeld: (key: Key, bySessionsBut: number) => boolean;
  readonly value: (reader: OpenTransaction, key: Key, from: TransactionId) => Value;
  readonly keysOf: (request: ReadRequest) => readonly Key[];
}

/** A transaction in progress. */
export interface Running {
  readonly open: OpenTransaction;
  /** Keys that it locks until its end. */
  readonly holds: ReadonlySet<Key>;
  /** The transaction's snapshot, if a step is a statement and the level has one per transaction. */
  readonly snapshot: Snapshot | undefined;
}

export interface Snapshot {
  /** The step that took it. */
  readonly at: number;
  readonly versions: ReadonlyMap<Key, TransactionId>;
  /** The keys read, with their writers. */
  readonly reads: ReadonlyMap<Key, TransactionId>;
  /** Keys that had to be unchanged since. */
  readonly compared: ReadonlySet<Key>;
}

/** The next step of a session. */
export interface Move {
  readonly step: Step;
  readonly running: Running;
  readonly point: Point;
  /** The end of the transaction; undefined while it continues. */
  readonly ending: Ending | undefined;
}

const DONE: Reply = { kind: "done" };

export class Moment {
  private readonly reads = new Map<Key, TransactionId>();
  private readonly taken = new Set<Key>();
  private readonly unchanged = new Set<Key>();
  private snapshot: Snapshot | undefined;
  /** The last action of the step; nothing before it belongs to the same statement. */
  private done: "nothing" | "plain read" | "current read" | "write" = "nothing";

  constructor(
    private readonly copy: Copy,
    private readonly running: Running,
    private readonly first: boolean,
  ) {
    this.snapshot = running.snapshot;
    if (first && copy.rules.moment === "statement" && copy.rules.snapshot === "begin")
      this.snapshotNow();
  }

  /** True if the request belongs to the next step. */
  isOver(request: Request): boolean {
    const { rules } = this.copy;
    if (request.kind === "commit") return !this.mayCommit();
    if (rules.moment !== "statement" || request.kind === "abort") return false;
    if (rules.snapshot === "begin" && this.first) return true;
    if (this.done === "nothing") return false;
    if (request.kind === "write") return this.done === "plain read";
    return request.kind !== "read" || request.continues !== true || this.done === "write";
  }

  /** The answer; undefined if the transaction must wait, or cannot continue. */
  answer(request: Request): Reply | undefined {
    const { open } = this.running;
    if (request.kind === "write") {
      if (this.copy.rules.moment === "statement" && !this.hold(request.key)) return undefined;
      open.events.push({ kind: "write", key: request.key, value: request.value });
      open.writes.set(request.key, request.value);
      this.done = "write";
      return DONE;
    }
    if (request.kind !== "read") return DONE;
    if (request.continues !== true) open.statement++;
    const values = new Map<Key, Value>();
    for (const key of this.copy.keysOf(request)) {
      const from = open.writes.has(key) ? OWN : this.writerOf(key, request.current === true);
      if (from === undefined) return undefined;
      open.events.push({ kind: "read", key, from, statement: open.statement });
      values.set(key, this.copy.value(open, key, from));
    }
    this.done = request.current === true ? "current read" : "plain read";
    return { kind: "values", values };
  }

  /** Reserves the written keys, which snapshot isolation requires before the commit; false if another transaction writes one of them. */
  reserve(): boolean {
    const { rules } = this.copy;
    if (rules.moment !== "snapshot" || !rules.exclusive || !this.first) return true;
    return [...this.running.open.writes.keys()].every((key) => this.hold(key));
  }

  /** The step that ends at this point. */
  move(point: Point, ending: Ending | undefined): Move {
    const { open, holds } = this.running;
    return {
      step: {
        session: open.session,
        transaction: open.id,
        reads: [...this.reads].map(([key, from]) => ({ key, from })),
        commits: ending?.status === "committed" ? [...open.writes.keys()] : [],
        holds: [...this.taken],
        ...(this.unchanged.size > 0 && { unchanged: [...this.unchanged] }),
        first: this.first,
        last: ending !== undefined,
      },
      running: { open, holds: new Set([...holds, ...this.taken]), snapshot: this.snapshot },
      point,
      ending,
    };
  }

  /**
   * True if the commit is part of this step. A commit that others may precede is a step of its own, unless the difference is invisible.
   */
  private mayCommit(): boolean {
    const { open, holds } = this.running;
    switch (this.copy.rules.moment) {
      case "transaction":
        return true;
      case "snapshot":
        return !this.first || open.writes.size === 0;
      case "statement":
        return this.done === "nothing" || holds.size + this.taken.size === 0;
    }
  }

  /** The writer of a read, in the snapshot or on the copy. */
  private writerOf(key: Key, current: boolean): TransactionId | undefined {
    const { rules, last } = this.copy;
    const newest = last.get(key) ?? INITIAL;
    if (rules.moment === "statement") {
      if (rules.snapshot === "first-statement") this.snapshotNow();
      if (current) return this.hold(key) ? this.note(key, newest) : undefined;
      if (rules.snapshot === "first-plain-read") this.snapshotNow();
      if (this.snapshot !== undefined) return this.noteSnapshot(this.snapshot, key);
    }
    return this.note(key, newest);
  }

  private note(key: Key, from: TransactionId): TransactionId {
    this.reads.set(key, from);
    return from;
  }

  private noteSnapshot(snapshot: Snapshot, key: Key): TransactionId {
    const from = snapshot.versions.get(key) ?? INITIAL;
    this.snapshot = { ...snapshot, reads: new Map([...snapshot.reads, [key, from]]) };
    return from;
  }

  private snapshotNow(): void {
    const { now, last } = this.copy;
    this.snapshot ??= { at: now, versions: new Map(last), reads: new Map(), compared: new Set() };
  }

  /** Locks a key; false if another transaction holds it, or if it has changed and that matters. */
  private hold(key: Key): boolean {
    const { open, holds } = this.running;
    const { rules, last } = this.copy;
    if (this.copy.isHeld(key, open.session)) return false;
    if (rules.moment === "statement" && rules.firstUpdaterWins) {
      if (rules.snapshot === "first-statement") this.snapshotNow();
      if (this.snapshot !== undefined && this.snapshot.at < this.copy.now) {
        if (this.snapshot.versions.get(key) !== last.get(key)) return false;
        this.unchanged.add(key);
        this.snapshot = {
          ...this.snapshot,
          compared: new Set([...this.snapshot.compared, key]),
        };
      }
    }
    if (!holds.has(key)) this.taken.add(key);
    return true;
  }
}
