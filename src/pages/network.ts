import type { RateLimitOptions } from "../api/http/rate-limit.ts";
import type { ServedChain } from "../api/serving/served-chain.ts";
import { type Examples, getExamples } from "../store/examples.ts";
import { getIndexHealth } from "../store/health.ts";

/** Returns requests that answer with data of this chain: a path with its query, by POST where there is a body. */
function exampleRequests({ account, token }: Examples, coinSymbol: string) {
  const ofAccount = [
    {
      title: "The newest transactions of an account",
      path: `/api?module=account&action=txlist&address=${account}&page=1&offset=3&sort=desc`,
    },
    {
      title: "Its balance, in Etherscan's dialect",
      path: `/v2/api?module=account&action=balance&address=${account}`,
    },
  ];
  const ofToken = {
    title: "Holders of a token",
    path: `/api?module=token&action=getTokenHolders&contractaddress=${token}&page=1&offset=3`,
  };
  return [
    ...(account === null ? [] : ofAccount),
    ...(token === null ? [] : [ofToken]),
    { title: `The supply of ${coinSymbol}`, path: "/api?module=stats&action=ethsupply" },
    {
      title: "The head, over JSON-RPC",
      path: "/api/eth-rpc",
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
    },
  ];
}

/** Facts about the chain and this server for the page at `/`. */
export type Network = Awaited<ReturnType<ReturnType<typeof createNetworkDescription>>>;

/** Creates a function that describes the chain as far as it is indexed; it throws when the database does not answer. */
export function createNetworkDescription(
  { sql, networkName, coinSymbol, verifier, priceFeeds, sendRawTransaction }: ServedChain,
  { rateLimit }: RateLimitOptions,
) {
  let compilers = "Its compilers are being listed";
  return async () => {
    // The lists may need a download: the last known state is shown meanwhile.
    Promise.all([verifier.compilers("solc"), verifier.compilers("vyper")]).then(
      ([solc, vyper]) => {
        const [newest] = solc[0]?.split("+") ?? [];
        compilers = `Compilers: ${solc.length} of Solidity up to ${newest}, ${vyper.length} of Vyper`;
      },
      () => {
        compilers = "Its compilers cannot be listed";
      },
    );
    const [{ chainId, traced, indexer }, subjects] = await Promise.all([
      getIndexHealth(sql),
      getExamples(sql),
    ]);
    const { tracer, reason } = indexer?.traces ?? { tracer: null, reason: null };
    const traces = `Traced by the node${tracer ? ` (${tracer})` : ""}`;
    const feature = (name: string, on: boolean, whenOn: string, whenOff = "") => ({
      name,
      on,
      detail: on ? whenOn : whenOff,
    });
    return {
      name: networkName ?? null,
      chainId,
      /** Parts of the program: whether each is on, and how it works, or why it is off. */
      features: [
        feature("Internal transactions", traced === true, traces, reason ?? "Not known yet"),
        feature("Contract verification", true, compilers),
        feature(
          `Price of ${coinSymbol}`,
          priceFeeds.usd !== undefined,
          `Read from the aggregator ${priceFeeds.usd}`,
          "PRICE_FEED_USD names no aggregator contract",
        ),
        feature(
          "Sending transactions",
          sendRawTransaction,
          "eth_sendRawTransaction is passed on to the node",
          "Refused, as SEND_TRANSACTIONS says",
        ),
        feature(
          "Rate limit",
          rateLimit > 0,
          `${rateLimit} requests a minute for each client`,
          "Nobody is limited",
        ),
      ],
      /** Addresses for the examples of the reference page. */
      subjects,
      examples: exampleRequests(subjects, coinSymbol),
    };
  };
}
