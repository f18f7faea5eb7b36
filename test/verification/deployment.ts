import { keccak256, stringToBytes } from "viem/utils";
import { sleep } from "../../src/core/async.ts";
import type { Address } from "../../src/core/evm/address.ts";
import { type Hex, hexConcat, hexLength } from "../../src/core/evm/hex.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";

/** A development chain to deploy code on. */
export interface DeploymentChain {
  anvil: Pick<Anvil, "url" | "stop">;
  request<Result>(method: string, ...params: unknown[]): Promise<Result>;
  /** Sends a transaction from the first account; its receipt, once it succeeded. */
  send(transaction: { to?: Address; data: Hex }): Promise<Receipt>;
  /**
   * Deploys init code, directly or by the deployer of EIP-2470's kind that anvil brings, and reads the code. `salt` is
   * another one each time unless it is given.
   */
  deploy(
    initCode: Hex,
    via?: "create2",
    salt?: number,
  ): Promise<{ address: Address; runtimeCode: Hex }>;
}

interface Receipt {
  contractAddress: Address | null;
  status: Hex;
  logs: { data: Hex }[];
}

const CREATE2_DEPLOYER = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const RECEIPT_PAUSE_MS = 2;
const GAS = "0x1000000";

/** Starts the chain. `args` are added to anvil's command line. */
export async function startDeploymentChain(args?: readonly string[]): Promise<DeploymentChain> {
  return deployTo(await startAnvil(args));
}

/** Deploys to the chain of a node that has an account to send with. */
export function deployTo(anvil: Pick<Anvil, "url" | "stop">): DeploymentChain {
  let salts = 0;

  async function request<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const response = await fetch(anvil.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const answer = (await response.json()) as { result: Result; error?: { message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  async function send(transaction: { to?: Address; data: Hex }): Promise<Receipt> {
    const [from] = await request<Address[]>("eth_accounts");
    const hash = await request<Hex>("eth_sendTransaction", { from, gas: GAS, ...transaction });
    let receipt: Receipt | null = null;
    // Under load anvil mines a moment after it answered.
    for (; receipt === null; await sleep(RECEIPT_PAUSE_MS)) {
      receipt = await request<Receipt | null>("eth_getTransactionReceipt", hash);
    }
    if (receipt.status !== "0x1") throw new Error("the deployment reverted");
    return receipt;
  }

  return {
    anvil,
    request,
    send,
    deploy: async (initCode, via, salt = ++salts) => {
      let address: Address;
      if (via === "create2") {
        const word: Hex = `0x${salt.toString(16).padStart(64, "0")}`;
        await send({ to: CREATE2_DEPLOYER, data: hexConcat(word, initCode) });
        const preimage = hexConcat("0xff", CREATE2_DEPLOYER, word, keccak256(initCode));
        address = `0x${keccak256(preimage).slice(26)}`;
      } else {
        address = (await send({ data: initCode })).contractAddress ?? "0x";
      }
      return { address, runtimeCode: await request<Hex>("eth_getCode", address, "latest") };
    },
  };
}

/** Init code that leaves exactly these bytes as runtime code. */
export function initCodeOf(runtimeCode: Hex): Hex {
  const size = hexLength(runtimeCode).toString(16).padStart(4, "0");
  return `0x61${size}80600a3d393df3${runtimeCode.slice(2)}`;
}

/** Compiled code with library addresses in the place of its placeholders, of new compilers and old. */
export function link(object: string, libraries: Readonly<Record<string, Address>> = {}): string {
  let linked = object;
  for (const [name, address] of Object.entries(libraries)) {
    const hash = keccak256(stringToBytes(name)).slice(2, 36);
    const old = `__${name.slice(0, 36).padEnd(38, "_")}`;
    for (const placeholder of [`__$${hash}$__`, old]) {
      linked = linked.replaceAll(placeholder, address.slice(2));
    }
  }
  return linked;
}
