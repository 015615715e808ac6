// Entry of dist/store.js, which is `isolens/store`: the mock database as a library for tests of applications.
export { openStore } from "./mock/openStore";
