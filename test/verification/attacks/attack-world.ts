import { pino } from "pino";
import { keccak256 } from "viem/utils";
import { createChain } from "../../../src/chain/client.ts";
import { NodeError } from "../../../src/chain/errors/errors.ts";
import type { Address } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat, hexLength } from "../../../src/core/evm/hex.ts";
import { verify } from "../../../src/verification/engine/verify.ts";
import { VerificationError } from "../../../src/verification/errors.ts";
import { requestedCompiler } from "../../../src/verification/inputs/read.ts";
import type { OnChainFacts } from "../../../src/verification/jobs/on-chain-facts.ts";
import { proveDeployment } from "../../../src/verification/jobs/prove.ts";
import type { TrialChain } from "../../../src/verification/jobs/trial-settings.ts";
import type { VerificationRequest } from "../../../src/verification/request.ts";
import { addressAt } from "../../support/build.ts";
import { startCaseChain } from "../case-chain.ts";
import { type DeploymentChain, initCodeOf } from "../deployment.ts";
import type { AttackWorld, Compiled, Program, Sent, Standing, Verdict } from "./attack.ts";

/** Runs CREATE with its calldata, and returns the created address. */
const FACTORY: Hex = "0x3660006000373660006000f060005260206000f3";
/** The same with CREATE2, whose salt it is called with before the init code. */
const FACTORY_2: Hex = "0x602036038060206000376000359060006000f560005260206000f3";

