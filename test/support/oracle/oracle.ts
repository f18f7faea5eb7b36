import type { Address, Hex } from "viem";
import { createChainReader, hexNumber } from "./chain.ts";
import type { ContractCreation, ContractEvent } from "./contracts.ts";
import {
  type DecodedChain,
  decodeChain,
  type OracleBlock,
  type OracleLog,
  type OracleTransaction,
  type OracleTransfer,
} from "./decode.ts";
import type { InternalTransaction } from "./frames.ts";
import { addUp, amountOf, idsOf, lastTouch, ownersByLastMovement } from "./holdings.ts";
import { createJsonRpc } from "./json-rpc.ts";
import {
  createStateReader,
  type Metadata,
  type NftOwner,
  type OracleHolding,
  type StateReader,
} from "./state.ts";

export interface OracleToken extends Metadata {
  address: Address;
  /** That of its first transfer. */
  standard: OracleTransfer["standard"];
  firstBlock: number;
}

const STRANGER: Address = `0x${"57a46e".padStart(40, "0")}`;

/** All that an index must hold of the chain up to a head, found by asking the node for everything, one by one. */
export interface Oracle {
  chainId: number;
  head: { number: number; hash: Hex };
  blocks: OracleBlock[];
  transactions: OracleTransaction[];
  logs: OracleLog[];
  /** Without top-level calls; null where the node does not trace. */
  internalTransactions: InternalTransaction[] | null;
  transfers: OracleTransfer[];
  creations: ContractCreation[];
  destructions: ContractEvent[];
  /** Every address that blocks, transactions, traces, withdrawals or transfers name, and the first block to do so. */
  addresses: Map<Address, { firstBlock: number; balance: bigint; code: Hex }>;
  /** The initial balances of the node's own accounts, valid until they are named. */
  endowments: Map<Address, bigint>;
  tokens: Map<Address, OracleToken>;
  /** Tokens whose contract gives a balance to an address that the chain does not name. */
  tokensOfStrangers: ReadonlySet<Address>;
  /** Of a whole token (for ERC-1155: the sum of its ids), per owner; the zero address owns nothing. */
  holdings: OracleHolding[];
  /** ERC-1155, per owner and id. */
  idHoldings: OracleHolding[];
  nftOwners: NftOwner[];
  /** The state after any block. */
  state: StateReader;
}

/** Reads one node; keeps the chain's data of a block between reads, by hash. */
export interface OracleReader {
  /** The chain from `firstBlock` (0) to `head` (the node's). Throws when the chain moves meanwhile. */
  read(options?: { firstBlock?: number; head?: number }): Promise<Oracle>;
}

/** Every address in the chain, and its first block; rolled back frames do not count. */
function firstSeen({
  blocks,
  transactions,
  frames,
  transfers,
}: DecodedChain): Map<Address, number> {
  const sightings: [Address | null, number][] = [
    ...blocks.map((block): [Address, number] => [block.miner, block.number]),
    ...blocks.flatMap(({ uncles, number }) =>
      uncles.map(({ miner }): [Address, number] => [miner, number]),
    ),
    ...blocks.flatMap(({ withdrawals, number }) =>
      withdrawals.map(({ address }): [Address, number] => [address, number]),
    ),
    ...[...transactions, ...frames.filter(({ effective }) => effective), ...transfers].flatMap(
      (entry) =>
        [entry.from, entry.to, "created" in entry ? entry.created : null].map(
          (address): [Address | null, number] => [address, entry.blockNumber],
        ),
    ),
  ];
  const first = new Map<Address, number>();
  for (const [address, block] of sightings) {
    if (address !== null) first.set(address, Math.min(block, first.get(address) ?? block));
  }
  return first;
}

