import type { TokenMetadata } from "../../chain/questions.ts";
import { describesItself, standardOf } from "../../chain/state/token-standard.ts";
import type { Address } from "../../core/evm/address.ts";
import type { TokenStandard } from "../../store/lists/token-transfers.ts";
import {
  applyTokens,
  listPendingTokens,
  listTokens,
  listTouchedTokens,
  revertTokens,
  selectPendingTokens,
  type TokenToRead,
  writeTokenMetadata,
  writeTokenSupplies,
} from "../../store/state/tokens/state.ts";
import type { StateFamily } from "./family.ts";

/** A token's read answers. */
interface TokenAnswer {
  address: Address;
  /** As stored. */
  standard: TokenStandard;
  metadata: TokenMetadata | undefined;
  /** In the smallest unit; null when the contract has none. */
  totalSupply: bigint | null | undefined;
}

/** Tokens with their contracts' metadata and supply. */
export const tokens: StateFamily<TokenToRead, TokenAnswer> = {
  name: "tokens",
  tables: ["tokens"],
  apply: applyTokens,
  revert: revertTokens,
  reading: {
    contractOf: ({ address }) => address,
    listTouched: listTouchedTokens,
    listPending: listPendingTokens,
    listSampled: listTokens,
    selectPending: selectPendingTokens,
    async fetch(chain, keys, block, ask) {
      const ofMetadata = keys.filter(({ metadata }) => metadata).map(({ address }) => address);
      const ofSupply = keys.filter(({ supply }) => supply).map(({ address }) => address);
      const [metadata, supplies] = await Promise.all([
        chain.fetchTokenMetadata(ofMetadata, block, ask),
        chain.fetchTotalSupplies(ofSupply, block, ask),
      ]);
      const metadataOf = new Map(ofMetadata.map((address, index) => [address, metadata[index]]));
      const supplyOf = new Map(ofSupply.map((address, index) => [address, supplies[index]]));
      return {
        rows: keys.map(({ address, standard }) => ({
          address,
          standard,
          metadata: metadataOf.get(address),
          totalSupply: supplyOf.get(address),
        })),
        unanswered: [...metadataOf, ...supplyOf]
          .filter(([, answer]) => answer === undefined)
          .map(([address]) => address),
      };
    },
    async write(sql, blockNumber, answers) {
      const metadata = answers.flatMap(({ address, standard, metadata: facts }) =>
        facts === undefined
          ? []
          : [
              {
                address,
                ...facts,
                standard: standardOf(standard, facts),
                isDescribed: describesItself(facts),
              },
            ],
      );
      const supplies = answers.flatMap(({ address, totalSupply }) =>
        totalSupply === undefined ? [] : [{ address, totalSupply }],
      );
      await Promise.all([
        writeTokenMetadata(sql, blockNumber, metadata),
        writeTokenSupplies(sql, blockNumber, supplies),
      ]);
    },
  },
};
