// Writes the names of functions and events that pages show where no verified ABI names them, marked as guesses:
// `npm run dictionary`.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { parseAbiItem } from "viem";

interface Interface {
  /** Where the signatures come from. */
  source: string;
  functions: string[];
  events: string[];
}

interface Parameter {
  type: string;
  name?: string;
  indexed?: boolean;
  components?: readonly Parameter[];
}

interface Entry {
  name: string;
  inputs: readonly Parameter[];
}

const TARGET = new URL("../src/pages/browser/decoding/dictionary.json", import.meta.url);
const require = createRequire(import.meta.url);
const OPENZEPPELIN = path.dirname(require.resolve("@openzeppelin/contracts/package.json"));
/** Contracts beyond the interfaces whose functions are called directly. */
const CONTRACTS = [
  ...["AccessControl", "Ownable2Step", "ERC20Burnable", "ERC20Permit", "ERC20Votes", "ERC4626"],
  ...["Governor", "TimelockController", "Pausable", "Multicall", "TransparentUpgradeableProxy"],
  ...["UUPSUpgradeable", "ERC721Burnable", "ERC1155Burnable", "Initializable", "VestingWallet"],
];

/** Widely used interfaces that no standard describes, by the project that publishes them. */
const OTHERS: readonly Interface[] = [
  {
    source: "WETH9 (github.com/gnosis/canonical-weth)",
    functions: ["deposit()", "withdraw(uint256 wad)"],
    events: [
      "Deposit(address indexed dst, uint256 wad)",
      "Withdrawal(address indexed src, uint256 wad)",
    ],
  },
  {
    source: "Multicall3 (github.com/mds1/multicall)",
    functions: [
      "aggregate((address target, bytes callData)[] calls)",
      "aggregate3((address target, bool allowFailure, bytes callData)[] calls)",
      "aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)",
      "tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)",
      "multicall(bytes[] data)",
      "multicall(uint256 deadline, bytes[] data)",
    ],
    events: [],
  },
  {
    source: "Uniswap V2 (github.com/Uniswap/v2-periphery, v2-core)",
    functions: [
      "addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)",
      "addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)",
      "removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)",
      "removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)",
      "swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
      "swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
      "swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)",
      "swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)",
      "swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
      "swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
      "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
      "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)",
      "swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
      "swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)",
      "createPair(address tokenA, address tokenB)",
      "skim(address to)",
      "sync()",
    ],
    events: [
      "Mint(address indexed sender, uint256 amount0, uint256 amount1)",
      "Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)",
      "Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
      "Sync(uint112 reserve0, uint112 reserve1)",
      "PairCreated(address indexed token0, address indexed token1, address pair, uint256 pairs)",
    ],
  },
  {
    source: "Uniswap V3 (github.com/Uniswap/v3-periphery, v3-core, swap-router-contracts)",
    functions: [
      "exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)",
      "exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)",
      "exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params)",
      "exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params)",
      "mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params)",
      "increaseLiquidity((uint256 tokenId, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params)",
      "decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params)",
      "collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params)",
      "execute(bytes commands, bytes[] inputs, uint256 deadline)",
      "execute(bytes commands, bytes[] inputs)",
      "unwrapWETH9(uint256 amountMinimum, address recipient)",
      "refundETH()",
      "createPool(address tokenA, address tokenB, uint24 fee)",
    ],
    events: [
      "Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
      "Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
      "Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
      "Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)",
      "PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
      "IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)",
      "DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)",
    ],
  },
  {
    source: "Permit2 (github.com/Uniswap/permit2)",
    functions: [
      "approve(address token, address spender, uint160 amount, uint48 expiration)",
      "transferFrom(address from, address to, uint160 amount, address token)",
      "permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature)",
      "lockdown((address token, address spender)[] approvals)",
    ],
    events: [
      "Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)",
    ],
  },
  {
    source: "Safe (github.com/safe-global/safe-smart-account)",
    functions: [
      "execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
      "setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
      "createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)",
      "multiSend(bytes transactions)",
      "addOwnerWithThreshold(address owner, uint256 threshold)",
      "removeOwner(address prevOwner, address owner, uint256 threshold)",
      "changeThreshold(uint256 threshold)",
      "enableModule(address module)",
      "approveHash(bytes32 hashToApprove)",
    ],
    events: [
      "ExecutionSuccess(bytes32 indexed txHash, uint256 payment)",
      "ExecutionFailure(bytes32 indexed txHash, uint256 payment)",
      "AddedOwner(address indexed owner)",
      "RemovedOwner(address indexed owner)",
      "ChangedThreshold(uint256 threshold)",
      "EnabledModule(address indexed module)",
      "SafeReceived(address indexed sender, uint256 value)",
      "ProxyCreation(address indexed proxy, address singleton)",
    ],
  },
  {
    source: "EntryPoint (ERC-4337; github.com/eth-infinitism/account-abstraction)",
    functions: [
      "handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)",
      "handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)",
      "depositTo(address account)",
      "execute(address dest, uint256 value, bytes func)",
      "executeBatch(address[] dest, bytes[] func)",
      "createAccount(address owner, uint256 salt)",
    ],
    events: [
      "UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
      "UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)",
      "AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)",
      "BeforeExecution()",
      "Deposited(address indexed account, uint256 totalDeposit)",
    ],
  },
  {
    source: "Common names of tokens, sales and OP-stack bridges",
    functions: [
      "mint(address to, uint256 amount)",
      "mint(uint256 amount)",
      "mint()",
      "claim()",
      "claim(address account, uint256 amount, bytes32[] proof)",
      "stake(uint256 amount)",
      "unstake(uint256 amount)",
      "withdraw()",
      "withdrawAll()",
      "increaseAllowance(address spender, uint256 addedValue)",
      "decreaseAllowance(address spender, uint256 subtractedValue)",
      "safeMint(address to, uint256 tokenId)",
      "setBaseURI(string uri)",
      "initialize()",
      "depositETH(uint32 l2Gas, bytes data)",
      "depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data)",
      "sendMessage(address target, bytes message, uint32 minGasLimit)",
      "relayMessage(uint256 nonce, address sender, address target, uint256 value, uint256 minGasLimit, bytes message)",
      "setL1BlockValuesEcotone()",
      "setL1BlockValuesIsthmus()",
    ],
    events: [],
  },
];

