import type { SignedAuthorization } from "viem";
import { recoverAuthorizationAddress } from "../deep-imports.ts";
import { isNothing, isRecord, listOf } from "../json/record.ts";
import { type Address, isAddress, lowerAddress } from "./address.ts";
import type { Hex } from "./hex.ts";
import { isExactQuantity, quantity } from "./quantity.ts";

/** An authorization of EIP-7702, as the execution-apis specification spells it. */
interface Authorization {
  chainId: Hex;
  nonce: Hex;
  address: Address;
  r: Hex;
  s: Hex;
  yParity: Hex;
}

/** Half of the curve's order: greater values of s are refused (EIP-2). */
const GREATEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const LAST_NONCE = 2n ** 64n - 1n;

/**
 * Returns the authorizations of a transaction in one form: nodes also write `chain_id` and `y_parity`, numbers and decimal text,
 * `v` of 27 and 28, and put the signature into an object. One that cannot be read stays as it is.
 */
export function inOneForm(list: readonly unknown[]): unknown[] {
  return list.map((one) => (isInForm(one) ? one : (parseAuthorization(one) ?? one)));
}

function isInForm(given: unknown): boolean {
  if (!isRecord(given) || Object.keys(given).length !== 6) return false;
  const { chainId, nonce, address, r, s, yParity } = given;
  return isAddress(address) && [chainId, nonce, r, s, yParity].every(isExactQuantity);
}

function parseAuthorization(given: unknown): Authorization | undefined {
  if (!isRecord(given)) return undefined;
  const signature = isRecord(given["signature"]) ? given["signature"] : {};
  const fields = { ...signature, ...given };
  const parity = fields["yParity"] ?? fields["y_parity"] ?? fields["v"];
  try {
    const v = BigInt(parity as string);
    const address = lowerAddress(String(fields["address"]));
    if (!isAddress(address)) return undefined;
    return {
      chainId: quantityOf(fields["chainId"] ?? fields["chain_id"]),
      nonce: quantityOf(fields["nonce"]),
      address,
      r: quantityOf(fields["r"]),
      s: quantityOf(fields["s"]),
      yParity: quantity(v >= 27n ? v - 27n : v),
    };
  } catch {
    return undefined;
  }
}

function quantityOf(value: unknown): Hex {
  if (isNothing(value)) throw new TypeError("a field is missing");
  return quantity(BigInt(value as string));
}

/** An authorization with the account that signed it. */
export interface ReadAuthorization extends Authorization {
  /** Null where the signature is of no account. */
  authority: Address | null;
  /** True if signature, nonce and chain id allow it. The account's nonce is not compared. */
  valid: boolean;
}

/** Recovers the accounts of the first authorizations; those that cannot be read are left out. */
export async function readAuthorizations(list: unknown, chainId: number, limit: number) {
  const given = listOf(list).slice(0, limit).map(parseAuthorization);
  return Promise.all(
    given
      .filter((one) => one !== undefined)
      .map(async (one) => {
        const [asked, nonce, yParity] = [one.chainId, one.nonce, one.yParity].map(Number);
        const authorization = { ...one, chainId: asked, nonce, yParity } as SignedAuthorization;
        const authority = await recoverAuthorizationAddress({ authorization }).then(
          lowerAddress,
          () => null,
        );
        const isOfChain = [0n, BigInt(chainId)].includes(BigInt(one.chainId));
        const isAllowed = BigInt(one.s) <= GREATEST_S && BigInt(one.nonce) < LAST_NONCE;
        return { ...one, authority, valid: authority !== null && isOfChain && isAllowed };
      }),
  );
}
