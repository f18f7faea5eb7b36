import { concat, createPublicClient, type Hex, http, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ChainsExplorer, startChainsExplorer } from "./explorer.ts";
import { createScratch, runProgram, type Scratch } from "./program.ts";
import { DEPLOYER, PRIVATE_KEY, type ServedChain } from "./served-chain.ts";
import { COMPILER, compiledVault } from "./vaults.ts";
import { generate } from "./wagmi.ts";

// Clients of Etherscan's API V2 at a server of two chains; their results equal the chain node's.

const CHAINS = [
  { id: 1, limit: 1000 },
  { id: 10, limit: 2000 },
];
const PATIENCE = { timeout: 90_000, interval: 500 };
/** Init code that logs the topic 42 and leaves no code. */
const LOGGING = "0x602a60006000a160006000f3";
const UNUSED = "0x00000000000000000000000000000000000000A1";
/** `hold()` and `limit()`. */
const [HOLD, LIMIT] = ["0x00e0c53f", "0xa4d66daf"] as const;

let explorer: ChainsExplorer;
let scratch: Scratch;

beforeAll(async () => {
  scratch = createScratch();
  explorer = await startChainsExplorer(CHAINS.map(({ id }) => id));
});
afterAll(async () => {
  scratch.remove();
  await explorer.stop();
});

const run = (program: string, ...args: string[]) => runProgram(scratch, program, args);

/** Answers of etherscan-api's methods, each with its namespace, name and arguments. */
function etherscanApi(chain: number, ...calls: unknown[][]) {
  return run("etherscan-api.mjs", explorer.url, String(chain), JSON.stringify(calls));
}

/** Removes anvil's extra fields of every transaction: the standard has one nowhere, the other for blobs alone. */
function standard(answers: unknown) {
  return JSON.parse(JSON.stringify(answers), (name, value) =>
    name === "blockTimestamp" || name === "blobGasPrice" ? undefined : value,
  );
}

