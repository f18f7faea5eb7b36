import type { Address } from "../core/evm/address.ts";
import type { SourceFile } from "../store/contracts/verified/verified-contract.ts";

/** A library and its address in a request. `name` is plain or `path:Name`. */
export interface GivenLibrary {
  name: string;
  address: Address;
}

/** Sources and settings in one of the five request forms. Texts as sent, unparsed. */
export type VerificationForm =
  | {
      /** Sources and the compiler's metadata file; matched by content, not by name. */
      format: "metadata-files";
      files: readonly SourceFile[];
    }
  | ((
      | {
          /** One Solidity file with separate settings. */
          format: "flattened";
          source: string;
          optimizer: { enabled: boolean; runs: number };
          /** Absent: the compiler's default. */
          evmVersion?: string;
          viaIR?: boolean;
          libraries?: readonly GivenLibrary[];
        }
      | {
          /** Standard JSON of solc (Solidity or Yul), or of vyper. */
          format: "standard-json" | "vyper-json";
          input: string;
        }
      | {
          /** One Vyper file. */
          format: "vyper";
          source: string;
          evmVersion?: string;
        }
    ) & {
      /** `Name` or `path:Name`. */
      name: string;
      compilerVersion: string;
    });

/** A verification request. */
export type VerificationRequest = VerificationForm & {
  address: Address;
  /** Hex with or without `0x`. Absent or empty: derived from the creation code. */
  constructorArguments?: string;
  /** Number of the licence, 1 to 14. */
  license?: number;
};

/** Splits `path:Name` after one of these paths, since a name may contain colons (in Yul); else as `splitName`. */
export function splitNameIn(text: string, paths: readonly string[]): ReturnType<typeof splitName> {
  const path = paths.find((known) => text.startsWith(`${known}:`));
  if (path === undefined) return splitName(text);
  const name = text.slice(path.length + 1).trim();
  return { path, name: name === "" ? null : name };
}

/** Splits `path:Name` at the last colon; `path` is null for a bare name, `name` null for an empty one. */
export function splitName(text: string): { path: string | null; name: string | null } {
  const colon = text.lastIndexOf(":");
  const name = text.slice(colon + 1).trim();
  return { path: colon < 0 ? null : text.slice(0, colon), name: name === "" ? null : name };
}