/** Reader of the chain of the node at `url`. */
export function createOracleReader(url: string): OracleReader {
  const rpc = createJsonRpc(url);
  const chain = createChainReader(rpc);
  const state = createStateReader(rpc);

  async function readTokens(
    transfers: readonly OracleTransfer[],
    head: number,
  ): Promise<Map<Address, OracleToken>> {
    const first = new Map<Address, OracleTransfer>();
    for (const transfer of transfers) {
      if (!first.has(transfer.token)) first.set(transfer.token, transfer);
    }
    const places = [...first.keys()].map((address) => ({ address, blockNumber: head }));
    const metadata = await state.metadata(places);
    const tokens = [...first.values()].map(({ token, standard, blockNumber }, index) => ({
      address: token,
      standard,
      firstBlock: blockNumber,
      ...(metadata[index] as Metadata),
    }));
    return new Map(tokens.map((token) => [token.address, token]));
  }

  /** Asks for the code of what was created, unless the block that created it destroyed it too. */
  async function readCodes(
    creations: readonly ContractCreation[],
    destructions: readonly ContractEvent[],
  ): Promise<ContractCreation[]> {
    const codes = await state.codes(creations);
    return creations.map((creation, index) => {
      const gone = destructions.some(
        ({ address, blockNumber }) =>
          address === creation.address && blockNumber === creation.blockNumber,
      );
      return gone ? creation : { ...creation, code: codes[index] as Hex };
    });
  }

  async function readHoldings(holdings: OracleHolding[], head: number): Promise<OracleHolding[]> {
    const balances = await state.holdings(
      holdings.map((holding) => ({ ...holding, blockNumber: head })),
    );
    return holdings.map((holding, index) => ({ ...holding, balance: balances[index] ?? null }));
  }

  async function readTokensOfStrangers(
    tokens: Oracle["tokens"],
    head: number,
  ): Promise<Oracle["tokensOfStrangers"]> {
    const known = [...tokens.keys()];
    const balances = await state.holdings(
      known.map((token) => ({ token, owner: STRANGER, id: null, blockNumber: head })),
    );
    return new Set(known.filter((_, index) => (balances[index] ?? 0n) > 0n));
  }

  async function readAddresses(decoded: DecodedChain, head: number): Promise<Oracle["addresses"]> {
    const first = [...firstSeen(decoded)];
    const places = first.map(([address]) => ({ address, blockNumber: head }));
    const balances = await state.coinBalances(places);
    const codes = await state.codes(places);
    return new Map(
      first.map(([address, firstBlock], index) => [
        address,
        { firstBlock, balance: balances[index] as bigint, code: codes[index] as Hex },
      ]),
    );
  }

  async function readEndowments(): Promise<Oracle["endowments"]> {
    const accounts = await rpc.request<Address[]>("eth_accounts").catch(() => []);
    const balances = await state.coinBalances(
      accounts.map((address) => ({ address, blockNumber: 0 })),
    );
    return new Map(accounts.map((address, index) => [address, balances[index] as bigint]));
  }

  async function hashAt(number: number): Promise<Hex | undefined> {
    const params = [hexNumber(number), false];
    return (await rpc.request<{ hash: Hex } | null>("eth_getBlockByNumber", ...params))?.hash;
  }

  return {
    async read({ firstBlock = 0, head = Number.POSITIVE_INFINITY } = {}) {
      const last = Math.min(head, Number(await rpc.request<Hex>("eth_blockNumber")));
      const chainBlocks = await chain.read(firstBlock, last);
      const headHash = chainBlocks.at(-1)?.block.hash as Hex;
      const isTraced = chainBlocks.every(({ traces }) => traces !== null);
      const decoded = decodeChain(chainBlocks);
      const { blocks, transactions, logs, frames, transfers, creations, destructions } = decoded;
      const multiTransfers = transfers.filter(({ standard }) => standard === 1155);
      const byId = addUp(multiTransfers, ({ id }) => id);
      const asAWhole = addUp(transfers, () => null);
      const idHoldings = await readHoldings(byId, last);
      const holdings = await readHoldings(asAWhole, last);
      const tokens = await readTokens(transfers, last);
      const oracle: Oracle = {
        chainId: Number(await rpc.request<Hex>("eth_chainId")),
        head: { number: last, hash: headHash },
        blocks,
        transactions,
        logs,
        internalTransactions: isTraced
          ? frames.filter(({ position, type }) => position > 0 || type !== "call")
          : null,
        transfers,
        creations: await readCodes(creations, destructions),
        destructions,
        addresses: await readAddresses(decoded, last),
        endowments: await readEndowments(),
        tokens,
        tokensOfStrangers: await readTokensOfStrangers(tokens, last),
        holdings: holdings.map((holding) => {
          const ids = idsOf(holding, { tokens, idHoldings });
          if (tokens.get(holding.token)?.standard !== 1155) {
            return { ...holding, lastBlock: lastTouch(holding, logs) };
          }
          if (ids.length === 0) return holding;
          return { ...holding, balance: ids.reduce((total, one) => total + amountOf(one), 0n) };
        }),
        idHoldings,
        nftOwners: ownersByLastMovement(transfers, logs),
        state,
      };
      if ((await hashAt(last)) !== headHash) {
        throw new Error("the chain moved while the oracle read it");
      }
      return oracle;
    },
  };
}
