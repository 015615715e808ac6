// The evaluation frame outside of any instance, for conditions on rows and arguments.
import type { Schema } from "../program/schema";
import { runQuery } from "./evaluateQuery";
import type { Environment, Frame } from "./frame";
import { noAnswer } from "./outsideAnswers";

export const NOBODY: Environment = {
  instance: "",
  parameters: {},
  variables: {},
  results: {},
  affected: {},
  loops: {},
  fresh: () => null,
  answer: noAnswer,
  ofRows: new Set(),
};

/** A frame with nothing in scope but the environment. */
export function bareFrame(schema: Schema, environment: Environment): Frame {
  return {
    environment,
    runQuery,
    schema,
    scope: undefined,
    tables: undefined,
    acting: undefined,
    recorder: undefined,
    once: undefined,
  };
}
