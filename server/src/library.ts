// Entry of dist/store.js, which is `isolens/store`: the mock database as a library for tests of applications.
export { assertAlways, smallestFailure } from "./mock/failures";
export { openStore } from "./mock/openStore";