function textOf({ name, inputs }: Entry): string {
  return `${name}(${inputs.map(parameterOf).join(",")})`;
}

function parameterOf(parameter: Parameter): string {
  const { type, name = "", indexed, components = [] } = parameter;
  const shape = type.startsWith("tuple")
    ? `(${components.map(parameterOf).join(",")})${type.slice(5)}`
    : type;
  return [shape, indexed && "indexed", name.replace(/^_|_$/g, "")].filter(Boolean).join(" ");
}

async function readOpenZeppelin(): Promise<Interface> {
  const folder = path.join(OPENZEPPELIN, "build/contracts");
  const { version } = JSON.parse(await readFile(path.join(OPENZEPPELIN, "package.json"), "utf8"));
  const source = `Interfaces of ERCs in @openzeppelin/contracts ${version}`;
  const found: Interface = { source, functions: [], events: [] };
  for (const file of (await readdir(folder)).sort()) {
    const isWanted = /^I[A-Z]/.test(file) || CONTRACTS.includes(file.replace(".json", ""));
    if (!isWanted) continue;
    const { abi } = JSON.parse(await readFile(path.join(folder, file), "utf8"));
    for (const entry of abi) {
      if (entry.type === "function") found.functions.push(textOf(entry));
      if (entry.type === "event") found.events.push(textOf(entry));
    }
  }
  return found;
}

/** One text for each signature: the first that names its parameters. */
function distinct(kind: "function" | "event", texts: readonly string[]): string[] {
  const byTypes = new Map<string, string>();
  for (const text of texts) {
    const entry = parseAbiItem(`${kind} ${text}` as "function f()") as Entry;
    const key = textOf({
      name: entry.name,
      inputs: entry.inputs.map((input) => ({ ...input, name: "" })),
    });
    if (!byTypes.has(key)) byTypes.set(key, textOf(entry));
  }
  return [...byTypes.values()].sort();
}

const all = [await readOpenZeppelin(), ...OTHERS];
const dictionary = {
  sources: all.map(({ source }) => source),
  functions: distinct(
    "function",
    all.flatMap(({ functions }) => functions),
  ),
  events: distinct(
    "event",
    all.flatMap(({ events }) => events),
  ),
};
await writeFile(TARGET, `${JSON.stringify(dictionary, null, 2)}\n`);
