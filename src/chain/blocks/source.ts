import type { Features } from "../capabilities/features.ts";
import type { ChainOptions } from "../options.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import type { FetchLoad } from "./fetch-load.ts";

/** Dependencies of a block fetch. */
export interface BlockSource {
  client: RpcClient;
  features: Features;
  load: FetchLoad;
  /** Time limit of one transaction's trace at the node: the request's own. */
  traceTimeoutMs: number;
  log: ChainOptions["log"];
}
