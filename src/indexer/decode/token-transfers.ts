import type { RawLog, RawReceipt } from "../../chain/types.ts";
import { type Address, addressOfWord } from "../../core/evm/address.ts";
import { type Hex, hexLength, hexSlice, wordAt } from "../../core/evm/hex.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import { type ChainRows, SIDE } from "../../store/writer/chain-tables.ts";

/** Values of `token_transfers.standard`: the number of the ERC. */
const STANDARD = { erc20: 20, erc404: 404, erc721: 721, erc1155: 1155 } as const;

/** keccak-256 of `Transfer(address,address,uint256)`: ERC-20 and ERC-721. */
const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** keccak-256 of `TransferSingle(address,address,address,uint256,uint256)`: ERC-1155. */
const TRANSFER_SINGLE: Hex = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
/** keccak-256 of `TransferBatch(address,address,address,uint256[],uint256[])`: ERC-1155. */
const TRANSFER_BATCH: Hex = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
/** keccak-256 of `ERC20Transfer(address,address,uint256)`: the divisible side of ERC-404. */
const ERC404_AMOUNT: Hex = "0xe59fdd36d0d223c0c7d996db7ad796880f45e1936cb0bb7ac102e7082e031487";
/** keccak-256 of `ERC721Transfer(address,address,uint256)`: the id side of ERC-404. */
const ERC404_ID: Hex = "0xe5f815dc84b8cecdfd4beedfc3f91ab5be7af100eca4e8fb11552b867995394f";

/** keccak-256 of `ConsecutiveTransfer(uint256,uint256,address,address)`: ERC-2309. */
const CONSECUTIVE_TRANSFER: Hex =
  "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";

/** Emits logs for all transfers of coins (EIP-7708), in the form of ERC-20. */
const SYSTEM_ADDRESS: Address = "0xfffffffffffffffffffffffffffffffffffffffe";

const WORD = 32;

interface Movement {
  standard: number;
  from: Address;
  to: Address;
  tokenId: Hex | null;
  amount: Hex | null;
}

/** Adds token transfers and activity to the rows, batches unfolded; consecutive ids have rows of their own. */
export function decodeTokenTransfers(
  rows: ChainRows,
  blockNumber: number,
  receipts: readonly RawReceipt[],
): void {
  for (const [transactionIndex, receipt] of receipts.entries()) {
    for (const log of receipt.logs) {
      if (log.address === SYSTEM_ADDRESS) continue;
      const together = decodeConsecutive(log);
      if (together) {
        rows.consecutiveTransfers.push({
          ...together,
          token: log.address,
          blockNumber,
          logIndex: quantityToNumber(log.logIndex),
          transactionIndex,
        });
      }
      for (const [batchIndex, movement] of decodeMovements(log).entries()) {
        const { standard, from, to } = movement;
        const logIndex = quantityToNumber(log.logIndex);
        const token = log.address;
        rows.tokenTransfers.push({
          blockNumber,
          logIndex,
          batchIndex,
          transactionIndex,
          token,
          standard,
          fromAddress: from,
          toAddress: to,
          tokenId: movement.tokenId,
          amount: movement.amount,
        });
        const activity = { standard, blockNumber, logIndex, batchIndex, token };
        const own = to === from ? SIDE.receiver : 0;
        rows.addressTokenTransfers.push({ address: from, ...activity, sides: SIDE.sender + own });
        if (to === from) continue;
        rows.addressTokenTransfers.push({ address: to, ...activity, sides: SIDE.receiver });
      }
    }
  }
}

/** Returns the id range of a log; undefined unless it has the form of the standard's event. */
function decodeConsecutive({ topics, data }: RawLog) {
  const [event, firstId, from, to] = topics;
  if (event !== CONSECUTIVE_TRANSFER || !firstId || !from || !to || hexLength(data) !== WORD)
    return undefined;
  return { firstId, lastId: data, fromAddress: addressOfWord(from), toAddress: addressOfWord(to) };
}

const NONE: readonly Movement[] = [];

/** Returns the transfers of a log; none unless it has the form of a standard's event. */
function decodeMovements({ topics, data }: RawLog): readonly Movement[] {
  const [event, topic1, topic2, topic3] = topics;
  switch (event) {
    case TRANSFER:
      if (topic1 && topic2 && topic3) return [move(STANDARD.erc721, topic1, topic2, topic3, null)];
      if (topic1 && topic2) {
        return hexLength(data) === WORD ? [move(STANDARD.erc20, topic1, topic2, null, data)] : NONE;
      }
      // Collections older than ERC-721 (CryptoKitties) index nothing.
      return topic1 === undefined && hexLength(data) === 3 * WORD
        ? [move(STANDARD.erc721, wordAt(data, 0), wordAt(data, 1), wordAt(data, 2), null)]
        : NONE;
    case TRANSFER_SINGLE:
      return topic2 && topic3 && hexLength(data) === 2 * WORD
        ? [move(STANDARD.erc1155, topic2, topic3, wordAt(data, 0), wordAt(data, 1))]
        : NONE;
    case TRANSFER_BATCH:
      return topic2 && topic3 ? batch(topic2, topic3, data) : NONE;
    case ERC404_AMOUNT:
      return topic1 && topic2 && !topic3 && hexLength(data) === WORD
        ? [move(STANDARD.erc404, topic1, topic2, null, data)]
        : NONE;
    case ERC404_ID:
      return topic1 && topic2 && topic3
        ? [move(STANDARD.erc404, topic1, topic2, topic3, null)]
        : NONE;
    default:
      return NONE;
  }
}

function move(
  standard: number,
  from: Hex,
  to: Hex,
  tokenId: Hex | null,
  amount: Hex | null,
): Movement {
  return { standard, from: addressOfWord(from), to: addressOfWord(to), tokenId, amount };
}

/** Returns the transfers of a TransferBatch: ABI-encoded lists of ids and amounts, of equal length. */
function batch(from: Hex, to: Hex, data: Hex): readonly Movement[] {
  const ids = wordsOfArray(data, 0);
  const amounts = wordsOfArray(data, 1);
  if (!ids || !amounts || ids.length !== amounts.length) return NONE;
  return ids.map((id, index) => move(STANDARD.erc1155, from, to, id, amounts[index] as Hex));
}

/** Returns the elements of the dynamic `uint256[]` at offset word `index`; undefined when they exceed the data. */
function wordsOfArray(data: Hex, index: number): Hex[] | undefined {
  const offset = numberAt(data, index * WORD);
  if (offset === undefined) return undefined;
  const length = numberAt(data, offset);
  if (length === undefined) return undefined;
  const start = offset + WORD;
  if (start + length * WORD > hexLength(data)) return undefined;
  return Array.from({ length }, (_, element) =>
    hexSlice(data, start + element * WORD, start + (element + 1) * WORD),
  );
}

/** Returns the word at a byte position as a number, rounded when too large; undefined past the end. */
function numberAt(data: Hex, position: number): number | undefined {
  if (position + WORD > hexLength(data)) return undefined;
  return Number(BigInt(hexSlice(data, position, position + WORD)));
}
