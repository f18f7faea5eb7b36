import type { Address } from "../core/evm/address.ts";
import type { Examples } from "../store/examples.ts";

/** A request that answers with data of this chain. */
export interface ExampleRequest {
  /** Description for people. */
  title: string;
  /** Path and query. */
  path: string;
  /** JSON to be posted; a GET without it. */
  body?: string;
}

/** Returns example requests, with addresses of this chain as far as it has any. */
export function exampleRequests(
  { account, token }: Examples,
  coinSymbol: string,
): ExampleRequest[] {
  return [
    ...(account === null ? [] : accountRequests(account)),
    ...(token === null
      ? []
      : [
          {
            title: "Holders of a token",
            path: `/api?module=token&action=getTokenHolders&contractaddress=${token}&page=1&offset=3`,
          },
        ]),
    { title: `The supply of ${coinSymbol}`, path: "/api?module=stats&action=ethsupply" },
    {
      title: "The head, over JSON-RPC",
      path: "/api/eth-rpc",
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
    },
  ];
}

function accountRequests(account: Address): ExampleRequest[] {
  return [
    {
      title: "The newest transactions of an account",
      path: `/api?module=account&action=txlist&address=${account}&page=1&offset=3&sort=desc`,
    },
    {
      title: "Its balance, in Etherscan's dialect",
      path: `/v2/api?module=account&action=balance&address=${account}`,
    },
  ];
}
