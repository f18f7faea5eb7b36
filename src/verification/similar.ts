import type { Address } from "../core/evm/address.ts";
import { type Hex, hexFromBytes, hexLength, hexToBytes } from "../core/evm/hex.ts";
import type { Queryable } from "../db/client.ts";
import type { DeploymentProof } from "../store/contracts/verified/deployment-proofs.ts";
import {
  getSimilarEvidence,
  listMasks,
  listSimilarCandidates,
  type SimilarEvidence,
} from "../store/contracts/verified/similar.ts";
import { compiledCodeOf, type KeptCode } from "./engine/kept-code.ts";
import type { CodeMatch } from "./match/code/code-match.ts";
import { blankedHash, type CodeMask, isOtherDeployment, type KnownCode } from "./match/similar.ts";

/** Most sources with code of one length. */
const MOST_MASKS = 500;
/** Most contracts that are compared byte by byte, and most that are returned. */
const MOST_CANDIDATES = 100;

/** Returns verified contracts whose source this code may come from, without hidden differences, by time of verification. */
export async function findSimilarContracts(sql: Queryable, address: Address, runtimeCode: Hex) {
  const code = hexToBytes(runtimeCode);
  const length = hexLength(runtimeCode);
  const masks = await listMasks(sql, length, MOST_MASKS);
  const codes = masks.map((mask) => ({
    mask,
    hash: blankedHash(code, JSON.parse(mask) as CodeMask),
  }));
  const found: Address[] = [];
  for (const candidate of await listSimilarCandidates(sql, length, codes, MOST_CANDIDATES)) {
    const evidence = await getSimilarEvidence(sql, candidate);
    if (evidence && isOtherDeployment(knownCode(evidence), code, address)) found.push(candidate);
  }
  return found;
}

/** Returns a verified contract's stored data for the comparison. */
export function knownCode({ language, compilation, proof }: SimilarEvidence): KnownCode {
  const { compiledRuntime, runtimeMatch } = JSON.parse(compilation) as {
    compiledRuntime: KeptCode;
    runtimeMatch: CodeMatch | null;
  };
  const { values = [] } = proof === null ? {} : (JSON.parse(proof) as DeploymentProof);
  return {
    isVyper: language === "Vyper",
    compiled: compiledCodeOf(compiledRuntime),
    immutables: runtimeMatch?.values.immutables ?? {},
    values,
  };
}

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
