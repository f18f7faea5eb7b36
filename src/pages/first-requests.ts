import type { Asked } from "./answers.ts";
import type { ShellContent } from "./shell.ts";

type Parameters = Readonly<Record<string, string>>;

const FIRST_PAGE = { page: "1", offset: "25" };
const BLOCKS_AT_HOME = "50";
const TRANSACTIONS_AT_HOME = "10";

/**
 * Returns the requests of a page that do not depend on the part that it shows, by paths relative to its chain's root. They
 * equal those of its module (`browser/api.js`) letter by letter: the page recognises answers by them.
 */
export function firstRequests(
  { page, subject = "" }: ShellContent,
  chainId: number | null,
): readonly Asked[] {
  const etherscan = (module: string, name: string, parameters: Parameters) =>
    action(module, name, parameters, chainId);
  switch (page) {
    case "home":
      return [
        action("block", "listblocks", { offset: BLOCKS_AT_HOME }),
        etherscan("transaction", "listtransactions", { offset: TRANSACTIONS_AT_HOME }),
      ];
    case "blocks":
      return [action("block", "listblocks", FIRST_PAGE)];
    case "transactions":
      return [etherscan("transaction", "listtransactions", FIRST_PAGE)];
    case "transaction":
      return [
        action("transaction", "gettxinfo", { txhash: subject, details: "true" }),
        action("transaction", "listtransfers", { txhash: subject, ...FIRST_PAGE }),
        etherscan("account", "txlistinternal", {
          txhash: subject,
          sort: "asc",
          include_zero_value: "true",
          names: "true",
        }),
      ];
    case "block":
      return [action("block", "getblock", { block: subject })];
    case "token":
      return [
        action("token", "getToken", { contractaddress: subject }),
        action("token", "tokenholdercount", { contractaddress: subject }),
      ];
    case "address":
      return [
        action("account", "balance", { address: subject }),
        rpc(["eth_getTransactionCount", [subject, "latest"]], ["eth_getCode", [subject, "latest"]]),
        action("contract", "getcontractcreation", { contractaddresses: subject }),
        action("contract", "getabi", { address: subject }),
        etherscan("account", "txlist", { address: subject, sort: "desc", ...FIRST_PAGE }),
      ];
    default:
      return [];
  }
}

/** Returns the request for a transaction that may wait in the node's pool. */
export function pendingRequest(hash: string): Asked {
  return rpc(["eth_getTransactionByHash", [hash]]);
}

/** Returns a request in Blockscout's dialect; with the id of a chain, in Etherscan's. */
function action(
  module: string,
  name: string,
  parameters: Parameters,
  chainId?: number | null,
): Asked {
  const chain = chainId ? { chainid: String(chainId) } : {};
  const path = chainId === undefined ? "api" : "v2/api";
  return {
    path: `${path}?${new URLSearchParams({ ...chain, module, action: name, ...parameters })}`,
  };
}

function rpc(...calls: readonly (readonly [method: string, params: readonly unknown[]])[]): Asked {
  const body = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
  return { path: "api/eth-rpc", body: JSON.stringify(body) };
}
