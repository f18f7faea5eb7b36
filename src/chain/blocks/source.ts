import type { Features } from "../capabilities/features.ts";
import type { ChainOptions } from "../options.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import type { FetchLoad } from "./fetch-load.ts";

/** What blocks are fetched with. */
export interface BlockSource {
  client: RpcClient;
  features: Features;
  load: FetchLoad;
  /** How long a node may trace one transaction: as long as we would wait for it. */
  traceTimeoutMs: number;
  log: ChainOptions["log"];
}