describe.each(CHAINS)("chain $id", ({ id, limit }) => {
  let chain: ServedChain;
  let vault: Hex;
  let transactions: Hex[];

  beforeAll(async () => {
    chain = explorer.chains[CHAINS.findIndex((other) => other.id === id)] as ServedChain;
    const { creationCode, input } = compiledVault("Shown");
    const constructed = concat([numberToHex(0xa1, { size: 32 }), numberToHex(limit, { size: 32 })]);
    vault = await chain.deploy(concat([creationCode, constructed]));
    const accessList = [{ address: vault, storageKeys: [numberToHex(0, { size: 32 })] }];
    const held = { to: vault, data: HOLD, gas: "0x30000" } as const;
    const receipts = [
      await chain.send({ data: LOGGING }),
      await chain.send({ ...held, value: "0x3", gasPrice: numberToHex(5n * 10n ** 9n) }),
      await chain.send({ ...held, value: "0x1", accessList }),
      await chain.send({ ...held, value: numberToHex(limit + 1) }),
      await chain.send({ to: UNUSED, value: numberToHex(id) }),
    ];
    transactions = receipts.map(({ transactionHash }) => transactionHash);
    // Neither head nor nonces of one chain are those of the other.
    if (id === 10) await chain.send({ to: UNUSED, value: "0x1" });

    const [guid] = await etherscanApi(id, [
      ...["contract", "verifysourcecode"],
      {
        contractaddress: vault,
        sourceCode: input,
        codeformat: "solidity-standard-json-input",
        contractname: "src/Shown.sol:Shown",
        compilerversion: COMPILER.version,
        constructorArguements: constructed.slice(2),
      },
    ]);
    await vi.waitUntil(async () => {
      // It takes a verification that waits for an error.
      const asked = etherscanApi(id, ["contract", "checkverifystatus", guid]);
      const [status] = await asked.catch(() => []);
      return status === "Pass - Verified";
    }, PATIENCE);
  });

  const places = () => [explorer.url, chain.rpcUrl, String(id), vault];

  test("ethers 6 reads by its Etherscan provider what it reads from the node", async () => {
    const { explorer: read, node } = await run(
      "ethers-6-reads.mjs",
      ...places(),
      transactions.join(","),
    );
    expect(standard(read)).toEqual(standard(node));
    expect(read).toMatchObject({ network: String(id), head: id === 10 ? 7 : 6 });
    expect(BigInt(read.calls[0])).toBe(BigInt(limit));
    expect(read.calls[5]).toMatchObject({ code: "CALL_EXCEPTION", reason: "Shown: too much" });
    expect(read.estimates[3]).toMatchObject({ code: "CALL_EXCEPTION", reason: "Shown: too much" });
  });

  test("a wallet of ethers 6 works with nothing but the explorer", async () => {
    const tooMuch = { code: "CALL_EXCEPTION", reason: "Shown: too much" };
    expect(
      await run("ethers-6-wallet.mjs", explorer.url, String(id), vault, PRIVATE_KEY),
    ).toMatchObject({
      limit: String(limit),
      status: 1,
      gained: "5",
      tooMuch,
      tooMuchSent: tooMuch,
      again: { code: "NONCE_EXPIRED" },
      feeOverBase: "0",
    });
  });

  test("ethers 5 reads and sends by its Etherscan provider", async () => {
    await chain.indexed();
    const node = createPublicClient({ transport: http(chain.rpcUrl) });
    const signed = await privateKeyToAccount(PRIVATE_KEY).signTransaction({
      chainId: id,
      type: "eip1559",
      to: UNUSED,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      nonce: await node.getTransactionCount({ address: DEPLOYER }),
    });
    const seen = await run("ethers-5-reads.mjs", ...places(), transactions[2] as Hex, signed);
    expect(seen.explorer).toEqual(seen.node);
    expect(seen.explorer.logs).toHaveLength(1);
    expect(seen.explorer.tooMuch).toEqual({ code: "CALL_EXCEPTION", reason: "Shown: too much" });
    expect(seen.history.map(({ hash }: { hash: Hex }) => hash)).toEqual(
      expect.arrayContaining(transactions),
    );
    expect(seen.again).toBe("NONCE_EXPIRED");
    expect(await node.waitForTransactionReceipt({ hash: seen.sent })).toMatchObject({
      status: "success",
    });
  });

  test("etherscan-api asks the methods of a node", async () => {
    await chain.indexed();
    const [hash, code, storage] = [transactions[1], [vault, "latest"], [vault, "0x0", "latest"]];
    const transfer = { to: UNUSED, value: "0x1", gasPrice: "0x12a05f200", gas: "0x30000" };
    const calls: [string, unknown[], unknown[]?][] = [
      ["eth_blockNumber", []],
      ["eth_getBlockByNumber", ["0x1", true]],
      ["eth_getBlockByNumber", ["latest", false]],
      ["eth_getUncleByBlockNumberAndIndex", ["0x1", "0x0"]],
      ["eth_getBlockTransactionCountByNumber", ["0x1"]],
      ["eth_getTransactionByHash", [hash]],
      ["eth_getTransactionByBlockNumberAndIndex", ["0x3", "0x0"]],
      ["eth_getTransactionCount", [DEPLOYER], [DEPLOYER, "latest"]],
      ["eth_getTransactionReceipt", [hash]],
      ["eth_call", [vault, LIMIT, "latest"], [{ to: vault, data: LIMIT }, "latest"]],
      ["eth_getCode", code],
      ["eth_getStorageAt", storage],
      ["eth_gasPrice", []],
      ["eth_estimateGas", Object.values(transfer), [transfer]],
    ];
    const answers = await etherscanApi(
      id,
      ...calls.map(([method, given]) => ["proxy", method, ...given]),
    );
    const node = createPublicClient({ transport: http(chain.rpcUrl) });
    const said = await Promise.all(
      calls.map(([method, given, params = given]) =>
        node.request({ method, params } as unknown as Parameters<typeof node.request>[0]),
      ),
    );
    expect(standard(answers)).toEqual(standard(said));
  });

  test("etherscan-api reads what an explorer knows", async () => {
    await chain.indexed();
    const [logging, first, , failed] = transactions;
    const [list, balances, none, logs, status, receipt, source, creation, gas, seconds, limits] =
      await etherscanApi(
        id,
        ["account", "txlist", DEPLOYER, 1, 4],
        ["account", "balance", [UNUSED, vault]],
        ["account", "tokentx", DEPLOYER],
        ["log", "getLogs", null, 0, "latest", numberToHex(42, { size: 32 })],
        ["transaction", "getstatus", failed],
        ["transaction", "gettxreceiptstatus", first],
        ["contract", "getsourcecode", vault],
        ["contract", "getcontractcreation", [vault]],
        ["gastracker", "gasoracle"],
        ["gastracker", "gasestimate", 10 ** 11],
        ["usage", "getapilimit"],
      );
    expect(list.slice(1)).toMatchObject([
      { hash: logging, isError: "0" },
      { hash: first, value: "3", functionName: "hold()" },
      { hash: transactions[2], value: "1" },
    ]);
    expect(balances.map(({ account }: { account: Hex }) => account.toLowerCase())).toEqual([
      UNUSED.toLowerCase(),
      vault.toLowerCase(),
    ]);
    expect(none).toEqual([]);
    expect(logs).toMatchObject([{ transactionHash: logging }]);
    expect(status).toMatchObject({ isError: "1" });
    expect(receipt).toEqual({ status: "1" });
    expect(source).toMatchObject([{ ContractName: "Shown", CompilerVersion: COMPILER.version }]);
    expect(creation).toMatchObject([{ contractCreator: DEPLOYER.toLowerCase() }]);
    expect(Number(gas.FastGasPrice)).toBeGreaterThan(0);
    expect(seconds).toMatch(/^\d+$/);
    expect(limits).toMatchObject({ creditsAvailable: expect.any(Number) });
  });

  test("wagmi's command line generates the ABI of a verified contract", async () => {
    const generated = await generate(scratch, {
      baseUrl: `${explorer.url}/v2/api`,
      chainId: id,
      apiKey: "key-of-nobody",
      contracts: [{ name: "Shown", address: vault }],
    });
    expect(generated).toContain("name: 'hold'");
  });
});

test("etherscan-api lists the chains, and is told of one that is not there", async () => {
  const refused = "Missing or unsupported chainid parameter";
  const [chains, other] = await etherscanApi(5, ["usage", "chainlist"], ["proxy", "eth_gasPrice"]);
  expect(chains).toMatchObject([{ chainid: "1" }, { chainid: "10" }]);
  expect(other).toMatchObject({
    name: "EtherscanError",
    message: expect.stringContaining(refused),
  });
});
