import { type Address, type Hex, zeroAddress } from "viem";
import {
  type ChainBlock,
  createChainReader,
  hexNumber,
  type NodeFrame,
  type NodeReceipt,
  type NodeTransaction,
} from "./chain.ts";
import {
  type ContractCreation,
  type ContractEvent,
  creationsOf,
  destructionsOf,
} from "./contracts.ts";
import { flatten, type InternalTransaction } from "./frames.ts";
import { createJsonRpc } from "./json-rpc.ts";
import { createStateReader, type HoldingKey, type Metadata, type StateReader } from "./state.ts";
import { type Movement, movementsOf } from "./transfers.ts";

export interface OracleBlock {
  number: number;
  hash: Hex;
  parentHash: Hex;
  timestamp: number;
  miner: Address;
  difficulty: bigint;
  size: number;
  gasLimit: bigint;
  gasUsed: bigint;
  baseFeePerGas: bigint | null;
  transactionCount: number;
  /** Sum of gas used times effective price, in wei. */
  fees: bigint;
  /** What the producer gets of it. */
  reward: bigint;
  withdrawals: { index: number; validatorIndex: number; address: Address; amount: bigint }[];
}

export interface OracleTransaction {
  blockNumber: number;
  transactionIndex: number;
  hash: Hex;
  type: number;
  from: Address;
  to: Address | null;
  /** Null when it failed. */
  created: Address | null;
  nonce: bigint;
  value: bigint;
  gas: bigint;
  /** The price that was paid. */
  gasPrice: bigint;
  gasUsed: bigint;
  cumulativeGasUsed: bigint;
  /** Null before Byzantium. */
  status: number | null;
  input: Hex;
  /** Of a failed transaction, as its trace tells. */
  error: string | null;
  revertData: Hex | null;
  /** The rest, as the node gave it. */
  raw: NodeTransaction;
  rawReceipt: NodeReceipt;
}

export interface OracleLog {
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
  address: Address;
  topics: Hex[];
  data: Hex;
}

/** One id of one log; `batchIndex` is its place in a batch. */
export interface OracleTransfer extends Movement {
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
  batchIndex: number;
  token: Address;
}

export interface OracleToken extends Metadata {
  address: Address;
  /** That of its first transfer. */
  standard: Movement["standard"];
  firstBlock: number;
}

export interface OracleHolding extends HoldingKey {
  /** What the contract says at the head; null when it does not answer. */
  balance: bigint | null;
  /** What the transfers add up to. */
  sum: bigint;
  /** Block of the last transfer that touched it. */
  lastBlock: number;
}

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
  addresses: Map<Address, { firstBlock: number; balance: bigint }>;
  tokens: Map<Address, OracleToken>;
  /** Of a token as a whole (for ERC-1155: the sum of its ids), per owner; the zero address owns nothing. */
  holdings: OracleHolding[];
  /** ERC-1155, per owner and id. */
  idHoldings: OracleHolding[];
  /** By the last transfer of each ERC-721 id; the zero address after a burn. */
  nftOwners: { token: Address; id: bigint; owner: Address; blockNumber: number }[];
  /** The state after any block. */
  state: StateReader;
}

