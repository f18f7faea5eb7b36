// What ethers 5 reads by its Etherscan provider, and the same by a node's:
// `ethers-5-reads.mjs <URL of the explorer> <URL of the node> <chain id> <a vault> <a transaction> <a signed transaction>`.
import { ethers } from "ethers-5";

const [url, nodeUrl, chain, vault, transaction, signed] = process.argv.slice(2);
const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** The class itself knows nothing but etherscan.io, and one chain a host. */
class PeriscopeProvider extends ethers.providers.EtherscanProvider {
  getBaseUrl() {
    return `${url}/v2`;
  }
  getUrl(module, parameters) {
    return super.getUrl(module, { ...parameters, chainid: chain });
  }
  getPostUrl() {
    return `${super.getPostUrl()}?chainid=${chain}`;
  }
}

const functions = ["function limit() view returns (uint256)", "function hold() payable"];
const topic = ethers.utils.hexZeroPad("0x2a", 32);
const accessList = [{ address: vault, storageKeys: [ethers.constants.HashZero] }];

async function read(provider) {
  const contract = new ethers.Contract(vault, functions, provider);
  const call = { to: vault, data: contract.interface.encodeFunctionData("limit"), from: owner };
  const hold = contract.interface.encodeFunctionData("hold");
  const fees = { maxFeePerGas: ethers.utils.parseUnits("20", "gwei"), maxPriorityFeePerGas: 1 };
  const { confirmations: _of, ...found } = await provider.getTransaction(transaction);
  const { confirmations: _in, ...receipt } = await provider.getTransactionReceipt(transaction);
  return {
    head: await provider.getBlockNumber(),
    blocks: await Promise.all([1, "latest"].map((tag) => provider.getBlock(tag))),
    whole: (await provider.getBlockWithTransactions(1)).transactions.map(({ hash }) => hash),
    found,
    receipt,
    count: await provider.getTransactionCount(owner, "pending"),
    balances: await Promise.all([0, 1, "latest"].map((tag) => provider.getBalance(owner, tag))),
    code: await provider.getCode(vault),
    storage: await provider.getStorageAt(vault, 5),
    limit: await contract.limit(),
    calls: await Promise.all([
      provider.call({ ...call, type: 2, accessList, ...fees }),
      provider.call({ ...call, gasLimit: 100_000, gasPrice: fees.maxFeePerGas }),
    ]),
    tooMuch: await contract.callStatic
      .hold({ value: 10_000, from: owner })
      .catch(({ code, reason }) => ({ code, reason })),
    estimate: await provider.estimateGas({ to: vault, data: hold, from: owner, value: 1 }),
    estimateOfTooMuch: await provider
      .estimateGas({ to: vault, data: hold, from: owner, value: 10_000 })
      .catch(({ code }) => code),
    logs: await provider.getLogs({ fromBlock: 0, toBlock: "latest", topics: [topic] }),
    gasPrice: await provider.getGasPrice(),
  };
}

const explorer = new PeriscopeProvider("homestead", "key-of-nobody");
const node = new ethers.providers.StaticJsonRpcProvider(nodeUrl);
process.stdout.write(
  JSON.stringify({
    explorer: await read(explorer),
    node: await read(node),
    history: await explorer.getHistory(owner),
    sent: (await explorer.sendTransaction(signed)).hash,
    again: await explorer.sendTransaction(signed).catch(({ code }) => code),
  }),
);
