import { type Address, zeroAddress } from "viem";
import { addressOf, integer, missingText } from "./parameters.ts";
import { fail, type Question, succeed, type WireAnswer } from "./wire.ts";

/** Computes the answer of an action about the state after any block, by the node's state. */
type Historian = (question: Question) => Promise<WireAnswer>;

/** The account or token; the zero address for a parameter that the action lacks. */
interface Past {
  address: Address;
  contractaddress: Address;
  blockNumber: number;
}

/**
 * Checks the parameters; `texts` has the complaint about each malformed address. `refuse` looks at what the chain has, as
 * does the last check, that there is such a block.
 */
function historian(
  texts: Readonly<Partial<Record<"address" | "contractaddress", string>>>,
  answer: (question: Question, past: Past) => Promise<WireAnswer>,
  refuse: (question: Question, past: Past) => WireAnswer | undefined = () => undefined,
): Historian {
  return async (question) => {
    const { oracle, dialect, parameters } = question;
    const names = [...Object.keys(texts), "blockno"];
    const missing = missingText(parameters, names);
    if (missing !== undefined) return fail(dialect, missing);
    const addresses: Record<string, Address> = {};
    for (const [name, text] of Object.entries(texts)) {
      const address = addressOf(parameters.get(name) ?? "");
      if (!address) return fail(dialect, text);
      addresses[name] = address;
    }
    const number = integer(parameters.get("blockno"));
    const invalid = fail(dialect, "Invalid blockno format");
    if (number === undefined || number < 0n) return invalid;
    const { address = zeroAddress, contractaddress = zeroAddress } = addresses;
    const past = { address, contractaddress, blockNumber: Number(number) };
    const refusal = refuse(question, past);
    if (refusal) return refusal;
    return past.blockNumber > oracle.head.number ? invalid : answer(question, past);
  };
}

/** The actions about the state of the past by `module/action`. */
export const HISTORIES: Readonly<Record<string, Historian>> = {
  "account/balancehistory": historian(
    { address: "Invalid address format" },
    async ({ oracle }, { address, blockNumber }) => {
      const [balance] = await oracle.state.coinBalances([{ address, blockNumber }]);
      return succeed(String(balance));
    },
  ),
  "account/tokenbalancehistory": historian(
    { contractaddress: "Invalid contractaddress format", address: "Invalid address format" },
    async ({ oracle, dialect }, { contractaddress: token, address: owner, blockNumber }) => {
      const isMulti = oracle.tokens.get(token)?.standard === 1155;
      const keys = isMulti
        ? oracle.idHoldings.filter((held) => held.token === token && held.owner === owner)
        : [{ token, owner, id: null }];
      const held = await oracle.state.holdings(keys.map((key) => ({ ...key, blockNumber })));
      const [code] = await oracle.state.codes([{ address: token, blockNumber }]);
      if (held.includes(null) && code !== "0x") {
        return fail(dialect, "The contract does not tell what was held");
      }
      return succeed(String(held.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)));
    },
  ),
  "stats/tokensupplyhistory": historian(
    { contractaddress: "Invalid contract address format" },
    async ({ oracle }, { contractaddress: address, blockNumber }) => {
      const [supply = null] = await oracle.state.supplies([{ address, blockNumber }]);
      const [code] = await oracle.state.codes([{ address, blockNumber }]);
      if (supply !== null) return succeed(String(supply));
      return succeed(code === "0x" ? "0" : null);
    },
    ({ oracle, dialect }, { contractaddress }) =>
      oracle.tokens.has(contractaddress) ? undefined : fail(dialect, "Contract address not found"),
  ),
};
