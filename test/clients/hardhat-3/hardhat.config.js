import hardhatVerify from "@nomicfoundation/hardhat-verify";
import { defineConfig } from "hardhat/config";

const { API_URL, CHAIN_ID, COMPILER_PATH, COMPILER_VERSION, EXPLORER_URL, RPC_URL, SOURCIFY_URL } =
  process.env;
const compiler = {
  version: COMPILER_VERSION.split("+")[0],
  path: COMPILER_PATH,
  settings: { optimizer: { enabled: true, runs: 200 } },
};
const explorer = { name: "Periscope", url: EXPLORER_URL, apiUrl: API_URL };

export default defineConfig({
  plugins: [hardhatVerify],
  solidity: {
    profiles: { default: { compilers: [compiler] }, production: { compilers: [compiler] } },
  },
  networks: { periscope: { type: "http", url: RPC_URL } },
  chainDescriptors: {
    [CHAIN_ID]: {
      name: "periscope",
      blockExplorers: { etherscan: explorer, blockscout: explorer },
    },
  },
  verify: {
    etherscan: { apiKey: "key-of-nobody" },
    ...(SOURCIFY_URL && { sourcify: { apiUrl: SOURCIFY_URL } }),
  },
});
