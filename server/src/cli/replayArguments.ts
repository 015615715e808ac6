// The arguments of `isolens replay`: the anomaly and the server.
import { dictionary } from "../protocol/dictionary";
import type { CommonArguments, Format } from "./commonArguments";

export interface ReplayArguments extends CommonArguments {
  readonly command: "replay";
  readonly format: Format;
  readonly anomaly: string;
  readonly server: ReplayServer;
}

/** The PostgreSQL from npm, or a server by address. */
export type ReplayServer =
  | { readonly kind: "embedded" }
  | { readonly kind: "url"; readonly url: URL; readonly product: "postgres" | "mariadb" };

const PRODUCTS = dictionary<"postgres" | "mariadb" | undefined>({
  "postgres:": "postgres",
  "postgresql:": "postgres",
  "mysql:": "mariadb",
  "mariadb:": "mariadb",
});

/** The server of `--server`, or the error in it. Passwords are not repeated. */
export function replayServer(written: string | undefined): ReplayServer | string {
  if (written === undefined || written === "" || written === "embedded")
    return { kind: "embedded" };
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const product = url && PRODUCTS[url.protocol];
  if (!url || !product)
    return '--server must be "embedded", or a URL as postgres://user@host:port/database or mysql://user@host:port/database';
  return { kind: "url", url, product };
}
