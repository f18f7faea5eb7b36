import type { Address } from "../../core/evm/address.ts";
import type { Queryable } from "../../db/client.ts";
import { getProxy } from "../../store/contracts/proxies.ts";
import {
  getVerifiedContract,
  getVerifiedContractBytes,
} from "../../store/contracts/verified/verified-contract.ts";
import type { Context } from "./action.ts";
import type { SourceAnswer } from "./present/verified-contract.ts";

/** Presents a contract's source, and its proxy target, with `present`. */
export async function answerSource<Presented>(
  { read, largeAnswers }: Pick<Context, "read" | "largeAnswers">,
  address: Address,
  present: (answer: SourceAnswer) => Presented,
): Promise<Presented> {
  return largeAnswers.make(
    (sql) => getVerifiedContractBytes(sql, address),
    async () => present(await read((sql) => readSource(sql, address))),
  );
}

async function readSource(sql: Queryable, address: Address): Promise<SourceAnswer> {
  const contract = await getVerifiedContract(sql, address);
  const proxy = contract && (await getProxy(sql, address));
  return { address, contract, implementations: proxy?.implementations ?? [] };
}