/** Reads of one node; what the chain said of a block is kept between them, by hash. */
export interface OracleReader {
  /** The chain from `firstBlock` (0) to `head` (the node's). Throws when the chain moves meanwhile. */
  read(options?: { firstBlock?: number; head?: number }): Promise<Oracle>;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function optional(quantity: Hex | undefined): bigint | null {
  return quantity === undefined ? null : BigInt(quantity);
}

function decodeTransactions({ block, receipts, traces }: ChainBlock): OracleTransaction[] {
  return block.transactions.map((raw, transactionIndex) => {
    const receipt = receipts[transactionIndex] as NodeReceipt;
    const trace: NodeFrame | undefined = traces?.[transactionIndex];
    const failed = receipt.status === "0x0";
    return {
      blockNumber: Number(block.number),
      transactionIndex,
      hash: raw.hash,
      type: Number(raw.type ?? 0),
      from: raw.from,
      to: raw.to,
      created: failed || raw.to ? null : receipt.contractAddress,
      nonce: BigInt(raw.nonce),
      value: BigInt(raw.value),
      gas: BigInt(raw.gas),
      gasPrice: BigInt(receipt.effectiveGasPrice ?? raw.gasPrice ?? 0),
      gasUsed: BigInt(receipt.gasUsed),
      cumulativeGasUsed: BigInt(receipt.cumulativeGasUsed),
      status: receipt.status === undefined ? null : Number(receipt.status),
      input: raw.input,
      error: failed ? (trace?.error ?? null) : null,
      revertData: failed ? (trace?.output ?? null) : null,
      raw,
      rawReceipt: receipt,
    };
  });
}

function decodeBlock(
  { block }: ChainBlock,
  transactions: readonly OracleTransaction[],
): OracleBlock {
  const baseFee = optional(block.baseFeePerGas);
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    miner: block.miner,
    difficulty: BigInt(block.difficulty ?? 0),
    size: Number(block.size),
    gasLimit: BigInt(block.gasLimit),
    gasUsed: BigInt(block.gasUsed),
    baseFeePerGas: baseFee,
    transactionCount: transactions.length,
    fees: sum(transactions.map(({ gasUsed, gasPrice }) => gasUsed * gasPrice)),
    reward: sum(
      transactions.map(({ gasUsed, gasPrice }) => gasUsed * (gasPrice - (baseFee ?? 0n))),
    ),
    withdrawals: (block.withdrawals ?? []).map(({ index, validatorIndex, address, amount }) => ({
      index: Number(index),
      validatorIndex: Number(validatorIndex),
      address,
      amount: BigInt(amount),
    })),
  };
}

function decodeLogs({ block, receipts }: ChainBlock): OracleLog[] {
  return receipts.flatMap(({ logs }, transactionIndex) =>
    logs.map(({ address, topics, data, logIndex }) => ({
      blockNumber: Number(block.number),
      transactionIndex,
      logIndex: Number(logIndex),
      address,
      topics,
      data,
    })),
  );
}

function decodeTransfers(logs: readonly OracleLog[]): OracleTransfer[] {
  return logs.flatMap(({ blockNumber, transactionIndex, logIndex, address, topics, data }) =>
    movementsOf(topics, data).map((movement, batchIndex) => ({
      ...movement,
      blockNumber,
      transactionIndex,
      logIndex,
      batchIndex,
      token: address,
    })),
  );
}

/** The frames of a block, top-level calls included; tracers differ on the gas of the top level, the receipt does not. */
function decodeFrames({ block, receipts, traces }: ChainBlock): InternalTransaction[] {
  return (traces ?? []).flatMap((trace, transactionIndex) => {
    const entries = flatten(trace, Number(block.number), transactionIndex);
    const [top] = entries;
    if (top) top.gasUsed = BigInt(receipts[transactionIndex]?.gasUsed ?? 0);
    return entries;
  });
}

type Seen = [Address | null, number];

function firstSeen(sightings: readonly Seen[]): Map<Address, number> {
  const first = new Map<Address, number>();
  for (const [address, block] of sightings) {
    if (address !== null) first.set(address, Math.min(block, first.get(address) ?? block));
  }
  return first;
}

/** What each owner holds by the transfers; `keyOf` leaves a transfer out by null, or tells the id it counts for. */
function addUp(
  transfers: readonly OracleTransfer[],
  idOf: (transfer: OracleTransfer) => bigint | null,
): OracleHolding[] {
  const holdings = new Map<string, OracleHolding>();
  for (const transfer of transfers) {
    const { token, from, to, standard, amount, blockNumber } = transfer;
    const moved = standard === 721 ? 1n : (amount ?? 0n);
    const id = idOf(transfer);
    for (const [owner, change] of [
      [from, -moved],
      [to, moved],
    ] as const) {
      if (owner === zeroAddress) continue;
      const key = `${token} ${owner} ${id}`;
      const before = holdings.get(key)?.sum ?? 0n;
      const held = {
        token,
        owner,
        id,
        balance: null,
        sum: before + change,
        lastBlock: blockNumber,
      };
      holdings.set(key, held);
    }
  }
  return [...holdings.values()];
}

