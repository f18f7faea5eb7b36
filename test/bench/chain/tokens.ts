import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import type { Random } from "../../support/world/random.ts";
import type { Accounts } from "./accounts.ts";
import { randomBytes, skewed, word } from "./draws.ts";
import type { ChainShape } from "./shape.ts";

/** Events of a contract, before their position in a block. */
export interface LogBody {
  address: Address;
  topics: Hex[];
  data: Hex;
}

/** A token contract with a ledger: its answers are the sums of its transfers. */
export interface Token {
  address: Address;
  standard: 20 | 721 | 1155;
  /** `bytes32`: name and symbol are no ABI strings. `silent`: it has neither, and no decimals. */
  metadata: "usual" | "bytes32" | "silent";
  /** A transfer that happens now, and how many movements it stands for. */
  transfer(): { log: LogBody; movements: number };
  balanceOf(owner: Address, id: bigint | undefined): bigint;
  totalSupply(): bigint;
}

const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TRANSFER_SINGLE: Hex = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const TRANSFER_BATCH: Hex = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/** Books are kept in numbers; this many wei of an ERC-20 token are one in them. */
const UNIT = 10n ** 12n;
const LARGEST_MINT = 1_000_000_000;
const MULTIPLE_IDS = 100;
const LONGEST_BATCH = 8;
const ZERO_WORD = wordOfAddress(ZERO_ADDRESS);

/** Draws the tokens of a chain, the busiest of each standard first. */
export function createTokens(
  shape: ChainShape,
  random: Random,
  accounts: Accounts,
): readonly Token[] {
  const kinds = [
    { count: shape.tokens.erc20, create: createFungible },
    { count: shape.tokens.erc721, create: createCollectible },
    { count: shape.tokens.erc1155, create: createMultiple },
  ];
  return kinds.flatMap(({ count, create }) =>
    Array.from({ length: count }, () => create(shape, random, accounts)),
  );
}

/** A token by how often its standard and its rank occur. */
export function drawToken(shape: ChainShape, random: Random, tokens: readonly Token[]): Token {
  const { erc20, erc721, erc1155 } = shape.tokens;
  const standard = random.integer(100);
  const index =
    standard < 86
      ? skewed(random, erc20)
      : standard < 94
        ? erc20 + skewed(random, erc721)
        : erc20 + erc721 + skewed(random, erc1155);
  return tokens[index] as Token;
}

function identity(shape: ChainShape, random: Random): Pick<Token, "address" | "metadata"> {
  const odd = random.chance(shape.oddTokenShare);
  return {
    address: randomBytes(random, 20),
    metadata: odd ? random.pick(["bytes32", "silent"] as const) : "usual",
  };
}

/** ERC-20. */
function createFungible(shape: ChainShape, random: Random, accounts: Accounts): Token {
  const { address, metadata } = identity(shape, random);
  const balances = new Map<number, number>();
  const holders: number[] = [];
  let supply = 0;

  function add(rank: number, change: number): void {
    const before = balances.get(rank);
    if (before === undefined) holders.push(rank);
    balances.set(rank, (before ?? 0) + change);
  }

  return {
    address,
    metadata,
    standard: 20,
    transfer() {
      let from = ZERO_WORD;
      let to = ZERO_WORD;
      let amount: number;
      if (holders.length === 0 || random.chance(0.1)) {
        amount = 1 + random.integer(LARGEST_MINT);
        supply += amount;
      } else {
        const sender = random.pick(holders);
        amount = Math.floor((balances.get(sender) ?? 0) / (1 + random.integer(4)));
        add(sender, -amount);
        from = wordOfAddress(accounts.address(sender));
      }
      if (from !== ZERO_WORD && random.chance(0.02)) {
        supply -= amount;
      } else {
        const receiver = accounts.draw();
        add(receiver, amount);
        to = wordOfAddress(accounts.address(receiver));
      }
      const data = word(BigInt(amount) * UNIT);
      return { log: { address, topics: [TRANSFER, from, to], data }, movements: 1 };
    },
    balanceOf: (owner) => BigInt(balances.get(accounts.rankOf(owner) ?? -1) ?? 0) * UNIT,
    totalSupply: () => BigInt(supply) * UNIT,
  };
}

