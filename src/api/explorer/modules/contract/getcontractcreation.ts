import { z } from "zod";
import { isAddress, lowerAddress } from "../../../../core/evm/address.ts";
import { listContractCreations } from "../../../../store/contracts/creations.ts";
import { defineAction } from "../../action.ts";
import { failed, ok, verbatim } from "../../envelope.ts";
import { listItems, text } from "../../params.ts";
import * as wire from "../../wire.ts";

const MAXIMUM_ADDRESSES = 10;
const REQUIRED = "Query parameter contractaddresses is required";

export const getcontractcreation = defineAction({
  name: "getcontractcreation",
  summary: "Creator, creation transaction and creation code of up to ten contracts",
  params: z.object({
    contractaddresses: text({ required: REQUIRED, invalid: REQUIRED })
      .transform(listItems)
      .describe("Contract, or up to ten separated by commas"),
  }),
  result: z.array(
    z.object({
      contractAddress: wire.address,
      contractCreator: wire.address,
      txHash: wire.hash,
      blockNumber: wire.decimal,
      timestamp: wire.decimal,
      contractFactory: wire.addressOrEmpty,
      creationBytecode: wire.data,
    }),
  ),
  example: { contractaddresses: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  refuse: (text) => ({ result: text }),
  async handle({ read, dialect }, { contractaddresses }) {
    if (contractaddresses.length > MAXIMUM_ADDRESSES) {
      const text = `A maximum of ${MAXIMUM_ADDRESSES} contract addresses is allowed`;
      return failed("invalid-parameter", text, { httpStatus: 400, parameter: "contractaddresses" });
    }
    const addresses = contractaddresses.filter(isAddress).map(lowerAddress);
    const creations = await read((sql) => listContractCreations(sql, addresses));
    if (dialect === "etherscan" && creations.length === 0) {
      return verbatim({ status: "0", message: "No data found", result: null }, "empty");
    }
    return ok(
      creations.map((creation) => ({
        contractAddress: creation.address,
        contractCreator: creation.sender,
        txHash: creation.transactionHash,
        blockNumber: String(creation.blockNumber),
        timestamp: String(creation.timestampSeconds),
        contractFactory: creation.factory ?? "",
        creationBytecode: creation.creationCode,
      })),
    );
  },
});