/** A real chain, real compilers, and all of a verification but the queue and the process of its own. */
export async function startAttackWorld(
  given?: DeploymentChain,
): Promise<AttackWorld & { stop(): Promise<void> }> {
  const cases = await startCaseChain(given);
  const { node } = cases;
  const closing = new AbortController();
  const chain = createChain({
    urls: [node.anvil.url],
    requestTimeoutMs: 30_000,
    batchSize: 100,
    concurrency: 4,
    maxResponseBytes: 32 * 1024 * 1024,
    traces: "off",
    log: pino({ level: "silent" }),
    signal: closing.signal,
  });
  const factory = (await node.deploy(initCodeOf(FACTORY))).address;
  const factory2 = (await node.deploy(initCodeOf(FACTORY_2))).address;
  let salts = 0;
  let predeployed = 0xa77ac0;

  async function compile(program: Program): Promise<Compiled> {
    const selected = ["metadata", "evm.bytecode.object", "evm.deployedBytecode"];
    const input = standardJson(program);
    const outputSelection = { "*": { "*": selected } };
    const compiler = await cases.open(program.compiler ?? "0.8.28");
    const output = JSON.parse(
      await compiler.compile(
        JSON.stringify({ ...input, settings: { ...input.settings, outputSelection } }),
      ),
    );
    const colon = program.contract.lastIndexOf(":");
    const [path, name] = [program.contract.slice(0, colon), program.contract.slice(colon + 1)];
    const contract = output.contracts?.[path]?.[name] ?? output.contracts?.[""]?.[name];
    if (contract === undefined) throw new Error(JSON.stringify(output.errors));
    // Not every compiler has runtime code for Yul.
    const { bytecode, deployedBytecode = {} } = contract.evm;
    return {
      creation: bytecode.object,
      runtime: deployedBytecode.object ?? "",
      metadata: contract.metadata,
      immutables: deployedBytecode.immutableReferences ?? {},
    };
  }

  async function send(transaction: object): Promise<{ hash: Hex; address: Address | null }> {
    const [from] = await node.request<Address[]>("eth_accounts");
    const hash = await node.request<Hex>("eth_sendTransaction", {
      from,
      gas: "0x1000000",
      ...transaction,
    });
    for (;;) {
      const receipt = await node.request<{ status: Hex; contractAddress: Address | null } | null>(
        "eth_getTransactionReceipt",
        hash,
      );
      if (receipt?.status === "0x0") throw new Error("the deployment reverted");
      if (receipt !== null) return { hash, address: receipt.contractAddress };
    }
  }

  async function deploy(initCode: Hex, valueWei = 0n): Promise<Standing> {
    const value = `0x${valueWei.toString(16)}`;
    const { hash, address } = await send({ data: initCode, value });
    return { address: address ?? "0x", transaction: hash };
  }

  function codeAt(address: Address): Promise<Hex> {
    return node.request<Hex>("eth_getCode", address, "latest");
  }

  async function factsOf({ address, transaction, factory: made }: Standing): Promise<OnChainFacts> {
    const runtimeCode = await codeAt(address);
    const codeHash = keccak256(runtimeCode);
    if (transaction === undefined) {
      const { number, hash } = await chain.fetchHead();
      return { runtimeCode, codeHash, creation: null, block: { number, hash } };
    }
    const sent = await node.request<Record<string, Hex>>("eth_getTransactionByHash", transaction);
    // Its receipt may precede the transaction itself.
    const receipt = await node.request<Record<string, Hex>>(
      "eth_getTransactionReceipt",
      transaction,
    );
    const number = Number(receipt["blockNumber"]);
    const mined = await node.request<Record<string, Hex>>(
      "eth_getBlockByNumber",
      receipt["blockNumber"],
      false,
    );
    const blockHash = mined["hash"] as Hex;
    return {
      runtimeCode,
      codeHash,
      block: { number, hash: blockHash },
      creation: {
        blockNumber: number,
        blockHash,
        transactionHash: transaction,
        codeHash,
        creationCode: made?.creationCode ?? (sent["input"] as Hex),
        transactionIndex: Number(receipt["transactionIndex"]),
        timestampSeconds: Number(mined["timestamp"]),
        parentHash: mined["parentHash"] as Hex,
        creator: made?.creator ?? (sent["from"] as Address),
        nonce: made ? null : BigInt(sent["nonce"] as Hex),
        value: made ? 0n : BigInt(sent["value"] as Hex),
      },
    };
  }

  async function verifyHere(
    program: Program,
    standing: Standing,
    sent: Sent = {},
  ): Promise<Verdict> {
    const request = sent.request?.(standing.address) ?? requestOf(program, standing, sent);
    const facts = await factsOf(standing);
    try {
      const compiler = requestedCompiler(request);
      if (!compiler) throw new VerificationError({ code: "no-metadata" });
      const { family, version } = compiler;
      const source = await verify(
        {
          request: JSON.stringify(request),
          build: await cases.catalogue.resolve(family, version),
          runtimeCode: facts.runtimeCode,
          creationCode: facts.creation?.creationCode ?? null,
          diagnosisMs: 0,
        },
        { open: () => cases.open(version), onFailure: () => {} },
      );
      const node = sent.onHeadState ? await pruned(chain) : chain;
      const proof = await proveDeployment(node, standing.address, facts, source);
      const levels = [source.runtimeMatch?.quality, source.creationMatch?.quality];
      return { level: levels.includes("full") ? "full" : "partial", reason: "", source, proof };
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      return { level: "none", reason: error.message };
    }
  }

  async function make(creator: Address, data: Hex, creationCode: Hex): Promise<Standing> {
    const address = await node.request<Hex>("eth_call", { to: creator, data });
    const { hash } = await send({ to: creator, data });
    const factory = { creator, creationCode };
    return { address: `0x${address.slice(26)}`, transaction: hash, factory };
  }

  return {
    compile,
    deploy,
    put: (runtimeCode) => deploy(initCodeOf(runtimeCode)),
    deployBy: make,
    deployByFactory: (initCode) => make(factory, initCode, initCode),
    deployByCreate2: async (initCode, fits = () => true) => {
      for (;;) {
        const data: Hex = `0x${word(salts++)}${initCode.slice(2)}`;
        const address = await node.request<Hex>("eth_call", { to: factory2, data });
        if (fits(`0x${address.slice(26)}`)) return make(factory2, data, initCode);
      }
    },
    predeploy: async (runtimeCode) => {
      const address = addressAt(predeployed++);
      await node.request("anvil_setCode", address, runtimeCode);
      return { address };
    },
    runtimeCode: ({ address }) => codeAt(address),
    run: async (data, gas) => {
      const [from] = await node.request<Address[]>("eth_accounts");
      const call = { from, data, gas: `0x${gas.toString(16)}` };
      return node.request<Hex>("eth_call", call, "latest");
    },
    verify: verifyHere,
    stop: async () => {
      closing.abort();
      await chain.close();
      await cases.stop();
    },
  };
}

