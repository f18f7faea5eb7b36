import { z } from "zod";
import { type Address, isAddress, lowerAddress } from "../../../../core/evm/address.ts";
import { hexSlice } from "../../../../core/evm/hex.ts";
import type { Queryable } from "../../../../db/client.ts";
import {
  type ContractCreation,
  listContractCreations,
} from "../../../../store/contracts/creations.ts";
import { getProxy } from "../../../../store/contracts/proxies.ts";
import { listVerifiedAbis } from "../../../../store/contracts/verified/abis.ts";
import { CONTRACT_PARTS, getLookupBytes } from "../../../../store/contracts/verified/lookup.ts";
import {
  getVerifiedAbi,
  getVerifiedContract,
} from "../../../../store/contracts/verified/verified-contract.ts";
import { listDelegates } from "../../../../store/lists/delegations.ts";
import { encodeCall, hashOf, readAbi } from "../../../abi/abi.ts";
import { createDecodingBudget, decode, decodedValue, isOverdrawn } from "../../../abi/decoding.ts";
import { type Context, defineAction } from "../../action.ts";
import { failed, ok, verbatim } from "../../envelope.ts";
import { address, listItems, text } from "../../params.ts";
import { NOT_VERIFIED, sourceRecord } from "../../present/verified-contract.ts";
import * as wire from "../../wire.ts";

/** The contract of the requested source. */
const sourceAddress = address({
  required: "Query parameter address is required",
  invalid: "Invalid address hash",
}).describe("Contract");

const MAXIMUM_ADDRESSES = 10;
const REQUIRED = "Query parameter contractaddresses is required";

const created = wire.defineRecord<ContractCreation>()({
  contractAddress: [wire.address, (row) => row.address],
  contractCreator: [wire.address, (row) => row.sender],
  txHash: [wire.hash, (row) => row.transactionHash],
  blockNumber: [wire.decimal, (row) => String(row.blockNumber)],
  timestamp: [wire.decimal, (row) => String(row.timestampSeconds)],
  contractFactory: [wire.addressOrEmpty, (row) => row.factory ?? ""],
  creationBytecode: [wire.data, (row) => row.creationCode],
});

/** The highest index of a transaction in a block. */
const LAST_INDEX = 2 ** 31 - 1;
const LONGEST_ARGUMENTS = 20_000;
/** Most hex digits of a function's return data: more takes too long to decode. */
const LONGEST_ANSWER = 2_000_000;
const INVALID_ARGUMENTS =
  "Invalid arguments: a JSON list with a value for each parameter is wanted, large numbers as text";

export const sources = {
  getabi: defineAction({
    summary: "ABI of a verified contract as JSON text",
    params: z.object({ address: sourceAddress }),
    result: z.string(),
    example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle({ read, largeAnswers }, input) {
      const abi = await largeAnswers.make(
        (sql) => getLookupBytes(sql, input.address, ["abi"]),
        () => read((sql) => getVerifiedAbi(sql, input.address), "one statement"),
      );
      return abi === undefined ? failed("not-verified", NOT_VERIFIED) : ok(abi);
    },
  }),
  readcontract: defineAction({
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
      const { abis, head } = await read(async (sql, served) => {
        const head = await served;
        const place = { blockNumber: head.number, transactionIndex: LAST_INDEX };
        const delegates = await listDelegates(sql, [input.address], place);
        const abis = await listVerifiedAbis(sql, [input.address], { delegates, delegations: [] });
        return { abis, head };
      });
      if (abis.length === 0) return failed("not-verified", "Contract source code not verified");
      const reading = abis
        .flatMap(({ abi }) => readAbi(abi))
        .filter(({ kind, isReading }) => kind === "function" && isReading);
      const exact = reading.find(({ signature }) => signature === input.function);
      const named = reading.filter((entry) => entry.name === input.function);
      const found = exact ?? (named.length === 1 ? named[0] : undefined);
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
  }),
  getsourcecode: defineAction({
    summary: "Source, settings and ABI of a verified contract",
    params: z.object({ address: sourceAddress }),
    result: {
      blockscout: z.array(sourceRecord.blockscout.schema).length(1),
      etherscan: z.array(sourceRecord.etherscan.schema).length(1),
    },
    example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle(context, input) {
      const { record } = await presentSource(context, input.address);
      return ok([record]);
    },
  }),
  getcontractcreation: defineAction({
    summary: "Creator, creation transaction and creation code of up to ten contracts",
    params: z.object({
      contractaddresses: text({ required: REQUIRED, invalid: REQUIRED })
        .transform(listItems)
        .describe("Contract, or up to ten separated by commas"),
    }),
    result: z.array(created.schema),
    example: { contractaddresses: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    refuse: (text) => ({ result: text }),
    async handle({ read, dialect }, { contractaddresses }) {
      if (contractaddresses.length > MAXIMUM_ADDRESSES) {
        const text = `A maximum of ${MAXIMUM_ADDRESSES} contract addresses is allowed`;
        return failed("invalid-parameter", text, {
          httpStatus: 400,
          parameter: "contractaddresses",
        });
      }
      const addresses = contractaddresses.filter(isAddress).map(lowerAddress);
      const creations = await read((sql) => listContractCreations(sql, addresses));
      if (dialect === "etherscan" && creations.length === 0) {
        return verbatim({ status: "0", message: "No data found", result: null }, "empty");
      }
      return ok(creations.map(created.present));
    },
  }),
};

function listIn(json: string): readonly unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(json);
    return Array.isArray(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Presents a contract's source, and its proxy target. */
export async function presentSource(
  { read, largeAnswers, dialect }: Pick<Context, "read" | "largeAnswers" | "dialect">,
  address: Address,
) {
  const bytes = (sql: Queryable) => getLookupBytes(sql, address, CONTRACT_PARTS);
  return largeAnswers.make(bytes, async () => {
    const answer = await read(async (sql) => {
      const contract = await getVerifiedContract(sql, address);
      const { implementations = [] } = (contract && (await getProxy(sql, address))) ?? {};
      return { address, contract, implementations };
    });
    const record = sourceRecord[dialect].present(answer);
    return { isVerified: answer.contract !== undefined, record };
  });
}
