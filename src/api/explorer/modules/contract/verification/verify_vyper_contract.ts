import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { sent, sentFields, verifiedResult } from "../fields.ts";
import { commonFields, evmVersionOf, oneFileOf, SPELLINGS } from "./submission.ts";
import { readRequired, submitAndWait } from "./submit.ts";

const REQUIRED = {
  name: SPELLINGS.name,
  compilerVersion: SPELLINGS.compilerVersion,
  contractSourceCode: SPELLINGS.source,
};

export const verifyVyperContract = defineAction({
  name: "verify_vyper_contract",
  summary: "Verifies a contract from one Vyper file, and answers when it is done",
  isSubmission: true,
  params: z.object({
    addressHash: sentFields.address,
    name: sentFields.name,
    compilerVersion: sent("Compiler, as `v0.3.10+commit.91361694`"),
    contractSourceCode: sentFields.source,
    constructorArguments: sentFields.constructorArguments,
    evmVersion: sentFields.evmVersion,
    licenseType: sentFields.license,
  }),
  required: ["addressHash", ...Object.keys(REQUIRED)],
  result: verifiedResult,
  example: {
    addressHash: "0xa15bb66138824a1c7167f5e85b957d04dd34e468",
    name: "Vault",
    compilerVersion: "v0.3.10+commit.91361694",
    contractSourceCode: "total: public(uint256)",
  },
  async handle(context) {
    const { sent } = context;
    const address = readRequired(sent, REQUIRED);
    if (typeof address === "object") return address;
    return submitAndWait(context, {
      format: "vyper",
      address,
      ...oneFileOf(sent),
      ...evmVersionOf(sent),
      ...commonFields(sent),
    });
  },
});
