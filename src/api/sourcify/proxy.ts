import { getAddress } from "viem/utils";
import { ChainError } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Queryable } from "../../db/client.ts";
import { getProxy, isStaleProxy } from "../../store/contracts/proxies.ts";
import { listContractNames } from "../../store/contracts/verified/lookup.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import { detectProxy, type ProxyReader } from "../../verification/proxies/proxy.ts";
import { errorIdOf } from "./endpoint.ts";

/** Sourcify's names of its proxy kinds. */
const TYPES: Readonly<Record<string, string>> = {
  eip1167: "EIP1167Proxy",
  eip1967: "EIP1967Proxy",
  eip1967_beacon: "EIP1967Proxy",
  eip1967_oz: "ZeppelinOSProxy",
  eip1822: "PROXIABLEProxy",
  master_copy: "GnosisSafeProxy",
  eip2535: "DiamondProxy",
};

/** A contract's delegation in the index. */
export type ProxyFacts = Awaited<ReturnType<typeof readProxy>>;

/** Reads a contract's delegation in the index; with the head at which to ask the node, where that does not suffice. `sql` must be a snapshot. */
export async function readProxy(sql: Queryable, address: Address, head: ServedHead) {
  const proxy = await getProxy(sql, address);
  const isStale = proxy === undefined && (await isStaleProxy(sql, address));
  const { kind = null, implementations = [] } = proxy ?? {};
  const names = await listContractNames(sql, implementations);
  return { kind, implementations, names, askAt: isStale ? head : undefined };
}

/** Presents a contract's proxy target; asks the node where the index is out of date. */
export async function presentProxy(chain: ProxyReader, address: Address, facts: ProxyFacts) {
  if (facts.askAt === undefined) return present(facts);
  try {
    const detected = await detectProxy(chain, address, facts.askAt);
    return present({ ...facts, ...(detected ?? {}) });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const message = "The node of the chain does not answer, please try again later";
    return {
      proxyResolutionError: {
        customCode: "proxy_resolution_error",
        message,
        errorId: errorIdOf(address),
      },
    };
  }
}

function present({ kind, implementations, names }: Omit<ProxyFacts, "askAt">) {
  const isProxy = implementations.length > 0;
  return {
    isProxy,
    proxyType: (isProxy && kind !== null && TYPES[kind]) || null,
    implementations: implementations.map((address) => {
      const name = names.find((named) => named.address === address)?.name;
      return { address: getAddress(address), ...(name !== undefined && { name }) };
    }),
  };
}
