// Reasons against an edit that several idioms have, each said once.
export const NO_TEXT = "its text is not at hand";
export const NO_ROW = "the UPDATE names no row";
export const NO_PLACE = "there is no place for another condition";
export const NO_BLOCK = "its work is no block of a function";
export const NO_VARIABLES = "what it reads is not kept in variables of its own";
export const NO_SHAPE = "the call of the query is of no shape that is known";
export const NO_CONDITIONS = "its conditions are not written out";
export const NO_LOCK_OF_COUNTS = "a read that counts or adds up rows cannot lock them";
export const SHARED_FUNCTIONS = "its statements stand in several functions, which others may use";
