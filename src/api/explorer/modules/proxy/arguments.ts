import { z } from "zod";
import { type Address, lowerAddress } from "../../../../core/evm/address.ts";
import { HEX_DATA, type Hex, lowerHex } from "../../../../core/evm/hex.ts";
import { quantity } from "../../../../core/evm/quantity.ts";
import { BLOCK_NAMES } from "../../../eth-rpc/rpc.ts";
import type { InputValue } from "../../../http/input/form.ts";
import { parseJson } from "../../../http/input/request.ts";
import { text } from "../../params.ts";

// Parameters of module proxy, by their position in the JSON-RPC `params`, which error texts count
// from 0. Source: docs/wire.md, "Module proxy".

/** A block in JSON-RPC's form; a number is a minimal quantity. */
export type BlockTag = Hex | (typeof BLOCK_NAMES)[number];

const HEX = /^0x0*[0-9a-fA-F]{1,64}$/;
const NUMBER = /^(?:0x0*[0-9a-fA-F]{1,64}|\d{1,78})$/;
const BLOCK_PATTERN = new RegExp(`^(?:${BLOCK_NAMES.join("|")})$|${HEX.source}`);

function matching(place: number, pattern: RegExp, reason: string) {
  const texts = {
    required: `missing value for required argument ${place}`,
    invalid: `invalid argument ${place}: ${reason}`,
  };
  return text(texts).regex(pattern, texts.invalid);
}

/** Parses 20 bytes. */
export function address(place: number, name: string) {
  return matching(place, /^0x[0-9a-fA-F]{40}$/, `${name} is no address`)
    .transform((value): Address => lowerAddress(value))
    .describe("Account or contract");
}

/** Parses 32 bytes. */
export function hash(place: number) {
  return matching(place, /^0x[0-9a-fA-F]{64}$/, "txhash is no hash")
    .transform((value): Hex => lowerHex(value))
    .describe("Hash of a transaction");
}

/** Parses bytes. */
export function data(place: number, name: string) {
  return matching(place, HEX_DATA, `${name} is no hex data`).transform(
    (value): Hex => lowerHex(value),
  );
}

/** Parses a number in hex, with any leading zeros, or in decimal digits, into a minimal quantity for the node. */
export function number(place: number, name: string) {
  return matching(
    place,
    NUMBER,
    `${name} is neither a hex number of up to 256 bits nor decimal digits`,
  ).transform((value): Hex => quantity(value));
}

/** Parses a block's name or hex number. Decimal digits are refused: read as hex they would mean another block. */
export function tag(place: number) {
  return matching(
    place,
    BLOCK_PATTERN,
    "tag is neither a hex number of up to 256 bits nor a known name",
  )
    .transform((value) => (value.startsWith("0x") ? quantity(value) : value) as BlockTag)
    .describe(
      "`latest`, `earliest`, `pending`, `safe`, `finalized`, or the number of a block in hex",
    );
}

/** As `tag`, but `latest` when absent. */
export function tagOrLatest(place: number) {
  return tag(place).default("latest");
}

/** Parses a truth value in any letter case, false when absent. */
export function boolean(place: number) {
  return matching(place, /^(?:true|false)$/i, "boolean is neither true nor false")
    .transform((value) => value.toLowerCase() === "true")
    .default(false);
}

/** Parses an index of a list. */
export function index(place: number) {
  return number(place, "index").describe("Place in the list, from 0, in hex or in decimal digits");
}

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
