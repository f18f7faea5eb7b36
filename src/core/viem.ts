// What a chain's thread uses of viem, each part from its own file. The thread keeps all that it loads, and viem as a whole is
// three times as much (docs/benchmarks.md, "Several chains").

type Viem = typeof import("viem");
type Actions = typeof import("viem/actions");

const folder = import.meta.resolve("viem");

function load(file: string) {
  return import(new URL(file, folder).href);
}

export const { createClient }: Viem = await load("clients/createClient.js");
export const { createTransport }: Viem = await load("clients/transports/createTransport.js");
export const { BaseError }: Viem = await load("errors/base.js");
export const { BlockNotFoundError }: Viem = await load("errors/block.js");
export const { erc20Abi, erc1155Abi, multicall3Abi }: Viem = await load("constants/abis.js");
export const { decodeAbiParameters }: Viem = await load("utils/abi/decodeAbiParameters.js");
export const { encodeFunctionData }: Viem = await load("utils/abi/encodeFunctionData.js");
export const { getContractAddress }: Viem = await load("utils/address/getContractAddress.js");
export const { keccak256 }: Viem = await load("utils/hash/keccak256.js");
export const { pad }: Viem = await load("utils/data/pad.js");
export const { recoverAddress }: Viem = await load("utils/signature/recoverAddress.js");
export const { toRlp }: Viem = await load("utils/encoding/toRlp.js");

export const { call }: Actions = await load("actions/public/call.js");
export const { getBalance }: Actions = await load("actions/public/getBalance.js");
export const { getBlock }: Actions = await load("actions/public/getBlock.js");
export const { getChainId }: Actions = await load("actions/public/getChainId.js");
export const { getCode }: Actions = await load("actions/public/getCode.js");
export const { getStorageAt }: Actions = await load("actions/public/getStorageAt.js");
export const { readContract }: Actions = await load("actions/public/readContract.js");