/** ERC-721; odd ones index nothing in their event. */
function createCollectible(shape: ChainShape, random: Random, accounts: Accounts): Token {
  const { address, metadata } = identity(shape, random);
  const indexed = !random.chance(shape.oddTokenShare);
  const owners: number[] = [];
  const counts = new Map<number, number>();

  function count(rank: number, change: number): void {
    counts.set(rank, (counts.get(rank) ?? 0) + change);
  }

  return {
    address,
    metadata,
    standard: 721,
    transfer() {
      const minted = owners.length === 0 || random.chance(0.4);
      const id = minted ? owners.length : random.integer(owners.length);
      const receiver = accounts.draw();
      const sender = owners[id];
      owners[id] = receiver;
      count(receiver, 1);
      if (sender !== undefined) count(sender, -1);
      const words = [
        sender === undefined ? ZERO_WORD : wordOfAddress(accounts.address(sender)),
        wordOfAddress(accounts.address(receiver)),
        word(id),
      ];
      const log: LogBody = indexed
        ? { address, topics: [TRANSFER, ...words], data: "0x" }
        : { address, topics: [TRANSFER], data: hexConcat(...words) };
      return { log, movements: 1 };
    },
    balanceOf: (owner) => BigInt(counts.get(accounts.rankOf(owner) ?? -1) ?? 0),
    totalSupply: () => BigInt(owners.length),
  };
}

/** ERC-1155. */
function createMultiple(shape: ChainShape, random: Random, accounts: Accounts): Token {
  const { address, metadata } = identity(shape, random);
  const amounts = new Map<number, number>();
  const holdings: number[] = [];
  let supply = 0;

  function add(rank: number, id: number, change: number): void {
    const key = rank * MULTIPLE_IDS + id;
    const before = amounts.get(key);
    if (before === undefined) holdings.push(key);
    amounts.set(key, (before ?? 0) + change);
  }

  /** Moves some of an id; without a sender they are new. */
  function move(sender: number | undefined, receiver: number, id: number): number {
    const held = sender === undefined ? 100 : (amounts.get(sender * MULTIPLE_IDS + id) ?? 0);
    const amount = random.integer(held + 1);
    if (sender === undefined) supply += amount;
    else add(sender, id, -amount);
    add(receiver, id, amount);
    return amount;
  }

  return {
    address,
    metadata,
    standard: 1155,
    transfer() {
      const minted = holdings.length === 0 || random.chance(0.3);
      const holding = minted ? random.integer(MULTIPLE_IDS) : random.pick(holdings);
      const sender = minted ? undefined : Math.floor(holding / MULTIPLE_IDS);
      const receiver = accounts.draw();
      const parties = [
        wordOfAddress(accounts.address(accounts.draw())),
        sender === undefined ? ZERO_WORD : wordOfAddress(accounts.address(sender)),
        wordOfAddress(accounts.address(receiver)),
      ];
      if (!random.chance(shape.batchShare)) {
        const id = holding % MULTIPLE_IDS;
        const data = hexConcat(word(id), word(move(sender, receiver, id)));
        return { log: { address, topics: [TRANSFER_SINGLE, ...parties], data }, movements: 1 };
      }
      const ids = Array.from({ length: 1 + random.integer(LONGEST_BATCH) }, () =>
        random.integer(MULTIPLE_IDS),
      );
      const moved = ids.map((id) => move(sender, receiver, id));
      const lists = [ids, moved].map((list) => [list.length, ...list].map(word));
      const data = hexConcat(word(64), word(96 + 32 * ids.length), ...lists.flat());
      const log = { address, topics: [TRANSFER_BATCH, ...parties], data };
      return { log, movements: ids.length };
    },
    balanceOf(owner, id) {
      const rank = accounts.rankOf(owner);
      if (rank === undefined || id === undefined || id >= MULTIPLE_IDS) return 0n;
      return BigInt(amounts.get(rank * MULTIPLE_IDS + Number(id)) ?? 0);
    },
    totalSupply: () => BigInt(supply),
  };
}
