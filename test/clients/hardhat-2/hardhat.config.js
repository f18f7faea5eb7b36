require("@nomicfoundation/hardhat-verify");
// Takes the verification of proxies over.
if (process.env.UPGRADES === "1") require("@openzeppelin/hardhat-upgrades");
if (process.env.DEPLOY === "1") require("hardhat-deploy");
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require("hardhat/builtin-tasks/task-names");

const { API_URL, CHAIN_ID, COMPILER_PATH, COMPILER_VERSION, EXPLORER_URL, RPC_URL, VERIFIER } =
  process.env;
const [version] = COMPILER_VERSION.split("+");
const customChains = [
  {
    network: "periscope",
    chainId: Number(CHAIN_ID),
    urls: { apiURL: API_URL, browserURL: EXPLORER_URL },
  },
];

// The compiler is at hand; hardhat would download it.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: COMPILER_PATH,
  isSolcJs: true,
  version,
  longVersion: COMPILER_VERSION,
}));

module.exports = {
  solidity: { version, settings: { optimizer: { enabled: true, runs: 200 } } },
  networks: { periscope: { url: RPC_URL } },
  // A single key for all networks would mean etherscan.io.
  etherscan: {
    enabled: VERIFIER === "etherscan",
    apiKey: { periscope: "key-of-nobody" },
    customChains,
  },
  blockscout: { enabled: VERIFIER === "blockscout", customChains },
  sourcify: { enabled: false },
};
