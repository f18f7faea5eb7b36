import { type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { type CompiledContract, compileContracts } from "../support/world/compile.ts";
import { developmentAccount } from "../support/world/keys.ts";
import type { Random } from "../support/world/random.ts";
import { createStage, type Stage } from "../support/world/stage.ts";

/** A call of a contract by one of the node's accounts, the first unless it says which. */
export interface Call {
  to: Address;
  data: Hex;
  value?: bigint;
  from?: Address;
  /** Instead of a call: the delegator's code becomes that of this contract (EIP-7702); zero: none. */
  delegate?: Address;
}

/** A chain of odd tokens under construction, and what acts on them. */
export interface OddChain extends Stage {
  readonly anvil: Anvil;
  readonly random: Random;
  /** Accounts that hold tokens. */
  readonly holders: readonly Address[];
  /** Contracts that were deployed, with the names of what they are. */
  readonly deployed: ReadonlyMap<Address, string>;
  readonly delegator: Address;
  /** Whether contracts can be destroyed for good: not since Cancun. */
  readonly destroys: boolean;
  /** Deploys a contract in a block of its own. */
  deploy(contract: string, ...args: unknown[]): Promise<Address>;
  /** Returns a call of the contract's function. */
  call(contract: string, to: Address, name: string, ...args: unknown[]): Call;
  /** Sends calls, to be mined with the next block. */
  enqueue(...calls: readonly Call[]): void;
  /** Adds an address that is not deployed by `deploy`. */
  know(address: Address, name: string): void;
  stop(): Promise<void>;
}

const HOLDERS = 6;
/** Development accounts with delegated code, and the senders of the authorizations. */
const DELEGATOR = 8;
const SPONSOR = 9;
/** The newest Solidity makes no code that Shanghai's EVM does not run. */
const EVM = "paris";
const GAS = 3_000_000n;

/** Returns the contracts of the folder. */
function oddContracts(): Readonly<Record<string, CompiledContract>> {
  return compileContracts(new URL("contracts/", import.meta.url), EVM);
}

/** Starts anvil by the rules of a fork, without any token. */
export async function startOddChain(
  random: Random,
  hardfork: "shanghai" | "prague",
): Promise<OddChain> {
  const contracts = oddContracts();
  const anvil = await startAnvil(["--hardfork", hardfork]);
  const stage = await createStage(anvil.url);
  const deployed = new Map<Address, string>();
  const [delegator, sponsor] = [developmentAccount(DELEGATOR), developmentAccount(SPONSOR)];
  let delegations: Address[] = [];

  async function signDelegations(): Promise<void> {
    const [chainId = "0x", authority = "0x", nonce = "0x"] = await stage.rpc.requestAll<Hex>([
      { method: "eth_chainId", params: [] },
      { method: "eth_getTransactionCount", params: [delegator.address, "latest"] },
      { method: "eth_getTransactionCount", params: [sponsor.address, "latest"] },
    ]);
    for (const [index, address] of delegations.entries()) {
      const authorization = await delegator.signAuthorization({
        address,
        chainId: Number(chainId),
        nonce: Number(authority) + index,
      });
      const transaction = await sponsor.signTransaction({
        type: "eip7702",
        chainId: Number(chainId),
        nonce: Number(nonce) + index,
        to: sponsor.address,
        gas: 200_000n,
        maxFeePerGas: 200_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
        authorizationList: [authorization],
      });
      stage.sendRaw(transaction);
    }
    delegations = [];
  }

  function contractOf(name: string): CompiledContract {
    const contract = contracts[name];
    if (!contract) throw new Error(`no contract ${name}`);
    return contract;
  }

  const chain: OddChain = {
    ...stage,
    anvil,
    random,
    holders: stage.accounts.slice(0, HOLDERS).map((one) => one.toLowerCase() as Address),
    deployed,
    delegator: delegator.address.toLowerCase() as Address,
    destroys: hardfork === "shanghai",
    async deploy(name, ...args) {
      const { abi, creationCode } = contractOf(name);
      const data = encodeDeployData({ abi, bytecode: creationCode, args });
      stage.send({ from: stage.accounts[0] as Address, data, gas: GAS });
      const receipts = await stage.mine();
      const address = receipts.at(-1)?.contractAddress?.toLowerCase() as Address | undefined;
      if (!address) throw new Error(`${name} was not deployed`);
      deployed.set(address, name);
      return address;
    },
    call(contract, to, functionName, ...args) {
      return {
        to,
        data: encodeFunctionData({ abi: contractOf(contract).abi, functionName, args }),
      };
    },
    enqueue(...calls) {
      for (const { from = stage.accounts[0] as Address, delegate, ...call } of calls) {
        if (delegate) delegations.push(delegate);
        else stage.send({ from, gas: GAS, ...call });
      }
    },
    async mine(spacing) {
      await signDelegations();
      return stage.mine(spacing);
    },
    know: (address, name) => void deployed.set(address, name),
    stop: () => anvil.stop(),
  };
  return chain;
}
