import { bytesToHex } from "viem";
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";

const PHRASE = "test test test test test test test test test test test junk";

/** The development account of this index, with its key: anvil's and Hardhat's nodes share the phrase. */
export function developmentAccount(index: number): PrivateKeyAccount {
  const { privateKey } = mnemonicToAccount(PHRASE, { addressIndex: index }).getHdKey();
  if (!privateKey) throw new Error("the phrase gives no key");
  return privateKeyToAccount(bytesToHex(privateKey));
}
