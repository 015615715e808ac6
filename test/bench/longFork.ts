// A long fork on real servers: two PostgreSQLs, each of which owns a table and replicates it to the other. Transactions
// read local snapshots, and writes reach the other side later, which is parallel snapshot isolation (Sovran et al., SOSP
// 2011). While neither has arrived, two readers disagree on which of two writes came first; no single server shows that.
//
//   npm run litmus:fork
import process from "node:process";
import { parallelForkText, showLongFork } from "../support/longFork";

showLongFork().then(
  (fork) => {
    if (!fork.ok) {
      console.error(fork.reason);
      process.exit(2);
    }
    for (const line of parallelForkText(fork)) console.log(line);
    process.exit(fork.isLongFork ? 0 : 1);
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);
