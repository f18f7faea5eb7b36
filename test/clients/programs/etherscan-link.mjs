// MetaMask's links for a network that its user added: `etherscan-link.mjs <URL of the explorer> <hash> <account> <token>`.

import link from "@metamask/etherscan-link";

const [blockExplorerUrl, hash, account, token] = process.argv.slice(2);
const chainId = "0x7a69";
const preferences = { blockExplorerUrl };
const transaction = { hash, chainId, metamaskNetworkId: "31337" };
process.stdout.write(
  JSON.stringify([
    link.getBlockExplorerLink(transaction, preferences),
    link.createCustomExplorerLink(hash, blockExplorerUrl),
    link.getAccountLink(account, chainId, preferences),
    link.getTokenTrackerLink(token, chainId, "31337", account, preferences),
    link.createCustomTokenTrackerLink(token, blockExplorerUrl),
  ]),
);
