import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import type { Queryable } from "../../../db/client.ts";

/** `compared`: the code is the compiled one; `run`: the compiled one, run in its place, returns the same; `unknown`: unproven. */
type ProofKind = "compared" | "run" | "unknown";

/** An immutable variable in the code on chain. */
export interface ImmutableValue {
  name: string;
  /** In the compiler's form: `address`, `uint256`, `contract IERC20`; empty when unknown. */
  type: string;
  /** A word of 32 bytes; for vyper the size of the type. */
  value: Hex;
}

/** Proofs of a verified contract's deployment, beside the match levels of the two codes. */
export interface DeploymentProof {
  /** How the constructor's effect was proven. `run` proves only its return value, not its writes. */
  construction: ProofKind;
  /** The values of the immutables; null when there are none. */
  immutables: ProofKind | null;
  /** In the order of their offsets in the code. */
  values: readonly ImmutableValue[];
  /** `compiled`: the code on chain is the source's. `foreign`: the source's constructor ran and returned other code. */
  runtimeCode: "compiled" | "foreign";
  /** The outcome of running the compiled creation code; null when unneeded. */
  run: { outcome: "equal" | "different" | "not-run"; reason: string } | null;
  /** Libraries linked after the compile, by `path:Name`. */
  libraries: readonly { name: string; address: Address }[];
}

/** A proof in an answer: for every library also whether it is verified under its name, from the same files. */
export interface AnsweredProof extends Omit<DeploymentProof, "libraries"> {
  /** True if names and comments are the deployer's: solc's full match `compared` their hash. */
  names: "compared" | "unknown";
  libraries: { name: string; address: Address; isVerified: boolean }[];
}

/** Returns the proof of a deployment; undefined when unverified, or verified before proofs were kept. */
export async function getDeploymentProof(
  sql: Queryable,
  address: Address,
): Promise<AnsweredProof | undefined> {
  const [row] = await sql<{ proof: string | null; sources: string; isNamed: boolean }[]>`
    SELECT proof, sources,
      language <> 'Vyper' AND 'full' IN (runtime_match, creation_match) IS TRUE AS is_named
    FROM valid_verified_contracts WHERE address = ${address}`;
  if (row?.proof == null) return undefined;
  const proof = JSON.parse(row.proof) as DeploymentProof;
  const verified = await sql<(VerifiedLibrary & { address: Address })[]>`
    SELECT address, contract_name AS name, file_path, sources
    FROM valid_verified_contracts
    WHERE address = ANY (${proof.libraries.map((library) => library.address)}::bytea[])`;
  const own = filesOf(row.sources);
  return {
    ...proof,
    names: row.isNamed ? "compared" : "unknown",
    libraries: proof.libraries.map(({ name, address: at }) => {
      const library = verified.find((contract) => contract.address === at);
      return { name, address: at, isVerified: library !== undefined && isIn(own, name, library) };
    }),
  };
}

interface VerifiedLibrary {
  name: string;
  filePath: string;
  /** JSON. */
  sources: string;
}

type Files = ReadonlyMap<string, string>;

function filesOf(sources: string): Files {
  const files = JSON.parse(sources) as { path: string; hash: string }[];
  return new Map(files.map(({ path, hash }) => [path, hash]));
}

/** Returns whether a library is verified under the name in its user's sources, from the same files: names can be shared. */
function isIn(files: Files, qualified: string, { name, filePath, sources }: VerifiedLibrary) {
  const isNamed = [`${filePath}:${name}`, `:${name}`].includes(qualified);
  return isNamed && [...filesOf(sources)].every(([path, hash]) => files.get(path) === hash);
}
