// Calls of etherscan-api: `etherscan-api.mjs <URL of the explorer> <chain id> <a list of [namespace, method, …arguments]>`; the
// result of each, or what the error says.
import { httpTransport, init } from "etherscan-api";

const [url, chain, calls] = process.argv.slice(2);

/** The library knows no other host. */
function transport(asked, options) {
  const address = asked.replace("https://api.etherscan.io", url);
  return httpTransport(address, { ...options, allowInsecure: true });
}

const api = init("key-of-nobody", chain, undefined, transport);
const answers = JSON.parse(calls).map(([namespace, method, ...given]) =>
  api[namespace][method](...given).then(
    ({ result }) => result,
    ({ name, message }) => ({ name, message }),
  ),
);
process.stdout.write(JSON.stringify(await Promise.all(answers)));