/** A chain without any state but the head's. */
async function pruned(chain: TrialChain): Promise<TrialChain> {
  const head = await chain.fetchHead();
  const refuse = async () => {
    throw new NodeError("state-unavailable", "missing trie node");
  };
  return {
    ...chain,
    traceCreations: refuse,
    runCreations: (trials, block, ...rest) =>
      block.hash === head.hash ? chain.runCreations(trials, block, ...rest) : refuse(),
    request: (method, ...rest) =>
      /^eth_get(?:TransactionCount|Code)$/.test(method) ? refuse() : chain.request(method, ...rest),
  };
}

function standardJson({ language = "Solidity", sources, settings = {} }: Program) {
  const files = Object.entries(sources).map(([path, content]) => [path, { content }]);
  return { language, sources: Object.fromEntries(files), settings };
}

function requestOf(
  program: Program,
  { address }: Standing,
  { arguments: given }: Sent,
): VerificationRequest {
  return {
    format: "standard-json",
    address,
    input: JSON.stringify(standardJson(program)),
    name: program.contract,
    compilerVersion: program.compiler ?? "0.8.28",
    ...(given !== undefined && { constructorArguments: given }),
  };
}

/** Code with other bytes in one place. */
export function overwrite(code: Hex, offset: number, bytes: Hex): Hex {
  const at = 2 + offset * 2;
  return `0x${code.slice(2, at)}${bytes.slice(2)}${code.slice(at + hexLength(bytes) * 2)}`;
}

/** Code with other bytes where some stand; throws when they do not. */
export function replace(code: string, find: string, by: string): Hex {
  const digits = code.replace(/^0x/, "");
  if (!digits.includes(find)) throw new Error(`${find} does not stand in the code`);
  return `0x${digits.replace(find, by)}`;
}

/** Runtime code without the metadata at its end. */
export function withoutMetadata(code: string): Hex {
  const digits = code.replace(/^0x/, "");
  const length = Number.parseInt(digits.slice(-4), 16) + 2;
  return `0x${digits.slice(0, -2 * length)}`;
}

/** A number as a word of 32 bytes, in hex digits. */
export function word(value: bigint | number): string {
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");
}

/** Metadata in the form of solc 0.8.28, around 32 arbitrary bytes. */
export function metadataWith(hash: string): Hex {
  const digits = hash.padEnd(64, "0");
  return hexConcat("0xa2646970667358221220", `0x${digits}`, "0x64736f6c634300081c0033");
}

/** Runtime code with a word, in hex digits, in the place of every immutable. */
export function fill(runtime: string, immutables: Compiled["immutables"], value: string): Hex {
  return Object.values(immutables)
    .flat()
    .reduce<Hex>((code, { start }) => overwrite(code, start, `0x${value}`), `0x${runtime}`);
}

/** Metadata of so many entries, which are hex digits, with its length behind it. */
export function metadataOf(entries: string, count: number): Hex {
  const map = `a${count}${entries}`;
  return `0x${map}${(map.length / 2).toString(16).padStart(4, "0")}`;
}

/** Hex digits of a text. */
export function text(value: string): string {
  return Buffer.from(value).toString("hex");
}

/** A shop whose constructor, of these parameters, runs the code at the place that `start`, one of them, names. */
export function jumpingShop(parameters: string): Program {
  return {
    sources: {
      "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    constructor(${parameters}) {
        fee = 30;
        function() internal begin;
        assembly { begin := shl(32, start) }
        if (start > 0) begin();
    }
}`,
    },
    contract: "Shop.sol:Shop",
  };
}
