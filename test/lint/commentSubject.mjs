// A lint rule: a comment begins with its subject, a noun of the field, or with what is returned ("True if ..."), not with
// a clause for lack of one.

/** @typedef {import("eslint").Rule.RuleModule} RuleModule */

/** @type {RuleModule} */
export const commentSubject = {
  meta: {
    type: "suggestion",
    docs: { description: "forbid comments that begin with a clause instead of a subject" },
    messages: {
      clause:
        'Begin with the subject ("The locks of ...", "True if ..."), not with "{{word}}" for lack of a noun.',
    },
    schema: [],
  },
  create(context) {
    return {
      Program() {
        let before = -1;
        for (const comment of context.sourceCode.getAllComments()) {
          const { type, value, loc } = comment;
          // A line goes on where another one stands right above it.
          const isNext =
            type === "Line" && loc !== null && loc !== undefined && loc.start.line === before + 1;
          if (type === "Line") before = loc?.end.line ?? -1;
          const word = /^[\s*]*(What|Whether)\b/u.exec(value)?.[1];
          if (word === undefined || isNext || !loc) continue;
          context.report({ loc, messageId: "clause", data: { word } });
        }
      },
    };
  },
};
