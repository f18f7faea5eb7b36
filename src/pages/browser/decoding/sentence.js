// One sentence about a transaction, for its page and for previews of links to it. Nothing here needs a browser.

import { cleaned, inUnits, shortHash } from "../base/format.js";
import { checksummed } from "../base/keccak.js";

const NOBODY = "0x0000000000000000000000000000000000000000";
const COIN_DECIMALS = 18;

/**
 * The sentence in parts: text, `{ address }`, `{ transfer }`, `{ wei }` or `{ name }` of a function. `guess` is the name of the
 * called function where no verified ABI has it.
 */
export function partsOf(transaction, transfers, guess) {
  const { from, to, value, input, details } = transaction;
  const name = details.call?.signature.split("(")[0] ?? guess;
  const called = { name: name ?? input.slice(0, 10) };
  const subject = { address: from };
  if (!transaction.success) {
    if (to === "") return [subject, " tried to deploy a contract"];
    const attempt = input === "0x" ? ["pay "] : ["call ", called, " on "];
    return [subject, " tried to ", ...attempt, { address: to }];
  }
  const moved = transfersIn(transfers, transaction);
  if (moved) return [subject, ...moved];
  if (to === "") return [subject, " deployed ", { address: details.contractAddress }];
  const coins = value === "0" ? [] : [{ wei: value }];
  if (input === "0x") {
    return [subject, " sent ", ...(value === "0" ? ["nothing"] : coins), " to ", { address: to }];
  }
  if (name === "approve" || name === "setApprovalForAll") {
    const spender = details.call?.parameters[0]?.value;
    const who = /^0x[0-9a-f]{40}$/.test(spender) ? { address: spender } : "a spender";
    return [subject, " approved ", who, " for ", { address: to }];
  }
  const paid = value === "0" ? [] : [" with ", ...coins];
  return [subject, " called ", called, " on ", { address: to }, ...paid];
}

/** Returns the amounts that the sender gave and got, where one or two transfers are the whole of it. */
function transfersIn(transfers, { from, to }) {
  const given = transfers.filter((transfer) => transfer.from === from && transfer.to !== from);
  const got = transfers.filter((transfer) => transfer.to === from && transfer.from !== from);
  const isSwap = given.length === 1 && got.length === 1;
  if (isSwap && given[0].contractAddress !== got[0].contractAddress) {
    const through = [" through ", { address: to }];
    return [" swapped ", { transfer: given[0] }, " for ", { transfer: got[0] }, ...through];
  }
  if (transfers.length !== 1) return undefined;
  const [transfer] = transfers;
  const [giver, getter] = [{ address: transfer.from }, { address: transfer.to }];
  if (transfer.from === NOBODY) return [" minted ", { transfer }, " to ", getter];
  if (transfer.to === NOBODY) return [" burned ", { transfer }, " of ", giver];
  if (transfer.from === from) return [" sent ", { transfer }, " to ", getter];
  return [" moved ", { transfer }, " from ", giver, " to ", getter];
}

/** The sentence as text. `coin` is the symbol of the chain's coin. */
export function textOf(transaction, transfers, coin) {
  const nameOf = (address) =>
    transaction.details.contracts.find((contract) => contract.address === address)?.name;
  const texts = partsOf(transaction, transfers).map((part) => {
    if (typeof part === "string") return part;
    if (part.name) return part.name;
    if (part.wei) return `${inUnits(part.wei, COIN_DECIMALS)} ${coin}`;
    if (part.address) return nameOf(part.address) ?? shortHash(checksummed(part.address));
    const { tokenID, tokenValue, value, tokenDecimal, tokenSymbol, tokenName } = part.transfer;
    const amount = tokenValue ?? value;
    const id = tokenID && `#${tokenID}`;
    const units = amount && inUnits(amount, tokenDecimal || 0);
    return [id, units, tokenSymbol || tokenName || "tokens"].filter(Boolean).join(" ");
  });
  return `${texts.map((text) => cleaned(text)).join("")}.`;
}
