import { z } from "zod";
import { defineAction } from "../../action.ts";
import { publishedResult, sentText } from "./fields.ts";
import { publish, readRequired } from "./publish.ts";
import { commonFields, evmVersionOf, given, SPELLINGS } from "./submission.ts";

export const verifyVyperContract = defineAction({
  name: "verify_vyper_contract",
  summary: "Verifies a contract from one Vyper file, and answers when it is done",
  envelope: "explorer",
  isSubmission: true,
  params: z.object({
    addressHash: sentText,
    name: sentText,
    compilerVersion: sentText,
    contractSourceCode: sentText,
    constructorArguments: sentText,
    evmVersion: sentText,
    licenseType: sentText,
  }),
  result: publishedResult,
  example: {
    addressHash: "0xa15bb66138824a1c7167f5e85b957d04dd34e468",
    name: "Vault",
    compilerVersion: "v0.3.10+commit.91361694",
    contractSourceCode: "total: public(uint256)",
  },
  async handle(context) {
    const { sent } = context;
    const address = readRequired(sent, {
      name: SPELLINGS.name,
      compilerVersion: SPELLINGS.compilerVersion,
      contractSourceCode: SPELLINGS.source,
    });
    if (typeof address === "object") return address;
    return publish(context, {
      format: "vyper",
      address,
      name: given(sent, SPELLINGS.name) ?? "",
      compilerVersion: given(sent, SPELLINGS.compilerVersion) ?? "",
      source: given(sent, SPELLINGS.source) ?? "",
      ...evmVersionOf(sent),
      ...commonFields(sent),
    });
  },
});
