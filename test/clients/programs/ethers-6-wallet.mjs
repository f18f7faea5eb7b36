// What a wallet of ethers 6 does that has nothing but its Etherscan provider:
// `ethers-6-wallet.mjs <URL of the explorer> <chain id> <a verified vault> <private key>`.
import { Wallet } from "ethers";
import { createEtherscanProvider } from "./ethers-6-provider.mjs";

const [url, chain, address, key] = process.argv.slice(2);
const provider = createEtherscanProvider(url, chain);
const wallet = new Wallet(key, provider);
const vault = (await provider.getContract(address)).connect(wallet);

const reasonOf = ({ code, reason }) => ({ code, reason });
const limit = await vault.limit();
const before = await vault.held(wallet.address);
const sent = await vault.hold({ value: 5n });
const receipt = await sent.wait();
const signed = await wallet.signTransaction(
  await wallet.populateTransaction({ to: wallet.address, nonce: sent.nonce }),
);
const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
const { baseFeePerGas } = await provider.getBlock("latest");

process.stdout.write(
  JSON.stringify({
    limit: String(limit),
    sent: sent.hash,
    status: receipt.status,
    gained: String((await vault.held(wallet.address)) - before),
    tooMuch: await vault.hold.staticCall({ value: limit + 1n }).catch(reasonOf),
    tooMuchSent: await vault.hold({ value: limit + 1n }).catch(reasonOf),
    again: await provider.broadcastTransaction(signed).catch(reasonOf),
    feeOverBase: String(maxFeePerGas - maxPriorityFeePerGas - 2n * baseFeePerGas),
  }),
);
provider.destroy();