function ownersByLastTransfer(transfers: readonly OracleTransfer[]): Oracle["nftOwners"] {
  const owners = new Map<string, Oracle["nftOwners"][number]>();
  for (const { standard, token, id, to, blockNumber } of transfers) {
    if (standard !== 721 || id === null) continue;
    owners.set(`${token} ${id}`, { token, id, owner: to, blockNumber });
  }
  return [...owners.values()];
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

  return {
    async read({ firstBlock = 0, head = Number.POSITIVE_INFINITY } = {}) {
      const top = Number(await rpc.request<Hex>("eth_blockNumber"));
      const last = Math.min(head, top);
      const chainBlocks = await chain.read(firstBlock, last);
      const headHash = chainBlocks.at(-1)?.block.hash as Hex;
      const traced = chainBlocks.every(({ traces }) => traces !== null);
      const transactions: OracleTransaction[] = [];
      const blocks: OracleBlock[] = [];
      const frames: InternalTransaction[] = [];
      const creations: ContractCreation[] = [];
      const destructions: ContractEvent[] = [];
      for (const chainBlock of chainBlocks) {
        const own = decodeTransactions(chainBlock);
        const entries = decodeFrames(chainBlock);
        transactions.push(...own);
        frames.push(...entries);
        blocks.push(decodeBlock(chainBlock, own));
        creations.push(...creationsOf(chainBlock, entries));
        destructions.push(...destructionsOf(chainBlock, entries));
      }
      const logs = chainBlocks.flatMap(decodeLogs);
      const transfers = decodeTransfers(logs);
      const first = firstSeen([
        ...blocks.map(({ miner, number }): Seen => [miner, number]),
        ...blocks.flatMap((block) =>
          block.withdrawals.map(({ address }): Seen => [address, block.number]),
        ),
        ...[...transactions, ...frames].flatMap((entry): Seen[] => [
          [entry.from, entry.blockNumber],
          [entry.to, entry.blockNumber],
          [entry.created, entry.blockNumber],
        ]),
        ...transfers.flatMap((transfer): Seen[] => [
          [transfer.from, transfer.blockNumber],
          [transfer.to, transfer.blockNumber],
        ]),
      ]);
      const balances = await state.coinBalances(
        [...first.keys()].map((address) => ({ address, blockNumber: last })),
      );
      const addresses = [...first].map(
        ([address, block], index) =>
          [address, { firstBlock: block, balance: balances[index] as bigint }] as const,
      );
      const idTransfers = transfers.filter(({ standard }) => standard === 1155);
      const idHoldings = await readHoldings(
        addUp(idTransfers, ({ id }) => id),
        last,
      );
      const whole = await readHoldings(
        addUp(transfers, () => null),
        last,
      );
      const oracle: Oracle = {
        chainId: Number(await rpc.request<Hex>("eth_chainId")),
        head: { number: last, hash: headHash },
        blocks,
        transactions,
        logs,
        internalTransactions: traced
          ? frames.filter(({ position, type }) => position > 0 || type !== "call")
          : null,
        transfers,
        creations: await readCodes(creations, destructions),
        destructions,
        addresses: new Map(addresses),
        tokens: await readTokens(transfers, last),
        holdings: whole.map((holding) => withSumOfIds(holding, idHoldings)),
        idHoldings,
        nftOwners: ownersByLastTransfer(transfers),
        state,
      };
      const again = await rpc.request<{ hash: Hex } | null>(
        "eth_getBlockByNumber",
        hexNumber(last),
        false,
      );
      if (again?.hash !== headHash) throw new Error("the chain moved while the oracle read it");
      return oracle;
    },
  };
}

/** A holding of a multi-token as a whole: no contract tells it, its ids add up to it. */
function withSumOfIds(holding: OracleHolding, idHoldings: readonly OracleHolding[]): OracleHolding {
  const ids = idHoldings.filter(
    ({ token, owner }) => token === holding.token && owner === holding.owner,
  );
  if (ids.length === 0) return holding;
  return { ...holding, balance: sum(ids.map((id) => id.balance ?? id.sum)) };
}
