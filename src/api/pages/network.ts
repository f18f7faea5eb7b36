import { type Examples, getExamples } from "../../store/examples.ts";
import { getIndexHealth, type IndexHealth } from "../../store/health.ts";
import type { Services } from "../action.ts";
import type { RpcOptions } from "../eth-rpc/handle.ts";
import type { RateLimitOptions } from "../rate-limit.ts";
import { type ExampleRequest, exampleRequests } from "./examples.ts";

export interface NetworkOptions
  extends Pick<Services, "sql" | "priceFeeds">,
    RpcOptions,
    RateLimitOptions {
  /** The chain's name for people, if it has one. */
  networkName: string | undefined;
  coinSymbol: string;
}

/** A part of the program that can be on or off. */
interface Feature {
  name: string;
  on: boolean;
  /** How, or why not. */
  detail: string;
}

/** What the page at `/` tells of the chain and of this server. */
export interface Network {
  name: string | null;
  chainId: number | null;
  features: Feature[];
  /** Addresses that have something to show. */
  addresses: Examples;
  examples: ExampleRequest[];
}

/** Describes the chain as far as it is indexed. Throws when the database does not answer. */
export async function describeNetwork(options: NetworkOptions): Promise<Network> {
  const [health, addresses] = await Promise.all([
    getIndexHealth(options.sql),
    getExamples(options.sql),
  ]);
  return {
    name: options.networkName ?? null,
    chainId: health.chainId,
    features: [
      describeTraces(health),
      describePrices(options),
      describeSending(options),
      describeRateLimit(options),
    ],
    addresses,
    examples: exampleRequests(addresses, options.coinSymbol),
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

function describePrices({ priceFeeds, coinSymbol }: NetworkOptions): Feature {
  const { usd } = priceFeeds;
  return {
    name: `Price of ${coinSymbol}`,
    on: usd !== undefined,
    detail: usd ? `Read from the aggregator ${usd}` : "PRICE_FEED_USD names no aggregator contract",
  };
}

function describeSending({ sendRawTransaction }: NetworkOptions): Feature {
  return {
    name: "Sending transactions",
    on: sendRawTransaction,
    detail: sendRawTransaction
      ? "eth_sendRawTransaction is passed on to the node"
      : "Refused, as SEND_TRANSACTIONS says",
  };
}

function describeRateLimit({ rateLimit }: NetworkOptions): Feature {
  return {
    name: "Rate limit",
    on: rateLimit > 0,
    detail: rateLimit > 0 ? `${rateLimit} requests a minute for each client` : "Nobody is limited",
  };
}
