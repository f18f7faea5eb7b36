import { createRequire } from "node:module";
import type * as prometheus from "prom-client";
import type * as undici from "undici";
import type * as viem from "viem";
import type * as actions from "viem/actions";
import type * as utils from "viem/utils";

// The parts of libraries that a chain's thread needs, each loaded from its own file. All loaded code stays
// in memory: viem as a whole is three times as much, undici four times, and prom-client includes a
// tracer's API (docs/measurements/chains.md). Loaded without `await`: Node crashes where a
// process ends while a thread evaluates an awaiting module.

const require = createRequire(import.meta.url);
const requireOfViem = createRequire(import.meta.resolve("viem"));

function load(file: string) {
  return requireOfViem(`./${file}`);
}

export const Pool: typeof undici.Pool = require("undici/lib/dispatcher/pool.js");

export const Counter: typeof prometheus.Counter = require("prom-client/lib/counter.js");
export const Gauge: typeof prometheus.Gauge = require("prom-client/lib/gauge.js");
export const Histogram: typeof prometheus.Histogram = require("prom-client/lib/histogram.js");
export const Registry: typeof prometheus.Registry = require("prom-client/lib/registry.js");

export const { createClient }: typeof viem = load("clients/createClient.js");
export const { createTransport }: typeof viem = load("clients/transports/createTransport.js");
export const { BaseError }: typeof viem = load("errors/base.js");
export const { erc20Abi, erc1155Abi, multicall3Abi }: typeof viem = load("constants/abis.js");
export const { decodeAbiParameters }: typeof viem = load("utils/abi/decodeAbiParameters.js");
export const { encodeFunctionData }: typeof viem = load("utils/abi/encodeFunctionData.js");
export const { checksumAddress }: typeof viem = load("utils/address/getAddress.js");
export const { getContractAddress }: typeof viem = load("utils/address/getContractAddress.js");
export const { keccak256 }: typeof viem = load("utils/hash/keccak256.js");
export const { pad }: typeof viem = load("utils/data/pad.js");
export const { recoverAddress }: typeof viem = load("utils/signature/recoverAddress.js");
export const { recoverAuthorizationAddress }: typeof utils = load(
  "utils/authorization/recoverAuthorizationAddress.js",
);
export const { toRlp }: typeof viem = load("utils/encoding/toRlp.js");

export const { call }: typeof actions = load("actions/public/call.js");
export const { getBalance }: typeof actions = load("actions/public/getBalance.js");
export const { getBlock }: typeof actions = load("actions/public/getBlock.js");
export const { getChainId }: typeof actions = load("actions/public/getChainId.js");
export const { getCode }: typeof actions = load("actions/public/getCode.js");
export const { getStorageAt }: typeof actions = load("actions/public/getStorageAt.js");
export const { readContract }: typeof actions = load("actions/public/readContract.js");
