import { EtherscanProvider } from "ethers";

const HOST = "https://api.etherscan.io";

/** The Etherscan provider of ethers 6 at another host: it knows only this one, and only the chains of that. */
class OtherHostProvider extends EtherscanProvider {
  #url;

  constructor(url, chain) {
    super(Number(chain), "key-of-nobody");
    this.#url = url;
  }
  getUrl(module, parameters) {
    return super.getUrl(module, parameters).replace(HOST, this.#url);
  }
  getPostUrl() {
    return super.getPostUrl().replace(HOST, this.#url);
  }
}

/** Creates one for an explorer and a chain of it. */
export function createEtherscanProvider(url, chain) {
  return new OtherHostProvider(url, chain);
}
