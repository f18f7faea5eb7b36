import { type Address, decodeAbiParameters, type Hex, keccak256, stringToHex } from "viem";

/** The movement in a log. `id` and `amount` are null where the standard's event has none. */
export interface Movement {
  standard: 20 | 404 | 721 | 1155;
  from: Address;
  to: Address;
  id: bigint | null;
  amount: bigint | null;
}

function topicOf(signature: string): Hex {
  return keccak256(stringToHex(signature));
}

const TRANSFER = topicOf("Transfer(address,address,uint256)");
const TRANSFER_SINGLE = topicOf("TransferSingle(address,address,address,uint256,uint256)");
const TRANSFER_BATCH = topicOf("TransferBatch(address,address,address,uint256[],uint256[])");
const ERC20_TRANSFER = topicOf("ERC20Transfer(address,address,uint256)");
const ERC721_TRANSFER = topicOf("ERC721Transfer(address,address,uint256)");

function addressIn(word: string): Address {
  return `0x${word.slice(-40)}`;
}

function wordsOf(data: Hex): string[] {
  return data.slice(2).match(/.{64}/g) ?? [];
}

function decodeBatch(data: Hex): [readonly bigint[], readonly bigint[]] | undefined {
  try {
    return decodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], data) as [
      readonly bigint[],
      readonly bigint[],
    ];
  } catch {
    return undefined;
  }
}

/**
 * The transfers in a log, by the rules of their standards: ERC-20 has three topics and one word of
 * data, ERC-721 four topics (or one, and three words), ERC-1155 four topics and a pair of numbers
 * or of equally long lists, ERC-404 events of its own. A log of another form is not a transfer.
 */
export function movementsOf(topics: readonly Hex[], data: Hex): Movement[] {
  const [event, first, second, third] = topics as [Hex?, Hex?, Hex?, Hex?];
  const bytes = (data.length - 2) / 2;
  const words = wordsOf(data).map((word) => BigInt(`0x${word}`));
  if (event === TRANSFER || event === ERC20_TRANSFER) {
    const parties = topics.length === 3 && bytes === 32;
    if (parties) {
      const standard = event === TRANSFER ? 20 : 404;
      const [from, to] = [addressIn(first as Hex), addressIn(second as Hex)];
      return [{ standard, from, to, id: null, amount: words[0] as bigint }];
    }
  }
  if ((event === TRANSFER || event === ERC721_TRANSFER) && topics.length === 4) {
    const standard = event === TRANSFER ? 721 : 404;
    const [from, to] = [addressIn(first as Hex), addressIn(second as Hex)];
    return [{ standard, from, to, id: BigInt(third as Hex), amount: null }];
  }
  if (event === TRANSFER && topics.length === 1 && bytes === 96) {
    const [from, to] = wordsOf(data).map(addressIn) as [Address, Address];
    return [{ standard: 721, from, to, id: words[2] as bigint, amount: null }];
  }
  if (topics.length !== 4) return [];
  const standard = 1155;
  const [from, to] = [addressIn(second as Hex), addressIn(third as Hex)];
  if (event === TRANSFER_SINGLE && bytes === 64) {
    return [{ standard, from, to, id: words[0] as bigint, amount: words[1] as bigint }];
  }
  if (event !== TRANSFER_BATCH) return [];
  const [ids, amounts] = decodeBatch(data) ?? [[], [0n]];
  if (ids.length !== amounts.length) return [];
  return ids.map((id, index) => ({ standard, from, to, id, amount: amounts[index] as bigint }));
}

/** Ids that one log moves together, both ends included. */
export interface ConsecutiveMovement {
  firstId: bigint;
  lastId: bigint;
  from: Address;
  to: Address;
}

const CONSECUTIVE_TRANSFER = topicOf("ConsecutiveTransfer(uint256,uint256,address,address)");

/** The movement in a log by ERC-2309: the first id, the parties indexed, and the last id as the data. */
export function consecutiveMovementOf(
  topics: readonly Hex[],
  data: Hex,
): ConsecutiveMovement | undefined {
  const [event, first, from, to] = topics as [Hex?, Hex?, Hex?, Hex?];
  if (event !== CONSECUTIVE_TRANSFER || !first || !from || !to || data.length !== 66) return;
  return { firstId: BigInt(first), lastId: BigInt(data), from: addressIn(from), to: addressIn(to) };
}
