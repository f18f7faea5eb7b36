// What whatsabi's loaders make of an explorer: `whatsabi.mjs <URL of the API> <a verified contract> <another one>`.
import { loaders } from "@shazow/whatsabi";

const [baseURL, verified, unverified] = process.argv.slice(2);
const etherscan = new loaders.EtherscanV1ABILoader({ baseURL });
const blockscout = new loaders.BlockscoutABILoader({ baseURL });
const any = new loaders.MultiABILoader([blockscout, etherscan]);
const { abi, name, compilerVersion, getSources } = await etherscan.getContract(verified);
const functionsOf = (abi) => abi.filter(({ type }) => type === "function").map(({ name }) => name);

process.stdout.write(
  JSON.stringify({
    name,
    compilerVersion,
    sources: (await getSources()).map(({ content }) => content),
    functions: functionsOf(abi),
    functionsByAnyLoader: functionsOf(await any.loadABI(verified)),
    unverified: await etherscan.loadABI(unverified).catch(({ message }) => message),
  }),
);
