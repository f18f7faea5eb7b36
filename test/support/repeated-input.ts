import { concat, type Hex, numberToHex } from "viem";

export const KILOBYTES_128 = 131_072;

/** Init code that calls an account again and again with so many zeros as input. */
export function callsWithInput(calls: number, inputBytes: number): Hex {
  return concat([
    // PUSH3 calls, JUMPDEST; CALL(GAS, 0xdead, 0, 0, inputBytes, 0, 0)
    "0x62",
    numberToHex(calls, { size: 3 }),
    "0x5b6000600062",
    numberToHex(inputBytes, { size: 3 }),
    "0x6000600061dead5af1",
    // calls - 1, back to the JUMPDEST unless it is 0
    "0x50600190038060045700",
  ]);
}
