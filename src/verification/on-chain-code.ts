import { type Hex, hexFromBytes, hexLength, hexToBytes } from "../core/evm/hex.ts";
import type { KeptCode } from "./engine/kept-code.ts";
import type { CodeMatch } from "./match/code/code-match.ts";

/** Returns the code on chain of compiled code with the transformations of its match. */
export function codeOnChain(compiled: KeptCode, { transformations, values }: CodeMatch): Hex {
  let bytes = hexToBytes(compiled.code);
  const write = (offset: number, value: Hex | undefined) =>
    hexToBytes(value ?? "0x").copy(bytes, offset);
  // Changes of the length are applied last; they are all at the end of the code.
  const atEnd: (() => void)[] = [];
  for (const { type, reason, offset, id = "" } of transformations) {
    if (reason === "callProtection") write(offset, values.callProtection);
    else if (reason === "library") write(offset, values.libraries?.[id]);
    else if (reason === "immutable" && type === "replace") write(offset, values.immutables?.[id]);
    else if (type === "delete") {
      atEnd.push(() => {
        bytes = bytes.subarray(0, offset);
      });
    } else if (type === "insert") {
      const value = reason === "immutable" ? values.immutables?.[id] : values.constructorArguments;
      atEnd.push(() => {
        bytes = Buffer.concat([bytes, hexToBytes(value ?? "0x")]);
      });
    } else {
      const value = values.cborAuxdata?.[id] ?? "0x";
      const before = compiled.auxdata.find((auxdata) => auxdata.id === id)?.value ?? value;
      if (hexLength(before) === hexLength(value)) write(offset, value);
      else {
        atEnd.push(() => {
          bytes = Buffer.concat([bytes.subarray(0, offset), hexToBytes(value)]);
        });
      }
    }
  }
  for (const change of atEnd) change();
  return hexFromBytes(bytes);
}
