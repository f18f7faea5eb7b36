import { createRequire } from "node:module";

// What a chain's thread uses of viem, each part from its own file. The thread keeps all that it loads, and viem as a whole is
// three times as much (docs/benchmarks.md, "Several chains").

type Viem = typeof import("viem");
type Actions = typeof import("viem/actions");

const folder = import.meta.resolve("viem");
// Loaded at once, without `await`: Node crashes where a process ends while a thread evaluates a module that awaits.
const require = createRequire(folder);

function load(file: string) {
  return require(`./${file}`);
}

export const { createClient }: Viem = load("clients/createClient.js");
export const { createTransport }: Viem = load("clients/transports/createTransport.js");
export const { BaseError }: Viem = load("errors/base.js");
export const { BlockNotFoundError }: Viem = load("errors/block.js");
export const { erc20Abi, erc1155Abi, multicall3Abi }: Viem = load("constants/abis.js");
export const { decodeAbiParameters }: Viem = load("utils/abi/decodeAbiParameters.js");
export const { encodeFunctionData }: Viem = load("utils/abi/encodeFunctionData.js");
export const { getContractAddress }: Viem = load("utils/address/getContractAddress.js");
export const { keccak256 }: Viem = load("utils/hash/keccak256.js");
export const { pad }: Viem = load("utils/data/pad.js");
export const { recoverAddress }: Viem = load("utils/signature/recoverAddress.js");
export const { toRlp }: Viem = load("utils/encoding/toRlp.js");

export const { call }: Actions = load("actions/public/call.js");
export const { getBalance }: Actions = load("actions/public/getBalance.js");
export const { getBlock }: Actions = load("actions/public/getBlock.js");
export const { getChainId }: Actions = load("actions/public/getChainId.js");
export const { getCode }: Actions = load("actions/public/getCode.js");
export const { getStorageAt }: Actions = load("actions/public/getStorageAt.js");
export const { readContract }: Actions = load("actions/public/readContract.js");
