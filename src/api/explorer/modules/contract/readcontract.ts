import { z } from "zod";
import { hexSlice } from "../../../../core/evm/hex.ts";
import { listVerifiedAbis } from "../../../../store/contracts/verified/abis.ts";
import { type AbiEntry, hashOf, readAbi } from "../../../abi/abi.ts";
import { decode } from "../../../abi/decoding.ts";
import { createDecodingBudget, isOverdrawn } from "../../../abi/decoding-budget.ts";
import { encodeCall } from "../../../abi/encoding.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { address, text } from "../../params.ts";
import { decodedValue } from "../../present/transaction-details.ts";
import * as wire from "../../wire.ts";

const LONGEST_ARGUMENTS = 20_000;
/** Most hex digits of a function's return data: more takes too long to decode. */
const LONGEST_ANSWER = 2_000_000;
const INVALID_ARGUMENTS =
  "Invalid arguments: a JSON list with a value for each parameter is wanted, large numbers as text";

export const readcontract = defineAction({
  name: "readcontract",
  summary: "Calls a view function of a verified contract at the head",
  params: z.object({
    address: address({
      required: "Query parameter address is required",
      invalid: "Invalid address hash",
    }),
    function: text({
      required: "Query parameter function is required",
      invalid: "Invalid function",
    }).describe(
      "Name of the function; where several share it, the signature, `balanceOf(address)`",
    ),
    arguments: text({ invalid: INVALID_ARGUMENTS })
      .max(LONGEST_ARGUMENTS, INVALID_ARGUMENTS)
      .default("[]")
      .describe("JSON list of its arguments: numbers as text, structs as lists"),
  }),
  result: z.object({ data: wire.data, values: z.array(decodedValue) }),
  example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35", function: "totalSupply()" },
  async handle(context, input) {
    const { read, chain } = context;
    const { abis, head } = await read(async (sql, served) => ({
      abis: await listVerifiedAbis(sql, [input.address]),
      head: await served,
    }));
    if (abis.length === 0) return failed("not-verified", "Contract source code not verified");
    const found = find(
      abis.flatMap(({ abi }) => readAbi(abi)),
      input.function,
    );
    if (!found)
      return failed("invalid-parameter", "No such function that only reads", {
        parameter: "function",
      });
    const { inputs, outputs } = found;
    const values = listIn(input.arguments);
    const data = values && encodeCall(hexSlice(hashOf(found), 0, 4), inputs, values);
    if (data === undefined)
      return failed("invalid-parameter", INVALID_ARGUMENTS, { parameter: "arguments" });
    const [answer] = await chain.fetchCalls([{ to: input.address, data }], head);
    if (!answer) return failed("reverted", "The call fails");
    const budget = createDecodingBudget();
    const decoded = answer.length > LONGEST_ANSWER ? undefined : decode(outputs, answer, budget);
    if (answer.length > LONGEST_ANSWER || isOverdrawn(budget)) {
      return failed("too-large", "What it returns is too large");
    }
    if (!decoded) return failed("unsupported", "The returned data does not fit the ABI");
    return ok({ data: answer, values: decoded });
  },
});

/** Finds the reading function of a signature, or the only one of a name. */
function find(entries: readonly AbiEntry[], name: string): AbiEntry | undefined {
  const reading = entries.filter(({ kind, isReading }) => kind === "function" && isReading);
  const exact = reading.find(({ signature }) => signature === name);
  const named = reading.filter((entry) => entry.name === name);
  return exact ?? (named.length === 1 ? named[0] : undefined);
}

function listIn(json: string): readonly unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(json);
    return Array.isArray(values) ? values : undefined;
  } catch {
    return undefined;
  }
}
