import { randomBytes } from "node:crypto";
import { type Address, ZERO_ADDRESS } from "../../core/address.ts";
import { hexFromBytes } from "../../core/hex.ts";

/** Lists from a random address on, or from the first address when nothing is behind the random one. */
export async function fromRandom<Row>(list: (from: Address) => Promise<Row[]>): Promise<Row[]> {
  const rows = await list(randomAddress());
  return rows.length > 0 ? rows : list(ZERO_ADDRESS);
}

function randomAddress(): Address {
  return hexFromBytes(randomBytes(20));
}
