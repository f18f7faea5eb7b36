import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
} from "viem";
import { type CompiledContract, compileContracts } from "./compile.ts";

/** Deploys what it is sent by CREATE2 (salt, then init code); stands at this address on every chain that has it. */
export const CREATE2_DEPLOYER: Address = "0x4e59b44847b379578588920ca78fbf26c0b4956c";

/** The contract to deploy under each name of the world; `count` of them with different salts. */
const PLAN = {
  machine: { contract: "Machine", count: 3 },
  cloner: { contract: "Cloner" },
  fungible: { contract: "Fungible", args: ["Pearl", "PRL", 6] },
  sibling: { contract: "Fungible", args: ["Zeichen für Käufer 🪙", "ZFK", 18] },
  toll: { contract: "FeeOnTransfer" },
  tide: { contract: "Rebasing" },
  hush: { contract: "SilentMint" },
  whisper: { contract: "SilentMint" },
  wrapped: { contract: "WrappedCoin" },
  wordNamed: { contract: "WordNamed" },
  collectible: { contract: "Collectible" },
  oldCollectible: { contract: "OldCollectible" },
  multi: { contract: "MultiToken" },
  hybrid: { contract: "Hybrid" },
  puppet: { contract: "Puppet", count: 12 },
} as const satisfies Record<
  string,
  { contract: string; args?: readonly unknown[]; count?: number }
>;

/** A contract of the world: the name of the plan, followed by its number where there are several (`machine1`). */
export interface Deployment {
  name: string;
  address: Address;
  salt: Hex;
  initCode: Hex;
}

const compiled = compileContracts();

/** A compiled contract of `contracts/` by its Solidity name. Throws when there is none. */
function compiledContract(contract: string): CompiledContract {
  const found = compiled[contract];
  if (!found) throw new Error(`no contract ${contract}`);
  return found;
}

/** Init code of a contract with its constructor arguments behind. */
export function initCode(contract: string, args: readonly unknown[] = []): Hex {
  const { abi, creationCode } = compiledContract(contract);
  return encodeDeployData({ abi, bytecode: creationCode, args });
}

/** Call data of a function of a compiled contract. */
export function callData(contract: string, functionName: string, ...args: unknown[]): Hex {
  return encodeFunctionData({ abi: compiledContract(contract).abi, functionName, args });
}

/** Address that CREATE2 by `from` gives to init code, lower case. */
export function create2Address(from: Address, salt: Hex, code: Hex): Address {
  return getContractAddress({ opcode: "CREATE2", from, salt, bytecode: code }).toLowerCase() as Hex;
}

/** A 32-byte word of a number. */
export function word(value: bigint | number): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

/** Everything that stands in the world from its beginning, at addresses that do not depend on the chain's history. */
export function plannedDeployments(): Deployment[] {
  return Object.entries(PLAN).flatMap(([name, entry]) => {
    const args = "args" in entry ? entry.args : [];
    const code = initCode(entry.contract, args);
    const count = "count" in entry ? entry.count : 1;
    return Array.from({ length: count }, (_, index) => {
      // The name is part of the salt: two of the plan may have the same code.
      const salt = word(BigInt(`0x${Buffer.from(name).toString("hex")}`) * 256n + BigInt(index));
      const address = create2Address(CREATE2_DEPLOYER, salt, code);
      return { name: count === 1 ? name : `${name}${index + 1}`, address, salt, initCode: code };
    });
  });
}
