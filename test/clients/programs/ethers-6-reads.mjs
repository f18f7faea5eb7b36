// What ethers 6 reads by its Etherscan provider, and the same by a node's:
// `ethers-6-reads.mjs <URL of the explorer> <URL of the node> <chain id> <a vault> <transactions, with commas between>`.
import { Interface, JsonRpcProvider } from "ethers";
import { createEtherscanProvider } from "./ethers-6-provider.mjs";

const [url, nodeUrl, chain, vault, transactions] = process.argv.slice(2);
const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const unused = "0x00000000000000000000000000000000000000A1";
const unknown = `0x${"ab".repeat(32)}`;
const described = new Interface([
  "function limit() view returns (uint256)",
  "function hold() payable",
]);
const [limit, hold] = ["limit", "hold"].map((name) => described.encodeFunctionData(name));
const accessList = [{ address: vault, storageKeys: [`0x${"00".repeat(32)}`, unknown] }];

/** The results of each of many calls; of an error what a program can go by. */
function all(calls) {
  return Promise.all(
    calls.map((call) =>
      call.catch(({ code, reason, data, revert }) => ({ code, reason, data, revert })),
    ),
  );
}

async function read(provider) {
  return {
    network: (await provider.getNetwork()).chainId,
    head: await provider.getBlockNumber(),
    blocks: await all(
      [0, 1, 3, "latest", "earliest", "safe", "finalized", -1, 99_999].map((tag) =>
        provider.getBlock(tag),
      ),
    ),
    whole: (await provider.getBlock(2, true)).prefetchedTransactions,
    transactions: await all(
      [...transactions.split(","), unknown].map((hash) => provider.getTransaction(hash)),
    ),
    receipts: await all(
      [...transactions.split(","), unknown].map((hash) => provider.getTransactionReceipt(hash)),
    ),
    counts: await all([
      provider.getTransactionCount(owner),
      provider.getTransactionCount(owner, 1),
      provider.getTransactionCount(owner, "pending"),
      provider.getTransactionCount(unused),
    ]),
    balances: await all(
      ["latest", 0, 1, 2, "safe", "finalized", "earliest", -1].flatMap((tag) =>
        [owner, vault].map((address) => provider.getBalance(address, tag)),
      ),
    ),
    code: await all([
      provider.getCode(vault),
      provider.getCode(vault, 0),
      provider.getCode(vault, "safe"),
      provider.getCode(unused),
    ]),
    storage: await all([
      provider.getStorage(vault, 0),
      provider.getStorage(vault, 5),
      provider.getStorage(vault, 2n ** 255n),
      provider.getStorage(vault, unknown, 1),
    ]),
    calls: await all([
      provider.call({ to: vault, data: limit }),
      provider.call({ to: vault, data: limit, from: owner, gasLimit: 100_000n }),
      provider.call({ to: vault, data: limit, type: 1, accessList }),
      provider.call({ to: vault, data: limit, from: owner, maxFeePerGas: 20n * 10n ** 9n }),
      provider.call({ to: vault, data: hold, from: owner, value: 1n }),
      provider.call({ to: vault, data: hold, from: owner, value: 10n ** 18n }),
      provider.call({ to: vault, data: "0x12345678" }),
      provider.call({ to: unused, data: "0x12345678" }),
      provider.call({ data: "0x600160005260206000f3" }),
    ]),
    estimates: await all([
      provider.estimateGas({ from: owner, to: unused, value: 1n }),
      provider.estimateGas({ from: owner, to: vault, data: hold, value: 1n }),
      provider.estimateGas({ from: owner, to: vault, data: hold, value: 1n, accessList }),
      provider.estimateGas({ from: owner, to: vault, data: hold, value: 10n ** 18n }),
      provider.estimateGas({ from: owner, data: "0x600160005260206000f3" }),
    ]),
    gasPrice: (await provider.getFeeData()).gasPrice,
  };
}

const [explorer, node] = await Promise.all(
  [
    createEtherscanProvider(url, chain),
    new JsonRpcProvider(nodeUrl, undefined, { batchMaxCount: 1 }),
  ].map(async (provider) => {
    const seen = await read(provider);
    provider.destroy();
    return seen;
  }),
);
process.stdout.write(
  JSON.stringify({ explorer, node }, (_key, value) =>
    typeof value === "bigint" ? String(value) : value,
  ),
);
