// Separates DO blocks that define tables, types or keys from those that only change rows, before parsing.

/** True if a statement may be a DO block with definitions. Linear in the text. */
export function mayDefine(text: string): boolean {
  return DO.test(text) && DEFINES.test(text);
}

const DO = /^\s*(--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*do\b/i;

/** The first words of definitions that affect transactions. */
export const DEFINES =
  /\b(create|alter|drop)\s+(or\s+replace\s+)?((unique|constraint)\s+)?(table|type|domain|index|view|trigger|policy|rule)\b/i;
