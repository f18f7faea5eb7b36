// What ethers 5 reads from an explorer: `ethers-5.mjs <URL of the explorer> <an address> <one without transactions>`.
import { ethers } from "ethers-5";

const [url, used, unused] = process.argv.slice(2);

/** The class itself knows nothing but etherscan.io. */
class PeriscopeProvider extends ethers.providers.EtherscanProvider {
  getBaseUrl() {
    return url;
  }
}

const provider = new PeriscopeProvider("homestead", "key-of-nobody");
process.stdout.write(
  JSON.stringify({
    history: await provider.getHistory(used),
    none: await provider.getHistory(unused),
    balance: (await provider.getBalance(used)).toString(),
  }),
);
