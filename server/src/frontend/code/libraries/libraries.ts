// The libraries that are known, in the order in which they are asked.
import type { Library } from "./library";
import { MYSQL2 } from "./mysql2";
import { PG } from "./pg";
import { POSTGRES_JS } from "./postgresJs";

export const LIBRARIES: readonly Library[] = [PG, MYSQL2, POSTGRES_JS];
