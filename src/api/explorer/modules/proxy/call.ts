import { z } from "zod";
import type { InputValue } from "../../../http/input/form.ts";
import { parseJson } from "../../../http/input/json.ts";
import { address, data, number } from "./arguments.ts";

// The call object of `eth_call` and `eth_estimateGas`, with its fields as parameters. Source: docs/wire.md, "Module proxy".

const PLACE = 0;
/** ethers writes the names of an access list without quotes. */
const BARE_NAME = /([{,]\s*)(address|storageKeys)(?=\s*:)/g;
const accessListEntries = z.array(
  z.object({
    address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    storageKeys: z.array(z.string().regex(/^0x[0-9a-fA-F]{64}$/)),
  }),
);

function quantityOf(name: string) {
  return number(PLACE, name).optional();
}

const accessList = z
  .unknown()
  .transform((value, context) => {
    const parsed = accessListEntries.safeParse(readList(value as InputValue));
    if (parsed.success) return parsed.data;
    const message = `invalid argument ${PLACE}: accessList is not a list of addresses and storage keys`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .optional()
  .meta({ description: "JSON, names without quotes allowed", type: "string" });

/** Parses an access list; a JSON body may contain it directly. */
function readList(value: InputValue): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(Buffer.from(value.replace(BARE_NAME, '$1"$2"')));
  } catch {
    return undefined;
  }
}

/** Parameters of a call. */
export const callParameters = {
  to: address(PLACE, "to").optional().describe("Contract; none for a creation"),
  data: data(PLACE, "data").optional().describe("Call data"),
  input: data(PLACE, "input").optional().describe("Call data when `data` is absent"),
  from: address(PLACE, "from").optional().describe("Who calls"),
  value: quantityOf("value").describe("Coins in wei"),
  gas: quantityOf("gas").describe("Gas limit"),
  gasLimit: quantityOf("gasLimit").describe("Gas limit when `gas` is absent"),
  gasPrice: quantityOf("gasPrice").describe("Price of gas in wei"),
  maxFeePerGas: quantityOf("maxFeePerGas").describe("Highest price of gas in wei"),
  maxPriorityFeePerGas: quantityOf("maxPriorityFeePerGas").describe("Highest tip in wei"),
  nonce: quantityOf("nonce").describe("Nonce of the caller"),
  type: quantityOf("type").describe("Type of the transaction"),
  accessList,
};

const schema = z.object(callParameters);

/** Returns the call object in the node's form. */
export function callOf({
  input,
  data: bytes = input,
  gasLimit,
  gas = gasLimit,
  ...rest
}: z.output<typeof schema>) {
  const fields = { ...rest, data: bytes, gas };
  const names = Object.keys(callParameters) as (keyof typeof fields)[];
  return Object.fromEntries(
    names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
}
