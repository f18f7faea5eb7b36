import type { Address } from "../../core/address.ts";
import type { Hex } from "../../core/hex.ts";
import type { Queryable } from "../../db/client.ts";

/**
 * How something of a deployment was proven. `compared`: the creation code on chain is the compiled one. `run`: other
 * creation code ran, but the compiled one, run in its place, returns the code on chain. `unknown`: not at all.
 */
type ProofKind = "compared" | "run" | "unknown";

/** An immutable variable as it stands in the code on chain. */
export interface ImmutableValue {
  name: string;
  /** As the compiler writes it: `address`, `uint256`, `contract IERC20`; empty where it does not tell. */
  type: string;
  /** A word of 32 bytes; of vyper as many as the type takes. */
  value: Hex;
}

/** What is proven of how a verified contract came to be. The levels of the two codes stand beside it. */
export interface DeploymentProof {
  /** What the constructor did. Of `run` only what it returned is proven, not what it wrote. */
  construction: ProofKind;
  /** The values of the immutables; null when there are none. */
  immutables: ProofKind | null;
  /** In the order of their places in the code. */
  values: readonly ImmutableValue[];
  /**
   * `compiled`: the code on chain is that of the source. `foreign`: it is not; the constructor of the source ran and put
   * other code there.
   */
  runtimeCode: "compiled" | "foreign";
  /** What came of running the compiled creation code; null when there was no need to. */
  run: { outcome: "equal" | "different" | "not-run"; reason: string } | null;
  /** Linked into the code after the compile, by `path:Name`. */
  libraries: readonly { name: string; address: Address }[];
}

/** A proof as it is told: of every library also whether the code at its address is verified
 * as that library, from the same files. */
export interface ToldProof extends Omit<DeploymentProof, "libraries"> {
  libraries: { name: string; address: Address; isVerified: boolean }[];
}

/**
 * What is proven of the deployment of a verified contract; undefined when the code that stands at the address now is
 * not verified, or was before proofs were kept.
 */
export async function getDeploymentProof(
  sql: Queryable,
  address: Address,
): Promise<ToldProof | undefined> {
  const [row] = await sql<{ proof: string | null; sources: string }[]>`
    SELECT proof, sources FROM valid_verified_contracts WHERE address = ${address}`;
  if (row?.proof == null) return undefined;
  const proof = JSON.parse(row.proof) as DeploymentProof;
  const verified = await sql<(VerifiedLibrary & { address: Address })[]>`
    SELECT address, contract_name AS name, file_path, sources
    FROM valid_verified_contracts
    WHERE address = ANY (${proof.libraries.map((library) => library.address)}::bytea[])`;
  const own = filesOf(row.sources);
  return {
    ...proof,
    libraries: proof.libraries.map(({ name, address: at }) => {
      const library = verified.find((contract) => contract.address === at);
      return { name, address: at, isVerified: library !== undefined && isOf(own, name, library) };
    }),
  };
}

interface VerifiedLibrary {
  name: string;
  filePath: string;
  /** JSON. */
  sources: string;
}

/** Hashes of the texts by path. */
type Files = ReadonlyMap<string, string>;

function filesOf(sources: string): Files {
  const files = JSON.parse(sources) as { path: string; hash: string }[];
  return new Map(files.map(({ path, hash }) => [path, hash]));
}

/**
 * Whether a library, which the sources of its user call by `path:Name` (up to 0.4.8 by the name alone), is verified from
 * the same files: by its name alone anybody can verify another one.
 */
function isOf(files: Files, qualified: string, { name, filePath, sources }: VerifiedLibrary) {
  const isNamed = [`${filePath}:${name}`, `:${name}`].includes(qualified);
  return isNamed && [...filesOf(sources)].every(([path, hash]) => files.get(path) === hash);
}
