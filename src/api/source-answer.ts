import type { Address } from "../core/address.ts";
import type { Sql } from "../db/client.ts";
import { getProxy } from "../store/proxies.ts";
import { readSnapshot } from "../store/snapshot.ts";
import { getVerifiedContract } from "../store/verified-contracts.ts";
import type { SourceAnswer } from "./present/verified-contract.ts";

/** What is known of a contract's source, and of what it delegates to. */
export async function readSource(sql: Sql, address: Address): Promise<SourceAnswer> {
  return readSnapshot(sql, async (snapshot) => {
    const contract = await getVerifiedContract(snapshot, address);
    const proxy = contract && (await getProxy(snapshot, address));
    return { address, contract, implementations: proxy?.implementations ?? [] };
  });
}
