// The intake of a recording: the events of its connections become statements without secrets, which are kept to be learnt
// from and written to the recording's file.
import { fileErrorText } from "../workspace/textFile";
import type { Protocol, Remark, StatementEvent } from "./events";
import { openRecording, type RecordingFile } from "./recording";
import { createRetention } from "./retention";
import {
  newGlossary,
  recordedStatement,
  type Glossary,
  type RecordedStatement,
} from "./statements";

/** All that a recording knows, as plain data. */
export interface IntakeState {
  /** Statements that are kept to be learnt from. */
  readonly statements: readonly RecordedStatement[];
  readonly glossary: Glossary;
  /** Statements that there were, and those of them that are not kept. */
  readonly count: number;
  readonly passedOver: number;
  /** Statements that were sent: the number of the next one. */
  readonly orders: number;
}

export interface IntakeOptions {
  readonly protocol: Protocol;
  readonly recording: RecordingFile;
  readonly remark: Remark;
  /** State of the intake that this one goes on from. */
  readonly before?: IntakeState;
  /** A statement as it is kept. */
  readonly completed?: (statement: RecordedStatement) => RecordedStatement;
}

export interface Intake {
  emit(event: StatementEvent): void;
  nextOrder(): number;
  state(): IntakeState;
  close(): void;
}

/** Throws the system's error where the recording's file cannot be written. */
export function openIntake({
  protocol,
  recording,
  remark,
  before = { ...NOTHING, glossary: newGlossary(recording.key) },
  completed = (statement) => statement,
}: IntakeOptions): Intake {
  const retention = createRetention(before.statements);
  const { glossary } = before;
  let { orders } = before;
  let isWriting = true;
  const writer = openRecording(recording, { protocol, key: glossary.key }, (error) => {
    // The application goes on, and what was learnt so far is kept in memory.
    isWriting = false;
    remark(`${recording.file}: not written any more: ${fileErrorText(error)}`);
  });
  return {
    emit(event) {
      const statement = completed(recordedStatement(event, protocol, glossary));
      retention.add(statement);
      if (isWriting) writer.add(statement);
    },
    nextOrder: () => orders++,
    state: () => ({
      statements: retention.statements(),
      glossary,
      count: before.count + retention.count,
      passedOver: before.passedOver + retention.passedOver,
      orders,
    }),
    close: () => {
      writer.close();
    },
  };
}

export const NOTHING: IntakeState = {
  ...{ statements: [], glossary: newGlossary() },
  ...{ count: 0, passedOver: 0, orders: 0 },
};
