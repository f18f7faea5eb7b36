import type { RateLimitOptions } from "../api/http/rate-limit.ts";
import type { ServedChain } from "../api/serving/served-chain.ts";
import type { Address } from "../core/evm/address.ts";
import { type Examples, getExamples } from "../store/examples.ts";
import { getIndexHealth, type IndexHealth } from "../store/health.ts";

/** A request that answers with data of this chain. */
interface ExampleRequest {
  /** Description for people. */
  title: string;
  /** Path and query. */
  path: string;
  /** JSON to be posted; a GET without it. */
  body?: string;
}

/** Returns example requests, with addresses of this chain as far as it has any. */
function exampleRequests({ account, token }: Examples, coinSymbol: string): ExampleRequest[] {
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

/** A part of the program that can be on or off. */
interface Feature {
  name: string;
  on: boolean;
  /** How it works, or why it is off. */
  detail: string;
}

/** Facts about the chain and this server for the page at `/`. */
export interface Network {
  name: string | null;
  chainId: number | null;
  features: Feature[];
  /** Addresses for the examples of the reference page. */
  subjects: Examples;
  examples: ExampleRequest[];
}

/** Creates a function that describes the chain as far as it is indexed; it throws when the database does not answer. */
export function createNetworkDescription(
  served: ServedChain,
  options: RateLimitOptions,
): () => Promise<Network> {
  const describeVerifier = createVerifierDescription(served);
  return async () => {
    const [health, subjects] = await Promise.all([
      getIndexHealth(served.sql),
      getExamples(served.sql),
    ]);
    return {
      name: served.networkName ?? null,
      chainId: health.chainId,
      features: [
        describeTraces(health),
        describeVerifier(),
        describePrices(served),
        describeSending(served),
        describeRateLimit(options),
      ],
      subjects,
      examples: exampleRequests(subjects, served.coinSymbol),
    };
  };
}

/** Creates a description of the verifier. The lists of compilers may need a download: the last known state is shown meanwhile. */
function createVerifierDescription({ verifier }: ServedChain): () => Feature {
  let detail = "Its compilers are being listed";
  return () => {
    Promise.all([verifier.compilers("solc"), verifier.compilers("vyper")]).then(
      ([solc, vyper]) => {
        const [newest] = solc[0]?.split("+") ?? [];
        detail = `Compilers: ${solc.length} of Solidity up to ${newest}, ${vyper.length} of Vyper`;
      },
      () => {
        detail = "Its compilers cannot be listed";
      },
    );
    return { name: "Contract verification", on: true, detail };
  };
}

function describeTraces({ traced, indexer }: IndexHealth): Feature {
  const { tracer, reason } = indexer?.traces ?? { tracer: null, reason: null };
  return {
    name: "Internal transactions",
    on: traced === true,
    detail: traced
      ? `Traced by the node${tracer ? ` (${tracer})` : ""}`
      : (reason ?? "Not known yet"),
  };
}

function describePrices({ priceFeeds, coinSymbol }: ServedChain): Feature {
  const { usd } = priceFeeds;
  return {
    name: `Price of ${coinSymbol}`,
    on: usd !== undefined,
    detail: usd ? `Read from the aggregator ${usd}` : "PRICE_FEED_USD names no aggregator contract",
  };
}

function describeSending({ sendRawTransaction }: ServedChain): Feature {
  return {
    name: "Sending transactions",
    on: sendRawTransaction,
    detail: sendRawTransaction
      ? "eth_sendRawTransaction is passed on to the node"
      : "Refused, as SEND_TRANSACTIONS says",
  };
}

function describeRateLimit({ rateLimit }: RateLimitOptions): Feature {
  return {
    name: "Rate limit",
    on: rateLimit > 0,
    detail: rateLimit > 0 ? `${rateLimit} requests a minute for each client` : "Nobody is limited",
  };
}
