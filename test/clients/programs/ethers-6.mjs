// What ethers 6 reads from an explorer: `ethers-6.mjs <URL of the API> <a verified contract> <another one>`.
import { EtherscanProvider } from "ethers";

const [api, verified, unverified] = process.argv.slice(2);

/** The class itself knows nothing but etherscan.io, and only the chains of that. */
class PeriscopeProvider extends EtherscanProvider {
  getUrl(module, parameters) {
    return `${api}?${new URLSearchParams({ module, ...parameters })}`;
  }
  getPostUrl() {
    return api;
  }
}

const provider = new PeriscopeProvider(1, "key-of-nobody");
const { interface: described } = await provider.getContract(verified);
process.stdout.write(
  JSON.stringify({
    functions: described.fragments
      .filter(({ type }) => type === "function")
      .map(({ name }) => name),
    unverified: await provider.getContract(unverified),
    balance: String(await provider.getBalance(verified)),
  }),
);
